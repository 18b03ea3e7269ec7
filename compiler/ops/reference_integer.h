// The meaning of integer and bool operators on one element, written once for every width.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace fuseline::reference {

/// bool is no integer here: its rows are the logical ones.
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

/// Unsigned type in which arithmetic wraps: never narrower than 32 bits, so that nothing is promoted to int.
template <Integer T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

template <Integer T>
constexpr bool is_minus_one(T x) {
    return std::is_signed_v<T> && x == static_cast<T>(-1);
}

struct Add {
    template <Integer T>
    static T apply(T x, T y) {
        return static_cast<T>(Wrapping<T>(x) + Wrapping<T>(y));
    }
    template <std::floating_point T>
    static T apply(T x, T y) {
        return x + y;
    }
};

struct Sub {
    template <Integer T>
    static T apply(T x, T y) {
        return static_cast<T>(Wrapping<T>(x) - Wrapping<T>(y));
    }
    template <std::floating_point T>
    static T apply(T x, T y) {
        return x - y;
    }
};

struct Mul {
    template <Integer T>
    static T apply(T x, T y) {
        return static_cast<T>(Wrapping<T>(x) * Wrapping<T>(y));
    }
    template <std::floating_point T>
    static T apply(T x, T y) {
        return x * y;
    }
};

struct Neg {
    template <Integer T>
    static T apply(T x) {
        return Sub::apply(T{0}, x);
    }
    template <std::floating_point T>
    static T apply(T x) {
        return -x;
    }
};

/// Floor division; by zero 0; MIN // -1 wraps to MIN.
template <Integer T>
T floor_divide(T x, T y) {
    if (y == 0) return 0;
    if (is_minus_one(y)) return Neg::apply(x);
    T quotient = static_cast<T>(x / y);
    bool toward_zero = static_cast<T>(x % y) != 0 && ((x < 0) != (y < 0));
    return static_cast<T>(quotient - (toward_zero ? 1 : 0));
}

/// Remainder with the divisor's sign; by zero 0.
template <Integer T>
T floor_remainder(T x, T y) {
    if (y == 0 || is_minus_one(y)) return 0;
    T remainder = static_cast<T>(x % y);
    return remainder != 0 && ((remainder < 0) != (y < 0)) ? static_cast<T>(remainder + y) : remainder;
}

/// Wraps; a negative exponent gives 0 unless the base is 1 or -1; 0 ** 0 is 1.
template <Integer T>
T integer_power(T base, T exponent) {
    if (exponent < 0) {
        if (base == 1) return 1;
        if (is_minus_one(base)) return exponent % 2 == 0 ? T{1} : base;
        return 0;
    }
    T result = 1;
    for (T square = base; exponent != 0; exponent = static_cast<T>(exponent / 2)) {
        if (exponent % 2 != 0) result = Mul::apply(result, square);
        square = Mul::apply(square, square);
    }
    return result;
}

template <Integer T>
constexpr bool count_in_range(T count) {
    return count >= 0 && static_cast<std::make_unsigned_t<T>>(count) < sizeof(T) * 8;
}

struct ShiftLeft {
    template <Integer T>
    static T apply(T x, T count) {
        return count_in_range(count) ? static_cast<T>(Wrapping<T>(x) << count) : T{0};
    }
};

struct ShiftRight {
    template <Integer T>
    static T apply(T x, T count) {
        if (count_in_range(count)) return static_cast<T>(x >> count);
        return x < 0 ? static_cast<T>(-1) : T{0};
    }
};

struct BitAnd {
    template <std::integral T>
    static T apply(T x, T y) {
        return static_cast<T>(x & y);
    }
};

struct BitOr {
    template <std::integral T>
    static T apply(T x, T y) {
        return static_cast<T>(x | y);
    }
};

struct BitXor {
    template <std::integral T>
    static T apply(T x, T y) {
        return static_cast<T>(x ^ y);
    }
};

struct PopulationCount {
    template <Integer T>
    static T apply(T x) {
        return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(x)));
    }
};

struct LeadingZeros {
    template <Integer T>
    static T apply(T x) {
        return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(x)));
    }
};

struct LogicalAnd {
    template <std::same_as<bool> T>
    static bool apply(T x, T y) {
        return x && y;
    }
};

struct LogicalOr {
    template <std::same_as<bool> T>
    static bool apply(T x, T y) {
        return x || y;
    }
};

struct LogicalNot {
    template <std::same_as<bool> T>
    static bool apply(T x) {
        return !x;
    }
};

struct Less {
    template <class T>
    static bool apply(T x, T y) {
        return x < y;
    }
};

struct LessEqual {
    template <class T>
    static bool apply(T x, T y) {
        return x <= y;
    }
};

struct Greater {
    template <class T>
    static bool apply(T x, T y) {
        return x > y;
    }
};

struct GreaterEqual {
    template <class T>
    static bool apply(T x, T y) {
        return x >= y;
    }
};

struct Equal {
    template <class T>
    static bool apply(T x, T y) {
        return x == y;
    }
};

struct NotEqual {
    template <class T>
    static bool apply(T x, T y) {
        return x != y;
    }
};

}  // namespace fuseline::reference
