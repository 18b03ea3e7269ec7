// Which products of matrices a library computes.
#pragma once

#include "compiler/ops/dtype.h"
#include "compiler/support/target.h"

namespace fuseline {

/// BLAS and cuBLASLt know floats only; the interpreter multiplies everything itself.
bool library_multiplies(const Target& target, DType dtype);

}  // namespace fuseline
