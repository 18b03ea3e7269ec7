// Sizes, offsets, loads and stores of LLVM text.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/codegen/llvm_writer.h"

namespace fuseline {

/// Type of elements in memory: "<8 x i8>" for bools, "float" for one f32.
std::string llvm_storage_type(DType dtype, int lanes);

/// Values of size expressions, computed once in the kernel's prologue.
class LlvmSizes {
public:
    explicit LlvmSizes(LlvmWriter& writer) : w_(writer) {}
    /// The size as an i64 operand.
    std::string operand(ExtentId e);

private:
    std::string sum(ExtentId e);
    std::string atom(uint32_t index);
    std::string symbol(const std::string& name);
    std::string quotient(const ExtentAtom& atom);
    std::string bounded(const ExtentAtom& atom);

    LlvmWriter& w_;
    std::unordered_map<uint32_t, std::string> sums_;   ///< by extent
    std::unordered_map<uint32_t, std::string> atoms_;  ///< by atom of the pool
};

/// Reads and writes of buffers at affine offsets of the nest's indices. A buffer that is written must overlap
/// no other of its launch: the text says so to LLVM.
class LlvmAccess {
public:
    LlvmAccess(LlvmWriter& writer, LlvmSizes& sizes) : w_(writer), sizes_(sizes) {}

    /// Loads the buffers' addresses; in the prologue.
    void buffers();
    /// Index of axis k as an i64 operand; of the innermost axis the one of lane 0.
    void set_axis(uint32_t axis, std::string index);

    void load(ir::NodeId id);
    void store(ir::NodeId id);
    void index(ir::NodeId id);

    /// Definitions of the alias metadata that loads and stores name.
    std::string metadata() const;

private:
    struct Buffer {
        std::string pointer;
        int writer = -1;  ///< number among the written buffers
    };
    std::string terms(const ir::Affine& affine, uint32_t axes);
    std::string product(std::string_view index, ExtentId coefficient, std::string_view name);
    std::string element_address(ir::ValueId buffer, const ir::Affine& affine);
    std::string lane_offsets(ExtentId coefficient);
    std::string lane_addresses(ir::ValueId buffer, const ir::Affine& affine, ExtentId coefficient);
    ExtentId lane_coefficient(const ir::Affine& affine) const;
    /// Whether lanes lie side by side, in either order, and whether in the order of falling addresses.
    bool side_by_side(const ir::Affine& affine) const;
    bool runs_backwards(const ir::Affine& affine) const;
    std::string alias_text(ir::ValueId buffer) const;
    std::string vector_address(ir::ValueId buffer, const ir::Affine& affine);
    std::string reversed(DType dtype, const std::string& value);
    std::string ordered_mask(bool backwards);
    void load_vector(ir::NodeId id);
    void store_vector(ir::NodeId id);
    void load_lanes(ir::NodeId id, ExtentId coefficient);
    void store_lanes(ir::NodeId id, ExtentId coefficient);
    std::string to_storage(ir::ValueId v, int lanes);
    void define_loaded(ir::NodeId id, const std::string& stored, int lanes);

    LlvmWriter& w_;
    LlvmSizes& sizes_;
    std::unordered_map<uint32_t, Buffer> buffers_;  ///< by value
    int writers_ = 0;
    std::vector<std::string> axes_;
    /// Offsets in sections of outer loops, by their coefficients.
    std::map<std::string, std::string> offsets_;
};

}  // namespace fuseline
