// Kernels as text for the two compilers, and the launch geometry that the CUDA text expects.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/source.h"
#include "compiler/support/target.h"

namespace fuseline {

/// CUDA C++ of one kernel: includes nothing, `extern "C" __global__ void <symbol>(...)`, helper functions
/// that it uses, names of the program on locals, `// file:line` comments when `sources` is given. Parameters:
/// read buffers, write buffers, scalars, sizes (long long).
std::string emit_cuda(const ir::Function& kernel, const std::string& symbol, const SourceMap* sources);

/// Blocks and threads for given sizes (in Function::sizes order). grid is 0 blocks where the nest is empty:
/// do not launch.
struct CudaGeometry {
    uint32_t grid[3] = {1, 1, 1};
    uint32_t block[3] = {1, 1, 1};
    uint32_t shared_bytes = 0;
};
CudaGeometry cuda_geometry(const ir::Function& kernel, const std::vector<int64_t>& sizes);

/// Textual LLVM IR of one kernel for a CPU target:
/// `void <symbol>(ptr buffers, ptr scalars, ptr sizes, i64 begin, i64 end)`: buffers an array of pointers in
/// parameter order, scalars an array of 64-bit slots (Scalar bits), sizes i64; [begin, end) of the outermost
/// grid axis.
std::string emit_llvm(const ir::Function& kernel, const std::string& symbol, const Target& target);

/// Trip count of the outermost grid axis and elements of work per step of it, for the CPU's parallel_for.
struct CpuRange {
    int64_t extent = 0;
    int64_t work_per_step = 1;
};
CpuRange cpu_range(const ir::Function& kernel, const std::vector<int64_t>& sizes);

}  // namespace fuseline
