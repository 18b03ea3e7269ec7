// A kernel's CUDA source as PTX and SASS, for a GPU that may be newer than NVRTC or not there at all.
#pragma once

#include <string>
#include <string_view>

#include "runtime/cuda/nvrtc.h"

namespace fuseline {

/// What a compiler makes for a GPU: code for its own architecture, else PTX of the newest older one.
struct CudaArchitecture {
    std::string name;  ///< "sm_90"
    bool own = true;
};
/// `arch` is the GPU's, "sm_90". Throws ToolchainError where the compiler knows only newer ones.
CudaArchitecture architecture_for(const CudaCompiler& compiler, const std::string& arch);

/// The kernel `symbol` in a stage's text: "cuda" (the source itself), "ptx" or "sass", for a GPU of
/// architecture `arch`. Throws UserError for another stage, ToolchainError where NVRTC or nvdisasm is missing
/// or fails.
std::string cuda_stage_text(const CudaCompiler& compiler, const std::string& source,
                            const std::string& symbol, const std::string& arch, std::string_view stage);

/// A cubin as SASS text by the toolkit's nvdisasm, on the PATH or in /usr/local/cuda/bin. Throws
/// ToolchainError where that program is not there or fails, then with its words as the log.
std::string disassemble(const std::string& cubin);

}  // namespace fuseline
