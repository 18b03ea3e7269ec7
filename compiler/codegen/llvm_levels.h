// Which loops of a kernel's nest each value depends on: decides what is a scalar, what a vector, and where it
// stands.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// The level of a value is 1 + the innermost axis of the nest that it depends on, 0 where it depends on none.
/// A value of level `rank` differs between the lanes of a vector; others are the same in all of them.
class LlvmLevels {
public:
    explicit LlvmLevels(const ir::Function& kernel);

    uint32_t rank() const { return rank_; }
    /// The only nest of the kernel.
    ir::NodeId nest() const { return nest_; }
    uint32_t of(ir::ValueId v) const { return levels_[v.index]; }
    /// Whether the value is a vector.
    bool varies(ir::ValueId v) const { return rank_ != 0 && levels_[v.index] == rank_; }
    /// The level at which a node of the nest's region, with all that its regions hold, can stand. Stores stay
    /// innermost.
    uint32_t of_node(ir::NodeId id) const { return node_levels_[id.index]; }
    /// Whether a region of an `if` holds loops or accesses, which must not run when no lane takes that side.
    bool needs_mask(ir::RegionId region) const { return masked_regions_[region.index]; }
    /// Nodes that compute vectors, those of inner regions included.
    size_t vector_nodes() const { return vector_nodes_; }
    /// Whether vectors run through loops or SLEEF's functions.
    bool waits() const { return waits_; }
    /// Bytes of the widest element among the vectors, at least 1.
    int widest_bytes() const { return widest_bytes_; }

private:
    /// A node before its regions, or after them.
    struct Visit {
        ir::NodeId node;
        bool leaving = false;
    };
    std::vector<Visit> visits() const;
    bool update(const Visit& visit);
    bool update_simple(ir::NodeId id);
    bool update_if(ir::NodeId id);
    bool update_while(ir::NodeId id);
    bool update_for(ir::NodeId id);
    bool raise(ir::ValueId v, uint32_t level);
    void summarise(const std::vector<Visit>& order);
    void follow(ir::NodeId user, std::span<const ir::ValueId> values);
    uint32_t own_level(ir::NodeId id) const;
    void mark_masked_regions(const std::vector<Visit>& order);
    void count_vectors(ir::NodeId id);

    const ir::Function& f_;
    ir::NodeId nest_;
    uint32_t rank_ = 0;
    std::vector<uint32_t> levels_;
    std::vector<uint32_t> node_levels_;
    std::vector<bool> masked_regions_;
    size_t vector_nodes_ = 0;
    bool waits_ = false;
    int widest_bytes_ = 1;
};

}  // namespace fuseline
