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
    /// Bytes of one row that a kernel keeps near the processor, so that the row is read once.
    int64_t row_bytes = 256 << 10;
    /// Whether what several phases of a row read is kept too; else a cache does it.
    bool holds_loads = false;
    /// Rows of more than `long_row` elements are shared by many workers, in kernels of their own, where there
    /// are fewer than `few_rows`.
    int64_t few_rows = 0, long_row = 16'384;
    /// Rows of fewer elements than this cost more one by one than many at a time.
    int64_t short_row = 0;
    /// Whether a library multiplies matrices of floats; else kernels do.
    bool matmul_library = true;
    /// False: each step of the graph is a kernel of its own, for comparison and tests; views stay free.
    bool fuse = true;
};

/// A GPU of an architecture ("sm_90"), with what its blocks have on chip.
Target cuda_target(const std::string& arch, int parameter_bytes = 4096);

}  // namespace fuseline
