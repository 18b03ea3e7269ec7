// Conversions of the 16-bit floats through f64, in which all their values and midpoints are exact.
#include "compiler/ops/half.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuseline {
namespace {

constexpr int kSign = 0x8000;

template <class Format>
constexpr int kInfinity = (Format::kLargest - Format::kLowest + 2) << Format::kMantissa;

}  // namespace

template <class Format>
double half_to_f64(uint16_t bits) {
    constexpr int kMantissaMask = (1 << Format::kMantissa) - 1;
    const int size = bits & ~kSign;
    double value = 0;
    if (size > kInfinity<Format>) {
        value = std::numeric_limits<double>::quiet_NaN();
    } else if (size == kInfinity<Format>) {
        value = std::numeric_limits<double>::infinity();
    } else {
        const int exponent = size >> Format::kMantissa;
        const int digits = (size & kMantissaMask) + (exponent == 0 ? 0 : kMantissaMask + 1);
        value = std::ldexp(digits, std::max(exponent, 1) - 1 + Format::kLowest - Format::kMantissa);
    }
    return (bits & kSign) != 0 ? -value : value;
}

template <class Format>
uint16_t half_from_f64(double value) {
    if (std::isnan(value)) return static_cast<uint16_t>(kInfinity<Format> | 1 << (Format::kMantissa - 1));
    const int sign = std::signbit(value) ? kSign : 0;
    const double size = std::fabs(value);
    if (size >= std::ldexp(1.0, Format::kLargest + 1)) return static_cast<uint16_t>(sign | kInfinity<Format>);
    const int exponent = size == 0 ? Format::kLowest : std::max(std::ilogb(size), Format::kLowest);
    // In units of the last place; the leading one of a normal number counts the exponent up by one.
    const auto digits = static_cast<int>(std::nearbyint(std::ldexp(size, Format::kMantissa - exponent)));
    return static_cast<uint16_t>(sign | (((exponent - Format::kLowest) << Format::kMantissa) + digits));
}

template double half_to_f64<F16Format>(uint16_t);
template double half_to_f64<Bf16Format>(uint16_t);
template uint16_t half_from_f64<F16Format>(double);
template uint16_t half_from_f64<Bf16Format>(double);

}  // namespace fuseline
