// OpenBLAS, opened at the first product of matrices.
#pragma once

#include "runtime/cpu/parallel_for.h"
#include "runtime/device/device.h"

namespace fuseline {

/// Whether the process can open an OpenBLAS; remembered.
bool blas_available();

/// Computes products of f32 or f64. A few large ones use the library's own threads, many small ones the
/// workers. Thread-safe. Throws UserError for a matrix of 2^31 or more rows or columns.
void blas_matmul(const MatmulCall& call, ParallelFor& workers);

}  // namespace fuseline
