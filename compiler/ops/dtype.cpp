// Promotion, storage and text of element values.
#include "compiler/ops/dtype.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/ops/half.h"

namespace fuseline {
namespace {

/// bool < integer < float < complex: the higher kind decides.
int kind(DType d) {
    if (is_bool(d)) return 0;
    if (is_integer(d)) return 1;
    return is_float(d) ? 2 : 3;
}

bool is_signed(DType d) { return row(d).type_class == TypeClass::signed_integer; }

DType wider(DType a, DType b) { return row(a).bits >= row(b).bits ? a : b; }

std::optional<DType> promote_integers(DType a, DType b) {
    if (is_signed(a) == is_signed(b)) return wider(a, b);
    const DType with_sign = is_signed(a) ? a : b;
    const DType without = is_signed(a) ? b : a;
    if (row(with_sign).bits > row(without).bits) return with_sign;
    for (DType candidate : {DType::i16_, DType::i32_, DType::i64_}) {
        if (row(candidate).bits > row(without).bits) return candidate;
    }
    return std::nullopt;
}

DType promote_floats(DType a, DType b) {
    if (a != b && row(a).bits == 16 && row(b).bits == 16) return DType::f32_;
    return wider(a, b);
}

DType promote_complex(DType a, DType b) {
    const bool double_parts = a == DType::c128_ || b == DType::c128_ || a == DType::f64_ || b == DType::f64_;
    return double_parts ? DType::c128_ : DType::c64_;
}

}  // namespace

std::optional<DType> promote(DType a, DType b) {
    if (a == b) return a;
    if (kind(a) == kind(b)) {
        if (is_integer(a)) return promote_integers(a, b);
        return is_float(a) ? promote_floats(a, b) : promote_complex(a, b);
    }
    const DType higher = kind(a) > kind(b) ? a : b;
    const DType lower = kind(a) > kind(b) ? b : a;
    return is_complex(higher) && is_float(lower) ? promote_complex(higher, lower) : higher;
}

double scalar_to_f64(DType dtype, Scalar value) {
    switch (dtype) {
        case DType::f64_: return value.as_f64();
        case DType::f32_: return value.as_f32();
        case DType::f16_: return half_to_f64<F16Format>(static_cast<uint16_t>(value.bits));
        case DType::bf16_: return half_to_f64<Bf16Format>(static_cast<uint16_t>(value.bits));
        default: break;
    }
    return is_signed(dtype) ? static_cast<double>(value.as_i64()) : static_cast<double>(value.bits);
}

namespace {

Scalar saturated(DType dtype, double value) {
    const int digits = row(dtype).bits - (is_signed(dtype) ? 1 : 0);
    const double limit = std::ldexp(1.0, digits);
    const uint64_t largest = ~uint64_t{0} >> (64 - digits);
    if (std::isnan(value)) return {0};
    if (value >= limit) return {largest};
    if (!is_signed(dtype)) return {value <= 0 ? 0 : static_cast<uint64_t>(value)};
    return value <= -limit ? Scalar{~largest} : Scalar::of_i64(static_cast<int64_t>(value));
}

}  // namespace

Scalar scalar_from_f64(DType dtype, double value) {
    switch (dtype) {
        case DType::bool_: return Scalar::of_bool(value != 0);
        case DType::f64_: return Scalar::of_f64(value);
        case DType::f32_: return Scalar::of_f32(static_cast<float>(value));
        case DType::f16_: return {half_from_f64<F16Format>(value)};
        case DType::bf16_: return {half_from_f64<Bf16Format>(value)};
        default: return saturated(dtype, value);
    }
}

Scalar load_scalar(DType dtype, const void* from) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, static_cast<size_t>(byte_size(dtype) < 8 ? byte_size(dtype) : 8));
    if (is_bool(dtype)) return Scalar::of_bool(bits != 0);
    if (is_signed(dtype)) {
        const int unused = 64 - row(dtype).bits;
        return Scalar::of_i64(static_cast<int64_t>(bits << unused) >> unused);
    }
    return {bits};
}

void store_scalar(DType dtype, Scalar value, void* to) {
    if (is_bool(dtype)) value = Scalar::of_bool(value.as_bool());
    std::memcpy(to, &value.bits, static_cast<size_t>(byte_size(dtype) < 8 ? byte_size(dtype) : 8));
}

}  // namespace fuseline
