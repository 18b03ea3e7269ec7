// Holds of a row and the nests that store it as LLVM text.
#pragma once

#include <string>

#include "compiler/codegen/llvm_folds.h"

namespace fuseline {

/// Loops over the elements of a row: wide vectors, then masked ones of one register.
class LlvmRows {
public:
    LlvmRows(LlvmWriter& writer, LlvmSizes& sizes, LlvmAccess& access, LlvmRegions& regions,
             const LlvmFolds& folds, const Target& target)
        : w_(writer),
          sizes_(sizes),
          access_(access),
          regions_(regions),
          folds_(folds),
          vector_bits_(target.vector_bits) {}

    /// Appends a hold or an inner nest.
    void write(ir::NodeId id);

private:
    std::string product(const ir::Loops& loops, size_t first, size_t last);
    void make_held(ir::NodeId id);
    void set_outer_axes(const ir::Loops& loops, const std::string& run);
    void vectors(ir::NodeId id, const std::string& base);
    void steps(ir::NodeId id, const std::string& base, const std::string& low, const std::string& high,
               bool masked);
    void body(ir::NodeId id);
    LlvmWriter& w_;
    LlvmSizes& sizes_;
    LlvmAccess& access_;
    LlvmRegions& regions_;
    const LlvmFolds& folds_;
    int vector_bits_;
};

}  // namespace fuseline
