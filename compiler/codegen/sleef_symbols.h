// Symbols of SLEEF's deterministic functions: the same bits for scalars and for vectors of every width.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ops/dtype.h"

namespace fuseline {

/// Symbol of the function that an LLVM cell "sleef.exp_u10" names, for vectors of `vector_bits` bits, or for
/// one value when that is 0. `fma`: the processor has FMA and AVX2; other machines use SLEEF's variants
/// without, whose bits differ from those with.
///
///     sleef_symbol("sleef.exp_u10", DType::f32_, 512, true)   "Sleef_finz_expf16_u10avx512f"
///     sleef_symbol("sleef.exp_u10", DType::f64_, 0, false)    "Sleef_cinz_expd1_u10purec"
///
/// The signature follows from the name: as many operands as the row has, and the result, all of that vector
/// type. Throws InternalError for a cell that is not SLEEF's, another element type or another width.
std::string sleef_symbol(std::string_view cell, DType dtype, int vector_bits, bool fma);

}  // namespace fuseline
