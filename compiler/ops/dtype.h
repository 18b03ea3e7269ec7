// Element types, from dtype_table.def, and the value of one element.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fuseline/dtype.h"

namespace fuseline {

enum class TypeClass : uint8_t { boolean, signed_integer, unsigned_integer, floating, complex };

struct DTypeRow {
    DType dtype;
    std::string_view name;  ///< the language's spelling, "f32"
    TypeClass type_class;
    int bits;                       ///< of storage
    std::string_view cuda_storage;  ///< CUDA C++ type in memory
    std::string_view cuda;          ///< CUDA C++ type of a value: float for the 16-bit floats
    std::string_view llvm_storage;  ///< LLVM type in memory
    std::string_view llvm_compute;  ///< LLVM type of a value
    std::string_view npy;           ///< NumPy descr
    bool built;                     ///< false: the checker answers "not yet"
};

inline constexpr DTypeRow kDTypeTable[] = {
#define DTYPE(name, cls, bits, cpp, cuda_storage, cuda, llvm_storage, llvm_compute, npy, built) \
    {DType::name##_, #name,        TypeClass::cls, bits, cuda_storage,                          \
     cuda,           llvm_storage, llvm_compute,   npy,  built != 0},
#include "compiler/ops/dtype_table.def"
#undef DTYPE
};
inline constexpr size_t kDTypeCount = sizeof(kDTypeTable) / sizeof(kDTypeTable[0]);

static_assert(
    [] {
        for (size_t i = 0; i < kDTypeCount; ++i) {
            if (kDTypeTable[i].dtype != static_cast<DType>(i)) return false;
        }
        return true;
    }(),
    "fuseline/dtype.h lists the types in the table's order");

constexpr const DTypeRow& row(DType dtype) { return kDTypeTable[static_cast<size_t>(dtype)]; }
constexpr std::string_view name(DType dtype) { return row(dtype).name; }
constexpr int byte_size(DType dtype) { return row(dtype).bits / 8; }
constexpr bool is_bool(DType d) { return row(d).type_class == TypeClass::boolean; }
constexpr bool is_float(DType d) { return row(d).type_class == TypeClass::floating; }
constexpr bool is_complex(DType d) { return row(d).type_class == TypeClass::complex; }
constexpr bool is_integer(DType d) {
    return row(d).type_class == TypeClass::signed_integer || row(d).type_class == TypeClass::unsigned_integer;
}

/// f16 and bf16: 16 bits in memory, computed in f32, every result rounded to the type.
constexpr bool is_half(DType d) { return d == DType::f16_ || d == DType::bf16_; }

/// The type in which values of a type are computed: f32 for the 16-bit floats, else itself.
constexpr DType computed_type(DType d) { return is_half(d) ? DType::f32_ : d; }

constexpr std::optional<DType> dtype_named(std::string_view text) {
    for (const DTypeRow& r : kDTypeTable) {
        if (r.name == text) return r.dtype;
    }
    return std::nullopt;
}

/// The smallest type that holds both operands by the promotion rule of the language; nullopt where it asks
/// for a cast (u64 with a signed type).
std::optional<DType> promote(DType a, DType b);

/// The value of one element, as bits: bool 0/1, integers sign- or zero-extended to 64 bits, f32 in the low
/// half, f64 whole, f16/bf16 as their 16 bits.
struct Scalar {
    uint64_t bits = 0;

    static Scalar of_bool(bool v) { return {v ? 1u : 0u}; }
    static Scalar of_i64(int64_t v) { return {static_cast<uint64_t>(v)}; }
    static Scalar of_f32(float v) { return {std::bit_cast<uint32_t>(v)}; }
    static Scalar of_f64(double v) { return {std::bit_cast<uint64_t>(v)}; }
    bool as_bool() const { return bits != 0; }
    int64_t as_i64() const { return static_cast<int64_t>(bits); }
    float as_f32() const { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
    double as_f64() const { return std::bit_cast<double>(bits); }
    auto operator<=>(const Scalar&) const = default;
};

/// A bool, integer or float as f64; integers past 2^53 are rounded.
double scalar_to_f64(DType dtype, Scalar value);
/// f64 as a cast of the language makes it: rounded once to a float type, toward zero and saturating to an
/// integer, `!= 0` to bool. Not for complex types.
Scalar scalar_from_f64(DType dtype, double value);

/// Reads / writes one element in its storage format (little endian, `byte_size` bytes).
Scalar load_scalar(DType dtype, const void* from);
void store_scalar(DType dtype, Scalar value, void* to);

/// Shortest text that reads back to the same value, in the language's spelling ("1.5", "-0.0", "inf", "nan",
/// "true").
std::string scalar_text(DType dtype, Scalar value);
/// Reads what scalar_text prints; nullopt when the text is not a value of the type.
std::optional<Scalar> parse_scalar(DType dtype, std::string_view text);

}  // namespace fuseline
