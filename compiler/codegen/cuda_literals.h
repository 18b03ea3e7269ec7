// Constants as C++ literals that read back to the same bits.
#pragma once

#include "compiler/ops/op_table.h"

namespace fuseline {

/// A literal of the CUDA type of `dtype`, whatever the locale.
///
/// Floats: a decimal that *is* the value ("0.5f", "100.0"), with nothing left to rounding; every other finite
/// value in hexadecimal with its shortest decimal beside it ("0x1.99999ap-4f /* 0.1 */"); infinities and NaN
/// by their bits.
CudaText cuda_literal(DType dtype, Scalar value);

}  // namespace fuseline
