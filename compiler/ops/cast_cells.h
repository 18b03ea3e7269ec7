// How each back end spells a cast or a bitcast, by the pair of types.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/ops/op_table.h"

namespace fuseline {

/// CUDA cell of `to(x)` for x of type `from`, in the grammar of OpRow::cuda. A cast to a 16-bit float gives
/// an f32 that rounds to the right one.
std::string_view cuda_cast_cell(DType from, DType to);
/// The same of `bitcast(x, to)`, for types of one width.
std::string_view cuda_bitcast_cell(DType from, DType to);

/// LLVM steps of `to(x)` for x of type `from`; without the rounding to a 16-bit float. Cells:
///
///     "copy"                                                    the value itself
///     "zext" "sext" "trunc" "uitofp" "sitofp" "fpext" "fptrunc"  %r = sitofp <8 x i64> %a to <8 x float>
///     "icmp ne zero" "fcmp une zero"                             %r = icmp ne <8 x i64> %a, zeroinitializer
///     "bitcast"                                                  %r = bitcast <8 x i32> %a to <8 x float>
///     "fl.to_signed" "fl.to_unsigned" ...                        a block of llvm_prelude.ll, named after
///     both types
std::vector<LlvmStep> llvm_cast_steps(DType from, DType to);
std::vector<LlvmStep> llvm_bitcast_steps(DType from, DType to);

}  // namespace fuseline
