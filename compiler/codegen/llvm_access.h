// Sizes, offsets, loads and stores of LLVM text.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/codegen/llvm_writer.h"

namespace fuseline {

/// Type of elements in memory: "<8 x i8>" for bools, "float" for one f32.
std::string llvm_storage_type(DType dtype, int lanes);
/// The part of an intrinsic's name for such elements: "v8i8".
std::string storage_suffix(DType dtype, int lanes);
/// Makes a value of what stands in memory, for bools and 16-bit floats; gives `name` back.
std::string llvm_loaded(LlvmWriter& writer, DType dtype, const std::string& stored, int lanes,
                        const std::string& name);

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
    /// Index of axis k as an i64 operand; of the axis of the lanes the one of lane 0. The axes of a fold
    /// follow those of the nest.
    void set_axis(uint32_t axis, std::string index);
    const std::string& axis(uint32_t axis) const { return axes_[axis]; }
    /// The row-major number of lane 0's element in the loop around, for what is held.
    void set_row_index(std::string flat) { row_index_ = std::move(flat); }
    static constexpr uint32_t kNoAxis = UINT32_MAX;
    /// The axis along which lanes lie; kNoAxis where all is scalar. Gives the one before.
    uint32_t set_lane_axis(uint32_t axis) { return std::exchange(lane_axis_, axis); }

    /// Whether vectors that are loaded side by side ask for the memory of the vector that follows: lanes with
    /// an output each come back for it after many other rows.
    void set_ahead(bool on) { ahead_ = on; }

    /// Memory of the function's frame for `count` held elements, and as many as a vector more.
    void make_held(ir::ValueId held, const std::string& count);
    void store_held(ir::ValueId held, ir::ValueId value);
    void load(ir::NodeId id);
    void load_at(ir::NodeId id);
    void store(ir::NodeId id);
    void index(ir::NodeId id);

    /// Definitions of the alias metadata that loads and stores name.
    std::string metadata() const;

private:
    struct Buffer {
        std::string pointer;
        int writer = -1;  ///< number among the written buffers
    };
    /// Where lanes must not read, and what they hold then, in memory's form; nothing for an open load.
    struct Guard {
        std::string mask, fill;
    };
    std::string outer_terms(const ir::Affine& affine);
    std::string inner_terms(const ir::Affine& affine);
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
    std::string ordered_mask(bool backwards, const std::string& mask);
    Guard lane_guard(ir::NodeId id, size_t first);
    void load_scalar(ir::NodeId id, const std::string& address, size_t guard);
    void load_vector(ir::NodeId id);
    void fetch_ahead(const std::string& address, int64_t bytes);
    void store_vector(ir::NodeId id);
    void load_lanes(ir::NodeId id, const std::string& addresses, size_t guard);
    void store_lanes(ir::NodeId id, ExtentId coefficient);
    std::string held_address(ir::ValueId held);
    void load_held(ir::NodeId id);
    std::string to_storage(ir::ValueId v, int lanes);
    void define_loaded(ir::NodeId id, const std::string& stored, int lanes);

    LlvmWriter& w_;
    LlvmSizes& sizes_;
    std::unordered_map<uint32_t, Buffer> buffers_;  ///< by value
    std::unordered_map<uint32_t, std::string> held_;  ///< by value
    int writers_ = 0;
    std::vector<std::string> axes_;
    std::string row_index_;
    uint32_t lane_axis_ = kNoAxis;
    bool ahead_ = false;
    /// Offsets in sections of outer loops, by their coefficients.
    std::map<std::string, std::string> offsets_;
};

}  // namespace fuseline
