// What a program is compiled for.
#pragma once

#include <cstdint>
#include <string>

namespace fuseline {

enum class TargetKind : uint8_t { interpreter, cpu, cuda };

/// Back end, architecture and the limits that schedules and emitters ask for.
struct Target {
    TargetKind kind = TargetKind::cpu;
    /// CUDA: "sm_90"; CPU: LLVM's name of the processor ("znver4").
    std::string arch;
    /// CPU: vector register width in bits (128, 256 or 512).
    int vector_bits = 256;
    /// CPU: whether SLEEF's FMA variants may be called.
    bool fma = true;
    /// CUDA: bytes of kernel parameters that the driver accepts (4096, or 32764 from driver 530 on).
    int parameter_bytes = 4096;
    /// Whether a library multiplies matrices of floats; else kernels do.
    bool matmul_library = true;
};

}  // namespace fuseline
