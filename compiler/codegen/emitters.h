// Kernels as text for the two compilers, and the launch geometry that the CUDA text expects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/source.h"
#include "compiler/support/target.h"

namespace fuseline {

/// CUDA C++ of one kernel: includes nothing, `extern "C" __global__ void <symbol>(...)`, helper functions
/// that it uses, names of the program on locals, `// file:line` comments when `sources` is given. Parameters:
/// read buffers, write buffers, scalars, sizes (long long), then the workspace where takes_workspace.
std::string emit_cuda(const ir::Function& kernel, const std::string& symbol, const SourceMap* sources);

/// Blocks and threads for given sizes (in Function::sizes order). grid is 0 blocks where the nest is empty:
/// do not launch.
struct CudaGeometry {
    uint32_t grid[3] = {1, 1, 1};
    uint32_t block[3] = {1, 1, 1};
    uint32_t shared_bytes = 0;
    /// The kernel has a workspace (`unsigned char*`, aligned to 16 bytes) as its last parameter.
    bool takes_workspace = false;
    /// Bytes that the launch needs of it, null where none. The first `ticket_bytes` are zero before the
    /// launch and after it; launches that may run at the same time have workspaces of their own.
    size_t workspace_bytes = 0;
    size_t ticket_bytes = 0;
};
CudaGeometry cuda_geometry(const ir::Function& kernel, const std::vector<int64_t>& sizes);

/// Textual LLVM IR of one kernel for a CPU target:
/// `void <symbol>(ptr buffers, ptr scalars, ptr sizes, i64 begin, i64 end)`: buffers an array of pointers in
/// parameter order, scalars an array of 64-bit slots (Scalar bits), sizes i64; [begin, end) of the outermost
/// grid axis. Kernels with folds have a sixth operand, `ptr parts`: see CpuParts.
std::string emit_llvm(const ir::Function& kernel, const std::string& symbol, const Target& target);

/// The operand `parts` of a kernel with folds: these i64 words, then for each part of each fold's state the
/// address of an array [chunk][output] or null. Where there is one, its fold takes the states of chunks from
/// it; the fold whose number is `kFold` computes the chunks from `kFirstChunk` to before `kLastChunk` into
/// its arrays for all outputs, and what comes after it is left out.
struct CpuParts {
    static constexpr int kFold = 0;  ///< -1: none, all that is not there is computed
    static constexpr int kFirstChunk = 1;
    static constexpr int kLastChunk = 2;
    static constexpr int kArrays = 3;
};

/// Trip counts of a launch, for the CPU's parallel_for.
struct CpuRange {
    int64_t extent = 0;         ///< of the outermost grid axis
    int64_t work_per_step = 1;  ///< elements of the nest per step of it
    /// A fold, a hold or an inner nest.
    struct Loop {
        int64_t elements = 0;
        int64_t chunks = 0;  ///< that calls may share; 1 where what is held stays in one call
        size_t parts = 0;    ///< of a fold's state
        bool fold = false;
    };
    std::vector<Loop> loops;
};
CpuRange cpu_range(const ir::Function& kernel, const std::vector<int64_t>& sizes);

/// Neighbouring steps of the outermost axis that share vectors; begins of a launch's pieces are multiples.
int64_t cpu_steps_together(const ir::Function& kernel, const Target& target);

}  // namespace fuseline
