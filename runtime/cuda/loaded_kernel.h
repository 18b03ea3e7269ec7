// A cubin or PTX loaded into the driver, and the kernel in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/cuda/gpu_state.h"

namespace fuseline::cuda {

class LoadedKernel {
public:
    /// Loads as a library where the driver has them (15 us), else as a module (120 us). The context must be
    /// current. `symbol` is the kernel's; `origin` says what the image is, for messages. Throws
    /// ToolchainError, with the log of the driver's compiler where the image is PTX.
    LoadedKernel(std::shared_ptr<GpuState> gpu, const std::string& image, bool is_ptx,
                 const std::string& symbol, const std::string& origin);
    ~LoadedKernel();
    LoadedKernel(const LoadedKernel&) = delete;
    LoadedKernel& operator=(const LoadedKernel&) = delete;

    /// What cuLaunchKernel takes.
    FunctionHandle function() const { return function_; }
    /// Lets the kernel have so much dynamic shared memory, which the driver limits to 48 KiB otherwise.
    Result allow_shared(uint32_t bytes) const;

private:
    std::shared_ptr<GpuState> gpu_;
    OwnedLibrary library_;
    OwnedModule module_;
    KernelHandle kernel_ = nullptr;  ///< null: loaded as a module
    FunctionHandle function_ = nullptr;
};

}  // namespace fuseline::cuda
