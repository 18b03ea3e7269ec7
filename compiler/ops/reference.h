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
        case DType::f32_: return f.template operator()<float>();
        case DType::f64_: return f.template operator()<double>();
        default: throw InternalError("no reference arithmetic for this element type");
    }
}

/// An operation whose operands all have the operation's type; F::apply says which types it has.
template <class F>
Scalar of(DType operation, DType, const Scalar* x) {
    return with_type(operation, [&]<class T>() -> Scalar {
        if constexpr (requires(T v) { F::apply(v, v, v); }) {
            return to_scalar(F::apply(from_scalar<T>(x[0]), from_scalar<T>(x[1]), from_scalar<T>(x[2])));
        } else if constexpr (requires(T v) { F::apply(v, v); }) {
            return to_scalar(F::apply(from_scalar<T>(x[0]), from_scalar<T>(x[1])));
        } else if constexpr (requires(T v) { F::apply(v); }) {
            return to_scalar(F::apply(from_scalar<T>(x[0])));
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

}  // namespace fuseline::reference
