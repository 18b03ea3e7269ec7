// LLVM behind a narrow door: compiles textual IR for this processor and keeps the machine code.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "compiler/ops/dtype.h"

namespace fuseline {

/// Entry of a compiled kernel; emit_llvm says what the operands are.
using CpuKernel = void (*)(void* const* buffers, const Scalar* scalars, const int64_t* sizes, int64_t begin,
                           int64_t end);
/// Of a kernel with folds.
using CpuFoldKernel = void (*)(void* const* buffers, const Scalar* scalars, const int64_t* sizes,
                               int64_t begin, int64_t end, const int64_t* parts);

/// What LLVM knows of the processor that runs this process.
struct HostProcessor {
    std::string name;  ///< LLVM's: "znver5"
    bool avx2 = false, fma = false;
    bool avx512 = false;  ///< foundation with the byte, word, double-word and short-vector parts
};

/// Machine code of one kernel; given back when destroyed.
class CpuCode {
public:
    virtual ~CpuCode() = default;
    CpuKernel entry = nullptr;
    CpuFoldKernel fold_entry = nullptr;  ///< the same where the kernel has folds
};

/// Thread-safe; calls of several threads compile side by side.
class OrcEngine {
public:
    /// Throws ToolchainError when LLVM cannot compile for this processor.
    OrcEngine();
    ~OrcEngine();
    OrcEngine(const OrcEngine&) = delete;
    OrcEngine& operator=(const OrcEngine&) = delete;

    static HostProcessor host();
    /// "19.1.7".
    static std::string version();

    /// Compiles a module and finds `symbol` in it. The code must not outlive the engine. Throws InternalError
    /// with the numbered text where LLVM refuses it, ToolchainError where a function that it calls is
    /// missing.
    std::unique_ptr<CpuCode> compile(const std::string& ir, const std::string& symbol);
    /// Assembly of a module.
    std::string assembly(const std::string& ir);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fuseline
