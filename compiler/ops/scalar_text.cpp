// Element values as text and back, whatever the locale.
#include <charconv>
#include <cmath>
#include <string>

#include "compiler/ops/decimal.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

/// Reads what to_chars prints: "-1.25e-07".
Decimal decimal(std::string_view text) {
    Decimal d;
    const size_t e = text.find('e');
    for (char c : text.substr(0, e)) {
        if (c == '-')
            d.negative = true;
        else if (c != '.')
            d.digits += c;
    }
    const char* at = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
    std::from_chars(at, text.data() + text.size(), d.exponent);
    return d;
}

template <class T>
Decimal shortest(T value) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    return decimal({buffer, end});
}

/// The decimal one unit of its last digit farther from zero.
Decimal next_decimal(Decimal d) {
    const std::string digits = std::to_string(std::stoi(d.digits) + 1);
    if (digits.size() > d.digits.size()) ++d.exponent;
    d.digits = digits.substr(0, d.digits.size());
    return d;
}

bool reads_back(const Decimal& d, DType dtype, Scalar value) {
    const std::string text = (d.negative ? "-" : "") + d.digits + "e" +
                             std::to_string(d.exponent + 1 - static_cast<int>(d.digits.size()));
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return scalar_from_f64(dtype, number) == value;
}

/// Above a power of two floats lie farther apart than below it, so that there a longer way up may read back
/// where a shorter one down does not.
Decimal shortest_half(DType dtype, Scalar value) {
    const double exact = scalar_to_f64(dtype, value);
    for (int precision = 0;; ++precision) {
        char buffer[64];
        char* const last = buffer + sizeof buffer;
        const auto end = std::to_chars(buffer, last, exact, std::chars_format::scientific, precision).ptr;
        const Decimal nearest = decimal({buffer, end}), farther = next_decimal(nearest);
        for (const Decimal& d : {nearest, farther}) {
            if (reads_back(d, dtype, value)) return d;
        }
    }
}

/// As Python's repr: fixed from 1e-4 up to 1e16, always with a point or an exponent.
std::string float_text(DType dtype, Scalar value) {
    const double number = scalar_to_f64(dtype, value);
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
    const Decimal d = shortest_decimal(dtype, value);
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

Decimal shortest_decimal(DType dtype, Scalar value) {
    if (is_half(dtype)) return shortest_half(dtype, value);
    return dtype == DType::f32_ ? shortest(value.as_f32()) : shortest(value.as_f64());
}

std::string scalar_text(DType dtype, Scalar value) {
    if (is_bool(dtype)) return value.as_bool() ? "true" : "false";
    if (row(dtype).type_class == TypeClass::signed_integer) return std::to_string(value.as_i64());
    if (is_integer(dtype)) return std::to_string(value.bits);
    require(is_float(dtype), "values of this element type have no text");
    return float_text(dtype, value);
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
    if (!is_float(dtype)) return std::nullopt;
    const auto v = number<double>(text);
    if (!v) return std::nullopt;
    const Scalar value = scalar_from_f64(dtype, *v);
    // A number too large for the type is no value of it, as the standard library says of f32 and f64.
    if (std::isinf(scalar_to_f64(dtype, value)) && !std::isinf(*v)) return std::nullopt;
    return value;
}

}  // namespace fuseline
