// NVRTC, opened at run time: CUDA C++ text to PTX or cubin. Needs no GPU.
#pragma once

#include <string>
#include <vector>

namespace fuseline {

enum class CudaOutput { ptx, cubin };

/// "13.0". Throws ToolchainError, with the fix, when the library or its builtins are missing.
std::string nvrtc_version();
/// Compute capabilities that it compiles for, ascending: 75, 80, .., 90.
std::vector<int> nvrtc_architectures();

struct CudaImage {
    std::string bytes;  ///< PTX text or a cubin
    std::string log;    ///< warnings; ptxas's registers and spills with `verbose`
};
/// Compiles one source text for "sm_90" (cubin) or its virtual architecture (PTX), with --fmad=false. `name`
/// stands in messages. Throws ToolchainError with the log and the numbered source when NVRTC refuses it.
CudaImage nvrtc_compile(const std::string& source, const std::string& name, const std::string& arch,
                        CudaOutput output, bool verbose = false);

/// What a CUDA device compiles with: NVRTC, or a fake in tests.
struct CudaCompiler {
    std::string (*version)();
    std::vector<int> (*architectures)();
    CudaImage (*compile)(const std::string& source, const std::string& name, const std::string& arch,
                         CudaOutput output, bool verbose);
};
inline constexpr CudaCompiler kNvrtc{nvrtc_version, nvrtc_architectures, nvrtc_compile};

}  // namespace fuseline
