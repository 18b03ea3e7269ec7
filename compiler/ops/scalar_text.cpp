// Element values as text and back, whatever the locale.
#include <charconv>
#include <cmath>
#include <string>

#include "compiler/ops/dtype.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

/// "-1.25e-07" taken apart: sign, digits without the point, exponent of the first digit.
struct Decimal {
    bool negative = false;
    std::string digits;
    int exponent = 0;
};

template <class T>
Decimal shortest(T value) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    Decimal d;
    const char* at = buffer;
    for (; *at != 'e'; ++at) {
        if (*at == '-')
            d.negative = true;
        else if (*at != '.')
            d.digits += *at;
    }
    at += at[1] == '+' ? 2 : 1;
    std::from_chars(at, end, d.exponent);
    return d;
}

/// As Python's repr: fixed from 1e-4 up to 1e16, always with a point or an exponent.
template <class T>
std::string float_text(T value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    const Decimal d = shortest(value);
    std::string text = d.negative ? "-" : "";
    const int digits = static_cast<int>(d.digits.size());
    if (d.exponent < -4 || d.exponent >= 16) {
        text += d.digits[0];
        if (digits > 1) text += "." + d.digits.substr(1);
        const std::string exponent = std::to_string(std::abs(d.exponent));
        return text + (d.exponent < 0 ? "e-" : "e+") + (exponent.size() < 2 ? "0" : "") + exponent;
    }
    if (d.exponent < 0)
        return text + "0." + std::string(static_cast<size_t>(-d.exponent - 1), '0') + d.digits;
    const int whole = d.exponent + 1;
    if (digits <= whole)
        return text + d.digits + std::string(static_cast<size_t>(whole - digits), '0') + ".0";
    return text + d.digits.substr(0, static_cast<size_t>(whole)) + "." +
           d.digits.substr(static_cast<size_t>(whole));
}

/// The whole text as a number of type T, or nullopt.
template <class T>
std::optional<T> number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<Scalar> parse_integer(DType dtype, std::string_view text) {
    std::optional<Scalar> value;
    if (row(dtype).type_class == TypeClass::signed_integer) {
        if (const auto v = number<int64_t>(text)) value = Scalar::of_i64(*v);
    } else if (const auto v = number<uint64_t>(text)) {
        value = Scalar{*v};
    }
    if (!value) return std::nullopt;
    uint64_t stored = 0;
    store_scalar(dtype, *value, &stored);
    return load_scalar(dtype, &stored) == *value ? value : std::nullopt;
}

}  // namespace

std::string scalar_text(DType dtype, Scalar value) {
    if (is_bool(dtype)) return value.as_bool() ? "true" : "false";
    if (row(dtype).type_class == TypeClass::signed_integer) return std::to_string(value.as_i64());
    if (is_integer(dtype)) return std::to_string(value.bits);
    if (dtype == DType::f32_) return float_text(value.as_f32());
    require(dtype == DType::f64_, "values of this element type have no text");
    return float_text(value.as_f64());
}

std::optional<Scalar> parse_scalar(DType dtype, std::string_view text) {
    if (is_bool(dtype)) {
        if (text == "true" || text == "false") return Scalar::of_bool(text == "true");
        return std::nullopt;
    }
    if (is_integer(dtype)) return parse_integer(dtype, text);
    if (dtype == DType::f32_) {
        const auto v = number<float>(text);
        return v ? std::optional(Scalar::of_f32(*v)) : std::nullopt;
    }
    if (dtype != DType::f64_) return std::nullopt;
    const auto v = number<double>(text);
    return v ? std::optional(Scalar::of_f64(*v)) : std::nullopt;
}

}  // namespace fuseline
