// What the session asks of a device: memory, building a kernel, launching it. One implementation each for CPU
// and CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/errors.h"
#include "compiler/support/source.h"
#include "compiler/support/target.h"

namespace fuseline {

/// Device memory; freed when the last owner lets go (stream-ordered on CUDA).
class Allocation {
public:
    virtual ~Allocation() = default;
    void* pointer =
        nullptr;  ///< a CUDA device address is carried as a pointer; never dereferenced on the host
    size_t bytes = 0;
};

/// A kernel compiled and loaded for one device.
class Executable {
public:
    virtual ~Executable() = default;
    std::string symbol;
    std::string source;     ///< the CUDA C++ or LLVM IR that was compiled
    double compile_ms = 0;  ///< emit, compile and load
};

/// Operands of one launch, in the order of the kernel's parameters.
struct LaunchArguments {
    std::vector<void*> buffers;
    std::vector<Scalar> scalars;
    std::vector<int64_t> sizes;
};

/// `batch` products of matrices, c = a b: a is [m, k], b [k, n] and c [m, n], each in row-major order without
/// gaps. A transposed operand is stored as [k, m] or [n, k].
struct MatmulCall {
    DType dtype = DType::f32_;
    int64_t m = 0, n = 0, k = 0, batch = 1;
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    bool transpose_a = false, transpose_b = false;
    /// Elements from one matrix to the next; 0 where one matrix serves all products.
    int64_t stride_a = 0, stride_b = 0, stride_c = 0;
    bool tf32 = false;  ///< f32 may use the tensor cores' shorter mantissa
};

/// The caller's CUDA stream as an opaque CUstream; null is the session's own stream. Ignored by the CPU.
using Stream = void*;

/// Thread-safe. Throws ToolchainError when a compiler, library or driver is missing or fails, with the fix in
/// words.
class Device {
public:
    virtual ~Device() = default;
    virtual const Target& target() const = 0;
    /// "cpu" or "cuda:0".
    virtual std::string name() const = 0;
    /// "NVIDIA H200 (sm_90), driver 13.0"; "AMD EPYC (znver5, AVX-512), 16 threads".
    virtual std::string description() const = 0;
    /// Compiler and version as they stand in kernel keys: "nvrtc 13.0", "llvm 19.1.7 sleef 3.5.1".
    virtual std::string compiler() const = 0;

    virtual std::shared_ptr<Allocation> allocate(size_t bytes, Stream stream) = 0;
    /// True where host pointers can be used as buffers without a copy.
    virtual bool shares_host_memory() const = 0;
    virtual void copy_to_device(void* device, const void* host, size_t bytes, Stream stream) = 0;
    /// Waits until the bytes are there.
    virtual void copy_to_host(void* host, const void* device, size_t bytes, Stream stream) = 0;
    /// From device memory to device memory that does not overlap it; enqueued.
    virtual void copy_device(void* to, const void* from, size_t bytes, Stream stream) = 0;

    /// Prints the kernel for this device, compiles and loads it. `kernel.index_bits` is final. `sources` adds
    /// line comments.
    virtual std::shared_ptr<Executable> build(const ir::Function& kernel, const std::string& symbol,
                                              const SourceMap* sources) = 0;
    /// Enqueues one launch; a launch with no elements does nothing.
    virtual void launch(const Executable& executable, const LaunchArguments& arguments, Stream stream) = 0;
    /// As launch, waits, and gives the kernel's own milliseconds.
    virtual double timed_launch(const Executable& executable, const LaunchArguments& arguments,
                                Stream stream) = 0;
    virtual void synchronize(Stream stream) = 0;

    /// Whether a library multiplies matrices here; opens it at the first call.
    virtual bool has_matmul() { return false; }
    /// Enqueues products of one of the library's types (see library_multiplies). Only where has_matmul.
    virtual void matmul(const MatmulCall&, Stream) {
        throw InternalError("a device without matrix products");
    }

    /// Around the work of a call on a caller's stream: it comes after all that the own stream has, and the
    /// own stream's later work after it. Nothing to do for the own stream.
    virtual void enter(Stream) {}
    virtual void leave(Stream) {}

    /// The executable in a stage's text: "cuda", "ptx", "sass", "llvm", "asm"; throws UserError for a stage
    /// that the device lacks.
    virtual std::string stage_text(const Executable& executable, std::string_view stage) = 0;
};

/// All cores by default; `threads` > 0 limits them. `vector_bits` 0 asks the processor.
std::unique_ptr<Device> make_cpu_device(int threads, int vector_bits = 0);
/// Opens driver and NVRTC at run time.
std::unique_ptr<Device> make_cuda_device(int ordinal);
/// Why there is no CUDA device, in words with the fix; an empty text where there is one.
std::string cuda_unavailable_reason();

}  // namespace fuseline
