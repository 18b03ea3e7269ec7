// Integer operators on integers without bounds.
#include "compiler/ops/unbounded.h"

namespace fuseline::unbounded {
namespace {

constexpr const char* kTooLarge = "the integer gets too large (more than 65536 bits)";

bool refuse(const char*& why, const char* text) {
    why = text;
    return false;
}

bool give(const mpz_class& value, BigInteger& result, const char*& why) {
    result.value = value;
    return result.bits() <= kMaxIntegerBits || refuse(why, kTooLarge);
}

}  // namespace

bool add(const BigInteger* x, BigInteger& result, const char*& why) {
    return give(x[0].value + x[1].value, result, why);
}

bool sub(const BigInteger* x, BigInteger& result, const char*& why) {
    return give(x[0].value - x[1].value, result, why);
}

bool mul(const BigInteger* x, BigInteger& result, const char*& why) {
    return give(x[0].value * x[1].value, result, why);
}

bool floordiv(const BigInteger* x, BigInteger& result, const char*& why) {
    if (sgn(x[1].value) == 0) return refuse(why, "division by zero");
    mpz_fdiv_q(result.value.get_mpz_t(), x[0].value.get_mpz_t(), x[1].value.get_mpz_t());
    return true;
}

bool mod(const BigInteger* x, BigInteger& result, const char*& why) {
    if (sgn(x[1].value) == 0) return refuse(why, "division by zero");
    mpz_fdiv_r(result.value.get_mpz_t(), x[0].value.get_mpz_t(), x[1].value.get_mpz_t());
    return true;
}

bool pow(const BigInteger* x, BigInteger& result, const char*& why) {
    const mpz_class& base = x[0].value;
    const mpz_class& exponent = x[1].value;
    if (base == 0 || base == 1) return give(exponent == 0 ? mpz_class(1) : base, result, why);
    if (base == -1) return give(mpz_even_p(exponent.get_mpz_t()) ? 1 : -1, result, why);
    if (exponent > mpz_class(kMaxIntegerBits)) return refuse(why, kTooLarge);
    const unsigned long count = exponent.get_ui();
    if ((x[0].bits() - 1) * count > kMaxIntegerBits) return refuse(why, kTooLarge);
    mpz_class power;
    mpz_pow_ui(power.get_mpz_t(), base.get_mpz_t(), count);
    return give(power, result, why);
}

bool neg(const BigInteger* x, BigInteger& result, const char*& why) { return give(-x[0].value, result, why); }

bool same(const BigInteger* x, BigInteger& result, const char*& why) { return give(x[0].value, result, why); }

bool shl(const BigInteger* x, BigInteger& result, const char*& why) {
    if (sgn(x[1].value) < 0) return refuse(why, "the shift count is negative");
    if (sgn(x[0].value) == 0) return give(0, result, why);
    if (x[1].value > mpz_class(kMaxIntegerBits)) return refuse(why, kTooLarge);
    return give(x[0].value << x[1].value.get_ui(), result, why);
}

bool shr(const BigInteger* x, BigInteger& result, const char*& why) {
    if (sgn(x[1].value) < 0) return refuse(why, "the shift count is negative");
    if (x[1].value > mpz_class(kMaxIntegerBits)) return give(sgn(x[0].value) < 0 ? -1 : 0, result, why);
    return give(x[0].value >> x[1].value.get_ui(), result, why);
}

bool bit_and(const BigInteger* x, BigInteger& result, const char*& why) {
    return give(x[0].value & x[1].value, result, why);
}

bool bit_or(const BigInteger* x, BigInteger& result, const char*& why) {
    return give(x[0].value | x[1].value, result, why);
}

bool bit_xor(const BigInteger* x, BigInteger& result, const char*& why) {
    return give(x[0].value ^ x[1].value, result, why);
}

bool abs(const BigInteger* x, BigInteger& result, const char*& why) {
    return give(::abs(x[0].value), result, why);
}

bool sign(const BigInteger* x, BigInteger& result, const char*& why) {
    return give(sgn(x[0].value), result, why);
}

bool min(const BigInteger* x, BigInteger& result, const char*& why) {
    return give(cmp(x[1].value, x[0].value) < 0 ? x[1].value : x[0].value, result, why);
}

bool max(const BigInteger* x, BigInteger& result, const char*& why) {
    return give(cmp(x[1].value, x[0].value) > 0 ? x[1].value : x[0].value, result, why);
}

}  // namespace fuseline::unbounded
