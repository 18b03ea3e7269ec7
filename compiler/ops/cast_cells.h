// How each back end spells a cast, by the pair of types.
#pragma once

#include <string_view>

#include "compiler/ops/dtype.h"

namespace fuseline {

/// CUDA cell of `to(x)` for x of type `from`, in the grammar of OpRow::cuda.
std::string_view cuda_cast_cell(DType from, DType to);

/// LLVM cell of `to(x)` for x of type `from`:
///
///     "copy"                                                    the value itself
///     "zext" "sext" "trunc" "uitofp" "sitofp" "fpext" "fptrunc"  %r = sitofp <8 x i64> %a to <8 x float>
///     "icmp ne zero" "fcmp une zero"                             %r = icmp ne <8 x i64> %a, zeroinitializer
///     "fl.to_signed" "fl.to_unsigned"                            a block of llvm_prelude.ll, named after
///     both types
std::string_view llvm_cast_cell(DType from, DType to);

}  // namespace fuseline
