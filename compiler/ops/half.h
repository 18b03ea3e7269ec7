// The 16-bit floats f16 and bf16: their bits from numbers and back.
#pragma once

#include <concepts>
#include <cstdint>

namespace fuseline {

/// A format of 16 bits: sign, exponent, `kMantissa` bits of mantissa. `kLowest` is the exponent of the
/// smallest normal number and `kLargest` that of the largest.
struct F16Format {
    static constexpr int kMantissa = 10, kLowest = -14, kLargest = 15;
};
struct Bf16Format {
    static constexpr int kMantissa = 7, kLowest = -126, kLargest = 127;
};

/// The element as a number; exact.
template <class Format>
double half_to_f64(uint16_t bits);
/// The nearest element, ties to even; past the largest one infinity; any NaN gives the canonical quiet one.
template <class Format>
uint16_t half_from_f64(double value);

/// An integer as a double that rounds to every shorter float as the integer itself does: where its last bits
/// do not fit they become one odd bit.
template <std::integral T>
double odd_double(T x) {
    const double plain = static_cast<double>(x);
    if constexpr (sizeof(T) < 8) {
        return plain;
    } else {
        constexpr T kCut = 0xfff;
        const bool fits = plain > -0x1p53 && plain < 0x1p53;
        const T odd = static_cast<T>((x & static_cast<T>(~kCut)) | T{0x800});
        return fits || (x & kCut) == 0 ? plain : static_cast<double>(odd);
    }
}

}  // namespace fuseline
