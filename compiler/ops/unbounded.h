// The meaning of integer operators on integers without bounds, in which constants of a program are computed.
#pragma once

#include <gmpxx.h>

#include "compiler/ops/op_table.h"

namespace fuseline {

struct BigInteger {
    mpz_class value;
    /// Significant bits; 1 for zero.
    size_t bits() const { return mpz_sizeinbase(value.get_mpz_t(), 2); }
};

/// No result has more bits.
inline constexpr size_t kMaxIntegerBits = 65536;

namespace unbounded {

bool add(const BigInteger* x, BigInteger& result, const char*& why);
bool sub(const BigInteger* x, BigInteger& result, const char*& why);
bool mul(const BigInteger* x, BigInteger& result, const char*& why);
/// Division by zero has no result.
bool floordiv(const BigInteger* x, BigInteger& result, const char*& why);
bool mod(const BigInteger* x, BigInteger& result, const char*& why);
/// The exponent is not negative.
bool pow(const BigInteger* x, BigInteger& result, const char*& why);
bool neg(const BigInteger* x, BigInteger& result, const char*& why);
bool same(const BigInteger* x, BigInteger& result, const char*& why);
/// A negative count has no result.
bool shl(const BigInteger* x, BigInteger& result, const char*& why);
bool shr(const BigInteger* x, BigInteger& result, const char*& why);
bool bit_and(const BigInteger* x, BigInteger& result, const char*& why);
bool bit_or(const BigInteger* x, BigInteger& result, const char*& why);
bool bit_xor(const BigInteger* x, BigInteger& result, const char*& why);
bool abs(const BigInteger* x, BigInteger& result, const char*& why);
bool sign(const BigInteger* x, BigInteger& result, const char*& why);
bool min(const BigInteger* x, BigInteger& result, const char*& why);
bool max(const BigInteger* x, BigInteger& result, const char*& why);

}  // namespace unbounded
}  // namespace fuseline
