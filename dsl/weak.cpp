// Arithmetic on values known at compile time, through the operator table where its types allow.
#include "dsl/weak.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "compiler/ops/unbounded.h"
#include "compiler/support/errors.h"

namespace fuseline::dsl {

namespace {

size_t bits(const mpz_class& z) { return mpz_sizeinbase(z.get_mpz_t(), 2); }

/// The integer with `precision` significant bits, ties to even, as f64 (infinite where it overflows).
double rounded(const mpz_class& z, size_t precision) {
    const size_t size = bits(z);
    if (size > 1100) return sgn(z) < 0 ? -HUGE_VAL : HUGE_VAL;
    if (size <= precision) return z.get_d();
    const size_t drop = size - precision;
    mpz_class quotient, rest;
    mpz_fdiv_qr(quotient.get_mpz_t(), rest.get_mpz_t(), z.get_mpz_t(),
                mpz_class(mpz_class(1) << drop).get_mpz_t());
    const mpz_class half = mpz_class(1) << (drop - 1);
    const int order = cmp(rest, half);
    if (order > 0 || (order == 0 && mpz_odd_p(quotient.get_mpz_t()))) quotient += 1;
    return std::ldexp(quotient.get_d(), static_cast<int>(drop));
}

mpz_class integer_of(const Value& v) {
    if (const auto* z = v.as<mpz_class>()) return *z;
    return mpz_class(*v.as<bool>() ? 1 : 0);
}

Value from_scalar(DType dtype, Scalar s) {
    if (is_bool(dtype)) return Value(s.as_bool());
    if (is_integer(dtype)) return Value::integer(s.as_i64());
    return Value(s.as_f64());
}

std::optional<Value> fold_fixed(OpId op, const OpTyping& typing, const std::vector<Value>& operands,
                                std::string& why) {
    std::vector<Scalar> scalars;
    for (const Value& v : operands) {
        const auto s = is_float(typing.operation) ? Scalar::of_f64(to_f64(v)) : fit(v, typing.operation, why);
        if (!s) return std::nullopt;
        scalars.push_back(*s);
    }
    return from_scalar(typing.result, evaluate(op, typing.operation, typing.result, scalars.data()));
}

std::optional<Value> fold_integers(OpId op, const OpTyping& typing, const std::vector<Value>& operands,
                                   std::string& why) {
    std::vector<BigInteger> x;
    for (const Value& v : operands) x.push_back({integer_of(v)});
    if (row(op).rule == TypeRule::power && sgn(x[1].value) < 0)
        return Value(std::pow(to_f64(operands[0]), to_f64(operands[1])));
    if (is_bool(typing.result) && x.size() == 2) {
        const Scalar order[2] = {Scalar::of_i64(cmp(x[0].value, x[1].value)), Scalar::of_i64(0)};
        return Value(evaluate(op, DType::i64_, DType::bool_, order).as_bool());
    }
    if (const UnboundedCell& unbounded = row(op).unbounded; unbounded.given) {
        BigInteger result;
        const char* reason = nullptr;
        if (unbounded.function(x.data(), result, reason)) return Value(result.value);
        why = reason;
        return std::nullopt;
    }
    return fold_fixed(op, typing, operands, why);
}

std::optional<Value> fold_select(const std::vector<Value>& operands) {
    const Value& chosen = *operands[0].as<bool>() ? operands[1] : operands[2];
    if (operands[1].as<double>() || operands[2].as<double>()) return Value(to_f64(chosen));
    return chosen;
}

}  // namespace

DType default_dtype(const Value& constant) {
    if (constant.as<bool>()) return DType::bool_;
    return constant.as<double>() ? DType::f64_ : DType::i64_;
}

std::optional<Value> fold(OpId op, const std::vector<Value>& operands, std::string& why) {
    std::vector<DType> types;
    for (const Value& v : operands) types.push_back(default_dtype(v));
    const auto typing = op_typing(op, types.data(), types.size(), &why, nullptr);
    if (!typing) return std::nullopt;
    if (row(op).rule == TypeRule::select) return fold_select(operands);
    if (is_integer(typing->operation)) return fold_integers(op, *typing, operands, why);
    return fold_fixed(op, *typing, operands, why);
}

double to_f64(const Value& constant) {
    if (const auto* d = constant.as<double>()) return *d;
    if (const auto* z = constant.as<mpz_class>()) return rounded(*z, 53);
    return *constant.as<bool>() ? 1 : 0;
}

std::optional<int64_t> to_i64(const mpz_class& integer) {
    if (!integer.fits_slong_p()) return std::nullopt;
    return integer.get_si();
}

namespace {

/// Bits of a number of the type, with the leading one.
size_t float_precision(DType dtype) {
    switch (dtype) {
        case DType::f16_: return 11;
        case DType::bf16_: return 8;
        default: return dtype == DType::f32_ ? 24 : 53;
    }
}

/// With one rounding.
Scalar float_scalar(const Value& constant, DType dtype) {
    const auto* z = constant.as<mpz_class>();
    return scalar_from_f64(dtype, z ? rounded(*z, float_precision(dtype)) : to_f64(constant));
}

/// An integer as an element of the type, where it fits.
std::optional<Scalar> integer_scalar(const mpz_class& z, DType dtype) {
    const int bits = row(dtype).bits;
    const bool is_signed = row(dtype).type_class == TypeClass::signed_integer;
    const mpz_class past = mpz_class(1) << (is_signed ? bits - 1 : bits);
    if (z >= past || z < (is_signed ? mpz_class(-past) : mpz_class(0))) return std::nullopt;
    return sgn(z) < 0 ? Scalar::of_i64(z.get_si()) : Scalar{z.get_ui()};
}

std::string constant_text(const Value& constant) {
    if (const auto* z = constant.as<mpz_class>()) return bits(*z) > 200 ? "the integer" : z->get_str();
    if (const auto* d = constant.as<double>()) return scalar_text(DType::f64_, Scalar::of_f64(*d));
    return *constant.as<bool>() ? "true" : "false";
}

}  // namespace

std::optional<Scalar> fit(const Value& constant, DType dtype, std::string& why) {
    if (const auto* flag = constant.as<bool>()) {
        if (is_bool(dtype)) return Scalar::of_bool(*flag);
        return is_float(dtype) ? float_scalar(constant, dtype) : Scalar::of_i64(*flag ? 1 : 0);
    }
    if (is_float(dtype)) {
        const Scalar s = float_scalar(constant, dtype);
        const auto* d = constant.as<double>();
        if (!std::isinf(scalar_to_f64(dtype, s)) || (d && std::isinf(*d))) return s;
    } else if (const auto* z = constant.as<mpz_class>(); z && is_integer(dtype)) {
        if (const auto i = integer_scalar(*z, dtype)) return i;
    } else {
        why = fmt::format("{} is not {}", constant_text(constant), is_bool(dtype) ? "a bool" : "an integer");
        return std::nullopt;
    }
    why = fmt::format("{} does not fit {}", constant_text(constant), name(dtype));
    return std::nullopt;
}

std::optional<Scalar> cast_constant(const Value& constant, DType dtype, std::string& why) {
    if (const auto* d = constant.as<double>()) {
        const Scalar s = Scalar::of_f64(*d);
        return evaluate(OpId::cast_, DType::f64_, dtype, &s);
    }
    if (const auto* z = constant.as<mpz_class>(); z && is_bool(dtype)) return Scalar::of_bool(sgn(*z) != 0);
    return fit(constant, dtype, why);
}

std::optional<mpz_class> parse_integer(const std::string& digits) {
    std::string_view text = digits;
    int base = 10;
    if (text.size() > 2 && text[0] == '0') {
        const char mark = static_cast<char>(text[1] | 0x20);
        if (mark == 'x') base = 16;
        if (mark == 'b') base = 2;
        if (mark == 'o') base = 8;
        if (base != 10) text.remove_prefix(2);
    }
    mpz_class z;
    if (text.size() > kMaxIntegerBits / 3 || z.set_str(std::string(text), base) != 0) return std::nullopt;
    if (bits(z) > kMaxIntegerBits) return std::nullopt;
    return z;
}

namespace {

/// The power of ten of the first digit that is not zero, in a literal too large or too small for f64.
int64_t leading_exponent(const std::string& digits) {
    const size_t e = std::min(digits.find_first_of("eE"), digits.size());
    const size_t point = std::min(digits.find('.'), e);
    const size_t first = digits.find_first_of("123456789");
    int64_t exponent = 0;
    if (e < digits.size()) {
        const size_t sign = digits[e + 1] == '+' ? 1 : 0;
        const auto parsed =
            std::from_chars(digits.data() + e + 1 + sign, digits.data() + digits.size(), exponent);
        if (parsed.ec != std::errc()) exponent = digits[e + 1] == '-' ? INT32_MIN : INT32_MAX;
    }
    const auto place = static_cast<int64_t>(point) - static_cast<int64_t>(first);
    return exponent + (place > 0 ? place - 1 : place);
}

}  // namespace

double parse_floating(const std::string& digits) {
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range) {
        return leading_exponent(digits) > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    }
    require(error == std::errc(), "a floating literal reads as a number");
    return value;
}

}  // namespace fuseline::dsl
