// The meaning of float operators and functions on one element, and of operators that integers and floats
// share.
//
// Accuracy: a function of f32 is the double function of libm rounded once to f32; one of f64 is libm's long
// double function rounded once to f64 (80-bit on x86). Both lie within about 0.501 ulp of the exact value.
// `pow` of f64 is libm's double function, within 1 ulp.
#pragma once

#include <cmath>

#include "compiler/ops/half.h"
#include "compiler/ops/reference_integer.h"
#include "compiler/ops/special_functions.h"

namespace fuseline::reference {

/// An element of a 16-bit float: computed in f32, except where an operation takes it as it is.
template <class F>
struct Half {
    using Format = F;
    uint16_t bits = 0;
    float number() const { return static_cast<float>(half_to_f64<Format>(bits)); }
};

template <class T>
concept HalfFloat = std::same_as<T, Half<F16Format>> || std::same_as<T, Half<Bf16Format>>;

/// Type in which a function of T is computed before its one rounding.
template <std::floating_point T>
using Wider = std::conditional_t<std::same_as<T, float>, double, long double>;

struct Divide {
    template <std::floating_point T>
    static T apply(T x, T y) {
        return x / y;
    }
};

/// C99 fmod, moved by the divisor where the signs differ; a zero remainder has the divisor's sign.
template <std::floating_point T>
T floor_remainder(T x, T y) {
    T remainder = std::fmod(x, y);
    if (remainder == 0) return std::copysign(T{0}, y);
    return (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

/// As Python and NumPy: the exact remainder is taken off before the division; x // 0.0 is x / 0.0.
template <std::floating_point T>
T floor_divide(T x, T y) {
    if (y == 0) return x / y;
    T remainder = std::fmod(x, y);
    T quotient = (x - remainder) / y;
    if (remainder != 0 && (remainder < 0) != (y < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(T{0}, x / y);
    T floored = std::floor(quotient);
    return quotient - floored > T(0.5) ? floored + 1 : floored;
}

struct FloorDivide {
    template <class T>
        requires(!std::same_as<T, bool>)
    static T apply(T x, T y) {
        return floor_divide(x, y);
    }
};

struct Remainder {
    template <class T>
        requires(!std::same_as<T, bool>)
    static T apply(T x, T y) {
        return floor_remainder(x, y);
    }
};

struct Power {
    template <Integer T>
    static T apply(T x, T y) {
        return integer_power(x, y);
    }
    template <std::floating_point T>
    static T apply(T x, T y) {
        // The long double function of glibc 2.36 gives inf for powl(-inf, -2^63).
        return static_cast<T>(std::pow(static_cast<double>(x), static_cast<double>(y)));
    }
};

struct Minimum {
    template <std::integral T>
    static T apply(T x, T y) {
        return y < x ? y : x;
    }
    /// NaN wins, the first one; -0.0 < +0.0.
    template <std::floating_point T>
    static T apply(T x, T y) {
        if (std::isnan(x)) return x;
        if (std::isnan(y)) return y;
        if (x == y) return std::signbit(x) ? x : y;
        return x < y ? x : y;
    }
};

struct Maximum {
    template <std::integral T>
    static T apply(T x, T y) {
        return x < y ? y : x;
    }
    template <std::floating_point T>
    static T apply(T x, T y) {
        if (std::isnan(x)) return x;
        if (std::isnan(y)) return y;
        if (x == y) return std::signbit(x) ? y : x;
        return x < y ? y : x;
    }
};

/// As Minimum, but NaN is left out: NaN only where both are NaN.
struct NumberMinimum {
    template <std::integral T>
    static T apply(T x, T y) {
        return Minimum::apply(x, y);
    }
    template <std::floating_point T>
    static T apply(T x, T y) {
        if (std::isnan(x)) return y;
        return std::isnan(y) ? x : Minimum::apply(x, y);
    }
};

struct NumberMaximum {
    template <std::integral T>
    static T apply(T x, T y) {
        return Maximum::apply(x, y);
    }
    template <std::floating_point T>
    static T apply(T x, T y) {
        if (std::isnan(x)) return y;
        return std::isnan(y) ? x : Maximum::apply(x, y);
    }
};

struct Absolute {
    template <Integer T>
    static T apply(T x) {
        return x < 0 ? Neg::apply(x) : x;
    }
    template <std::floating_point T>
    static T apply(T x) {
        return std::fabs(x);
    }
};

/// -1, 0 or 1; zeros keep their sign and NaN stays.
struct Sign {
    template <Integer T>
    static T apply(T x) {
        return static_cast<T>((x > 0) - (x < 0));
    }
    template <std::floating_point T>
    static T apply(T x) {
        if (x > 0) return 1;
        return x < 0 ? T(-1) : x;
    }
};

/// The four roundings to a whole number; an integer is one already.
#define FUSELINE_ROUNDING(Name, function) \
    struct Name {                         \
        template <Integer T>              \
        static T apply(T x) {             \
            return x;                     \
        }                                 \
        template <std::floating_point T>  \
        static T apply(T x) {             \
            return function(x);           \
        }                                 \
    };
FUSELINE_ROUNDING(Floor, std::floor)
FUSELINE_ROUNDING(Ceil, std::ceil)
FUSELINE_ROUNDING(Trunc, std::trunc)
/// Half to even: library code runs in the default rounding mode.
FUSELINE_ROUNDING(RoundEven, std::nearbyint)
FUSELINE_ROUNDING(Positive, +)
#undef FUSELINE_ROUNDING

/// A function of floats, computed in the wider type and rounded once.
template <auto F>
struct Rounded {
    template <std::floating_point T>
        requires std::invocable<decltype(F), Wider<T>>
    static T apply(T x) {
        return static_cast<T>(F(Wider<T>(x)));
    }
    template <std::floating_point T>
        requires std::invocable<decltype(F), Wider<T>, Wider<T>>
    static T apply(T x, T y) {
        return static_cast<T>(F(Wider<T>(x), Wider<T>(y)));
    }
};

/// A function of floats that C defines exactly: computed in the type itself. A test gives bool.
template <auto F>
struct Exact {
    template <std::floating_point... T>
        requires std::invocable<decltype(F), T...>
    static auto apply(T... x) {
        return F(x...);
    }
};

struct NextAfter {
    template <std::floating_point T>
    static T apply(T x, T y) {
        return std::nextafter(x, y);
    }
    /// One step in the 16 bits.
    template <HalfFloat T>
    static T apply_half(T x, T y) {
        constexpr uint16_t kSign = 0x8000;
        const float from = x.number();
        const float to = y.number();
        if (std::isnan(from) || std::isnan(to)) return {half_from_f64<typename T::Format>(NAN)};
        if (from == to) return y;
        if (from == 0) return {static_cast<uint16_t>(to < 0 ? kSign | 1 : 1)};
        const bool grows = (from < to) == (from > 0);
        return {static_cast<uint16_t>(x.bits + (grows ? 1 : -1))};
    }
};

struct LogGamma {
    template <std::floating_point T>
    static T apply(T x) {
        int sign = 0;  // lgamma itself writes a global variable
        if constexpr (std::same_as<T, float>) {
            return static_cast<float>(::lgamma_r(static_cast<double>(x), &sign));
        } else {
            return static_cast<T>(::lgammal_r(static_cast<long double>(x), &sign));
        }
    }
};

/// Toward zero, saturating; NaN gives 0.
template <Integer To, std::floating_point From>
To saturate(From x) {
    // 2^digits is the first value too large, and exact in every float type; MAX itself may not be.
    const From limit = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (std::isnan(x)) return 0;
    if (x >= limit) return std::numeric_limits<To>::max();
    if (x <= From(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return static_cast<To>(x);
}

template <class To, class From>
To convert(From x) {
    if constexpr (HalfFloat<From>) {
        return convert<To>(x.number());
    } else if constexpr (HalfFloat<To>) {
        if constexpr (Integer<From>) {
            return {half_from_f64<typename To::Format>(odd_double(x))};
        } else {
            return {half_from_f64<typename To::Format>(x)};
        }
    } else if constexpr (std::same_as<To, bool>) {
        return x != From{0};
    } else if constexpr (Integer<To> && std::floating_point<From>) {
        return saturate<To>(x);
    } else {
        return static_cast<To>(x);
    }
}

}  // namespace fuseline::reference
