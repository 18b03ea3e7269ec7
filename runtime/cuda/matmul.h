// Products of matrices on a GPU, by cuBLASLt.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "runtime/cuda/cublas.h"
#include "runtime/cuda/gpu_state.h"
#include "runtime/device/device.h"

namespace fuseline::cuda {

/// The library's state for one GPU. Thread-safe. How a product of some shape is computed is chosen once.
class Matmul {
public:
    /// The GPU's context must be current here, at each call, and when this is destroyed.
    Matmul(std::shared_ptr<GpuState> gpu, const CublasTable& table);
    ~Matmul();
    Matmul(const Matmul&) = delete;
    Matmul& operator=(const Matmul&) = delete;

    /// Enqueues a call with extents of at least 1 and gives the scratch memory that it uses: null, or to be
    /// kept until the own stream is behind `stream`. Throws ToolchainError where the library knows no way.
    std::shared_ptr<Allocation> run(const MatmulCall& call, StreamHandle stream);

private:
    struct Plan;
    /// Everything of a call but its pointers, and their alignments.
    using Key = std::vector<int64_t>;
    Key key_of(const MatmulCall& call) const;
    std::shared_ptr<const Plan> plan(const MatmulCall& call);

    std::shared_ptr<GpuState> gpu_;
    const CublasTable& table_;
    CublasHandle handle_ = nullptr;
    std::mutex mutex_;
    std::map<Key, std::shared_ptr<const Plan>> plans_;
};

}  // namespace fuseline::cuda
