// Reference functions as the table holds them: `reference::of<Add>` takes and gives Scalars of any type the
// row allows.
#pragma once

#include "compiler/ops/op_table.h"
#include "compiler/ops/reference_float.h"
#include "compiler/support/errors.h"

namespace fuseline::reference {

template <class T>
T from_scalar(Scalar s) {
    if constexpr (std::same_as<T, float>) {
        return s.as_f32();
    } else if constexpr (std::same_as<T, double>) {
        return s.as_f64();
    } else if constexpr (HalfFloat<T>) {
        return {static_cast<uint16_t>(s.bits)};
    } else if constexpr (std::same_as<T, bool>) {
        return s.as_bool();
    } else {
        return static_cast<T>(s.bits);
    }
}

template <class T>
Scalar to_scalar(T value) {
    if constexpr (std::same_as<T, float>) {
        return Scalar::of_f32(value);
    } else if constexpr (std::same_as<T, double>) {
        return Scalar::of_f64(value);
    } else if constexpr (HalfFloat<T>) {
        return Scalar{value.bits};
    } else if constexpr (std::same_as<T, bool>) {
        return Scalar::of_bool(value);
    } else if constexpr (std::is_signed_v<T>) {
        return Scalar::of_i64(value);
    } else {
        return Scalar{value};
    }
}

/// Calls f.operator()<T>() with the C++ type of a value of `dtype`.
template <class F>
Scalar with_type(DType dtype, F&& f) {
    switch (dtype) {
        case DType::bool_: return f.template operator()<bool>();
        case DType::i8_: return f.template operator()<int8_t>();
        case DType::i16_: return f.template operator()<int16_t>();
        case DType::i32_: return f.template operator()<int32_t>();
        case DType::i64_: return f.template operator()<int64_t>();
        case DType::u8_: return f.template operator()<uint8_t>();
        case DType::u16_: return f.template operator()<uint16_t>();
        case DType::u32_: return f.template operator()<uint32_t>();
        case DType::u64_: return f.template operator()<uint64_t>();
        case DType::f16_: return f.template operator()<Half<F16Format>>();
        case DType::bf16_: return f.template operator()<Half<Bf16Format>>();
        case DType::f32_: return f.template operator()<float>();
        case DType::f64_: return f.template operator()<double>();
        default: throw InternalError("no reference arithmetic for this element type");
    }
}

template <class F, class T>
concept Applies = requires(T v) { F::apply(v); } || requires(T v) { F::apply(v, v); } ||
                  requires(T v) { F::apply(v, v, v); };

/// Operands that F takes; one that takes one or two takes two.
template <class F, class T>
consteval size_t arity() {
    if (requires(T v) { F::apply(v, v, v); }) return 3;
    return requires(T v) { F::apply(v, v); } ? 2 : 1;
}

/// F on operands of type T; F::apply says which types it has.
template <class F, class T>
auto applied(const T* x) {
    if constexpr (requires(T v) { F::apply(v, v, v); }) {
        return F::apply(x[0], x[1], x[2]);
    } else if constexpr (requires(T v) { F::apply(v, v); }) {
        return F::apply(x[0], x[1]);
    } else {
        return F::apply(x[0]);
    }
}

/// In f32, a number rounded once.
template <class F, HalfFloat T>
Scalar of_halves(const T (&x)[3]) {
    if constexpr (requires(T v) { F::apply_half(v, v); }) {
        return to_scalar(F::apply_half(x[0], x[1]));
    } else {
        const float numbers[] = {x[0].number(), x[1].number(), x[2].number()};
        const auto result = applied<F, float>(numbers);
        if constexpr (std::same_as<decltype(result), const bool>) {
            return to_scalar<bool>(result);
        } else {
            return to_scalar(convert<T>(result));
        }
    }
}

/// An operation whose operands all have the operation's type.
template <class F>
Scalar of(DType operation, DType, const Scalar* x) {
    return with_type(operation, [&]<class T>() -> Scalar {
        constexpr bool kHalf = HalfFloat<T>;
        if constexpr (Applies<F, std::conditional_t<kHalf, float, T>>) {
            constexpr size_t kCount = arity<F, std::conditional_t<kHalf, float, T>>();
            T operands[3] = {};
            for (size_t k = 0; k < kCount; ++k) operands[k] = from_scalar<T>(x[k]);
            if constexpr (kHalf) {
                return of_halves<F>(operands);
            } else {
                return to_scalar<decltype(applied<F, T>(operands))>(applied<F, T>(operands));
            }
        } else {
            throw InternalError("an operation on a type that its row does not have");
        }
    });
}

/// As the table writes functions of floats: `reference::function<[](auto x) { return std::exp(x); }>`.
template <auto F>
inline constexpr Reference function = of<Rounded<F>>;
template <auto F>
inline constexpr Reference exact = of<Exact<F>>;

/// where(c, x, y): the bits of the chosen operand.
inline Scalar select(DType, DType, const Scalar* x) { return x[0].as_bool() ? x[1] : x[2]; }

/// A cast: `operation` is the operand's type.
inline Scalar cast(DType operation, DType result, const Scalar* x) {
    return with_type(operation, [&]<class From>() -> Scalar {
        const From value = from_scalar<From>(x[0]);
        return with_type(result, [&]<class To>() -> Scalar { return to_scalar(convert<To>(value)); });
    });
}

/// The bits of a number as another type of the same width; of a NaN the canonical quiet one's.
inline Scalar bitcast(DType operation, DType result, const Scalar* x) {
    Scalar value = x[0];
    if (is_float(operation) && std::isnan(scalar_to_f64(operation, value)))
        value = scalar_from_f64(operation, std::numeric_limits<double>::quiet_NaN());
    uint64_t stored = 0;
    store_scalar(operation, value, &stored);
    return load_scalar(result, &stored);
}

}  // namespace fuseline::reference
