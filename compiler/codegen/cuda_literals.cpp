// Constants as C++ literals that read back to the same bits.
#include "compiler/codegen/cuda_literals.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "compiler/support/errors.h"

namespace fuseline {
namespace {

constexpr int kPrefix = 15;

/// Digits of a decimal without point, sign, leading and trailing zeros.
std::string digits_of(std::string_view decimal) {
    std::string digits;
    for (char c : decimal) {
        if (c == 'e') break;
        if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
    }
    digits.erase(digits.find_last_not_of('0') + 1);
    return digits;
}

/// Whether the decimal, which reads back to `value`, is exactly `value`.
bool is_exact(double value, std::string_view decimal) {
    // No float differs from a decimal of 17 digits by less than this many digits show.
    char buffer[160];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 120).ptr;
    return digits_of({buffer, static_cast<size_t>(end - buffer)}) == digits_of(decimal);
}

/// "0x1.8p-3": to_chars leaves out the prefix.
std::string hexadecimal(double value) {
    char buffer[64];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value), std::chars_format::hex).ptr;
    return fmt::format("{}0x{}", std::signbit(value) ? "-" : "",
                       std::string_view(buffer, static_cast<size_t>(end - buffer)));
}

CudaText float_literal(DType dtype, Scalar value) {
    const bool narrow = dtype != DType::f64_;
    const double number = scalar_to_f64(dtype, value);
    const std::string decimal = scalar_text(dtype, value);
    if (!std::isfinite(number)) {
        if (is_half(dtype)) value = scalar_from_f64(DType::f32_, number);
        return {narrow ? fmt::format("__int_as_float(0x{:08x}) /* {} */", value.bits & 0xffffffffu, decimal)
                       : fmt::format("__longlong_as_double(0x{:016x}ull) /* {} */", value.bits, decimal)};
    }
    const char* suffix = narrow ? "f" : "";
    const int precedence = std::signbit(number) ? kPrefix : 0;
    if (is_exact(number, decimal)) return {decimal + suffix, precedence};
    return {fmt::format("{}{} /* {} */", hexadecimal(number), suffix, decimal), precedence};
}

CudaText integer_literal(DType dtype, Scalar value) {
    const bool is_signed = row(dtype).type_class == TypeClass::signed_integer;
    const int bits = row(dtype).bits;
    if (!is_signed) {
        const std::string text = fmt::format("{}{}", value.bits, bits == 64 ? "ull" : "u");
        return bits < 32 ? CudaText{fmt::format("({}){}", row(dtype).cuda, text), kPrefix} : CudaText{text};
    }
    const int64_t number = value.as_i64();
    // The lowest integer has no literal: its magnitude is out of range.
    if (number == INT64_MIN) return {"(-9223372036854775807ll - 1)"};
    if (bits == 32 && number == INT32_MIN) return {"(-2147483647 - 1)"};
    const std::string text = fmt::format("{}{}", number, bits == 64 ? "ll" : "");
    if (bits < 32) return {fmt::format("({}){}", row(dtype).cuda, text), kPrefix};
    return {text, number < 0 ? kPrefix : 0};
}

}  // namespace

CudaText cuda_literal(DType dtype, Scalar value) {
    if (is_bool(dtype)) return {value.as_bool() ? "true" : "false"};
    if (is_integer(dtype)) return integer_literal(dtype, value);
    require(is_float(dtype), "constants of this element type have no CUDA literal");
    return float_literal(dtype, value);
}

}  // namespace fuseline
