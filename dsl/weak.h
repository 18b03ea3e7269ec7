// Arithmetic on values known at compile time: unbounded integers and f64.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/value.h"

namespace fuseline::dsl {

/// `op` on numbers known at compile time; nullopt with `why` set where it has no value.
std::optional<Value> fold(OpId op, const std::vector<Value>& operands, std::string& why);

/// A bool, weak integer or weak float as f64, rounded to nearest even.
double to_f64(const Value& constant);
/// The integer when it fits i64.
std::optional<int64_t> to_i64(const mpz_class& integer);

/// The constant as an element of `dtype`. nullopt with `why` where its magnitude does not fit; a float is no
/// integer and a number is no bool here (casts go through `cast_constant`).
std::optional<Scalar> fit(const Value& constant, DType dtype, std::string& why);
/// `dtype(constant)`: as `fit`, with the table's conversion from f64 for floats.
std::optional<Scalar> cast_constant(const Value& constant, DType dtype, std::string& why);

/// Digits of a literal (decimal, 0x, 0b, 0o) as an integer; nullopt when they are too many.
std::optional<mpz_class> parse_integer(const std::string& digits);
/// A decimal floating literal in any locale; infinity where it overflows.
double parse_floating(const std::string& digits);

/// i64 or f64, or bool: the type a constant takes where nothing else gives one.
DType default_dtype(const Value& constant);

}  // namespace fuseline::dsl
