// Names and types of the functions of llvm_prelude.ll and of SLEEF, and their text for the vectors that one
// kernel uses. Cells "fl.name" and "sleef.name" are called alike, by llvm_prelude_name.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>

#include "compiler/ops/op_table.h"
#include "compiler/support/target.h"

namespace fuseline {

/// One function for one vector type: `lanes` values, a power of two, 1 for a scalar.
struct PreludeInstance {
    std::string block;  ///< the cell: "fl.floordiv", "sleef.exp_u10"
    DType operation{};
    DType result{};
    int lanes = 1;
    auto operator<=>(const PreludeInstance&) const = default;
};

/// Type of a value in registers: "<8 x float>", or "float" for one lane; bools are "<8 x i1>".
std::string llvm_type(DType dtype, int lanes);
/// The same as intrinsics spell it in their names: "v8f32", "f32", "v8i1".
std::string llvm_suffix(DType dtype, int lanes);
/// Bits of one value in registers: 1 for bool, 32 for the 16-bit floats.
int llvm_value_bits(DType dtype);
/// A constant of type llvm_type: `element` is a literal of one lane, "0x7FF0000000000000" or "-1".
std::string llvm_constant(DType dtype, int lanes, std::string_view element);

/// Symbol of an instance: "fl.floordiv.v8i64"; casts are named after both types, "fl.to_signed.v8i64.v8f32".
std::string llvm_prelude_name(const PreludeInstance& instance);

/// Definitions of all instances and of what they call, each once, and declarations of SLEEF's symbols. A
/// vector of SLEEF's that is wider than the target's registers is computed in parts, a narrow one in a wider
/// one. Throws InternalError for a block that the prelude does not have.
std::string llvm_prelude_text(std::string_view prelude_text, const std::set<PreludeInstance>& instances,
                              const Target& target);

}  // namespace fuseline
