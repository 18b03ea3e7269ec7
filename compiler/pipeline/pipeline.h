// compile(graph, target, options): passes, fusion, schedules; and the content keys of the kernels.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/passes/pass.h"
#include "compiler/support/hash.h"
#include "compiler/support/target.h"

namespace fuseline {

/// Changes with every release that may print other code for the same kernel; part of every key.
inline constexpr const char* kGeneratorVersion = "0.1.0";

struct Compiled {
    ir::Function graph;  ///< as checked
    ir::Function fused;  ///< after the passes
    ir::Function plan;
    std::vector<ir::Function> kernels;
    std::vector<Remark> remarks;
};

Compiled compile(ir::Function graph, const Target& target, const PassSettings& settings = {});

/// The text that identifies a machine code image: canonical kernel, options, target, compiler's version,
/// generator's version.
struct KernelKey {
    std::string text;
    Hash128 hash;
    /// "fl_map_0123456789abcdef": the entry symbol.
    std::string symbol;
};
/// `index_bits` 32 or 64 replaces the kernel's own; `compiler` is "nvrtc 13.0" or "llvm 19.1.7".
KernelKey kernel_key(const ir::Function& kernel, int index_bits, const Target& target,
                     const std::string& compiler);

/// 32 where no access of the kernel reaches a byte offset of 2^31 or more for these sizes, else 64.
int index_bits_for(const ir::Function& kernel, const std::vector<int64_t>& sizes);

}  // namespace fuseline
