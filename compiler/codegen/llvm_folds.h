// Folds of a nest as LLVM text, in the order of compiler/ir/reduction_order.h.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/codegen/emitters.h"
#include "compiler/codegen/llvm_loop.h"
#include "compiler/codegen/llvm_regions.h"

namespace fuseline {

/// A fold whose lanes share the elements of an output has vectors along its innermost axis and 128
/// accumulators in memory; one whose lanes have an output each goes through its elements one by one. Either
/// gives the state of a chunk; the states of chunks wait in a binary counter until their neighbour is there.
class LlvmFolds {
public:
    LlvmFolds(LlvmWriter& writer, LlvmSizes& sizes, LlvmAccess& access, LlvmRegions& regions,
              const Target& target);

    /// Appends a fold and defines its results. Where only its chunks are wanted, execution goes on at the
    /// label `next`.
    void write(ir::NodeId id, const std::string& next);

    /// Lanes of one register, and of as many registers as a small body keeps busy.
    int lanes() const { return lanes_; }
    int wide_lanes() const { return wide_; }
    /// Lanes of the outputs that fill no wide vector: long runs of memory matter more than idle lanes.
    int tail_lanes() const { return std::max(lanes_, wide_ / 2); }

private:
    /// One text for each part of a state.
    using States = std::vector<std::string>;
    struct Fold {
        ir::NodeId id;
        ir::RegionId elements, combine;
        std::vector<ExtentId> extents;
        std::vector<DType> types;
        uint32_t level = 0;
        bool shared = false;
        // Texts of the prologue.
        std::string count, chunks;
        std::string here, known;  ///< i1: chunks are computed only; chunks are there
        std::string first, last;  ///< chunks of this call
        std::string outputs;
        States parts;
    };
    /// A chunk's elements are start <= r < end.
    struct Chunk {
        std::string start, end, size;
    };

    const Fold& prepared(ir::NodeId id);
    void prepare_parts(Fold& f);
    std::string part_word(int word, const char* type, std::string_view name);
    std::string product(const std::vector<ExtentId>& extents, std::string_view name);
    Chunk chunk_of(const Fold& f, const std::string& number);
    States chunk_states(const Fold& f, const std::string& number);
    States run_chunks(const Fold& f, const std::string& next);
    States results(const Fold& f, const States& pending);

    // States as values and in memory.
    int state_lanes(const Fold& f) const;
    std::string state_type(const Fold& f, size_t k) const;
    std::string memory_type(DType dtype, int lanes) const;
    States elements(const Fold& f);
    States combined(const Fold& f, const States& left, const States& right);
    States selected(const Fold& f, const std::string& condition, const States& yes, const States& no);
    States identities(const Fold& f);
    States arrays(const Fold& f, int64_t count, int lanes, bool cleared);
    std::string element_of(const Fold& f, const States& arrays, size_t k, const std::string& index,
                           int lanes);
    States read(const Fold& f, const States& arrays, const std::string& index, int stride);
    void write_states(const Fold& f, const States& arrays, const std::string& index, int stride,
                      const States& values);
    States joined(const Fold& f, const States& a, const std::string& from_a, const States& b,
                  const std::string& from_b);
    States carried(const Fold& f, LlvmLoop& loop, const States& start);

    // Partial results.
    std::string part_address(const Fold& f, size_t k, const std::string& chunk);
    States read_parts(const Fold& f, const std::string& chunk);
    void write_parts(const Fold& f, const std::string& chunk, const States& values);

    // Binary counters.
    void push(const Fold& f, const States& pending, const std::string& number, const States& values);
    States collapsed(const Fold& f, const States& pending, const std::string& count);

    // Ways through a chunk.
    void set_indices(const Fold& f, const std::string& flat);
    States own_lanes(const Fold& f, const Chunk& c);
    States own_lane(const Fold& f, const Chunk& c, const std::string& first);
    States shared_lanes(const Fold& f, const Chunk& c);
    std::string sweeps(const Fold& f, const Chunk& c, const States& accumulators);
    void sweep_block(const Fold& f, const Chunk& c, const std::string& block, const std::string& stop,
                     const States& accumulators);
    void rest(const Fold& f, const Chunk& c, const std::string& from, const States& accumulators);
    void rows(const Fold& f, const Chunk& c, const std::string& from, const States& accumulators);
    void step(const Fold& f, const Chunk& c, const std::string& flat, const std::string& left,
              const States& accumulators);
    States tree(const Fold& f, const Chunk& c, const States& accumulators);
    States full_tree(const Fold& f, const States& accumulators);
    States partial_tree(const Fold& f, const std::string& lanes, const States& accumulators);
    void halve(const Fold& f, const std::string& width, const std::string& half, const States& accumulators);
    States neighbours(const Fold& f, const States& low, const States& high, const std::string& pairs);
    std::string every_second(const std::string& type, const std::string& low, const std::string& high,
                             int count, int first);

    LlvmWriter& w_;
    LlvmSizes& sizes_;
    LlvmAccess& access_;
    LlvmRegions& regions_;
    int vector_bits_, lanes_, wide_;
    bool unrolled_;
    std::unordered_map<uint32_t, Fold> folds_;  ///< by node
    std::unordered_map<int, std::string> words_;
};

}  // namespace fuseline
