// Which loops of a kernel's nest each value depends on: decides what is a scalar, what a vector, and where it
// stands.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// The level of a value is 1 + the innermost axis of the nest that it depends on, 0 where it depends on none.
/// Lanes of a vector lie along the nest's innermost axis, or along the innermost one of a fold whose lanes
/// share its elements, of a hold or of an inner nest; a value varies where it depends on the axis of the lanes
/// around it.
class LlvmLevels {
public:
    explicit LlvmLevels(const ir::Function& kernel);

    uint32_t rank() const { return rank_; }
    /// The only nest of the kernel.
    ir::NodeId nest() const { return nest_; }
    /// Whether lanes lie along the nest's innermost axis.
    bool vector_nest() const { return vector_nest_; }
    /// Axes of the nest that are loops over scalars.
    uint32_t loops() const { return vector_nest_ ? rank_ - 1 : rank_; }
    /// Whether the lanes of a fold share its innermost axis; else each lane has an output of its own.
    bool shared(ir::NodeId fold) const { return !vector_nest_ || node_levels_[fold.index] < rank_; }
    /// The folds of the nest, in order.
    const std::vector<ir::NodeId>& folds() const { return folds_; }
    /// Whether the value is a vector.
    bool varies(ir::ValueId v) const { return reaches_[v.index].varies; }
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
    /// What a value depends on.
    struct Reach {
        uint32_t level = 0;
        bool varies = false;
        Reach operator|(const Reach& other) const {
            return {level > other.level ? level : other.level, varies || other.varies};
        }
    };
    std::vector<Visit> visits() const;
    void settle(const std::vector<Visit>& order);
    bool wants_scalar_nest() const;
    bool update(const Visit& visit);
    bool update_simple(ir::NodeId id);
    bool update_if(ir::NodeId id);
    bool update_while(ir::NodeId id);
    bool update_for(ir::NodeId id);
    bool update_fold(ir::NodeId id);
    bool update_hold(ir::NodeId id);
    Reach reach_of(const ir::Affine& affine, ir::RegionId region) const;
    bool raise(ir::ValueId v, Reach reach);
    void summarise(const std::vector<Visit>& order);
    void follow(ir::NodeId user, std::span<const ir::ValueId> values);
    uint32_t own_level(ir::NodeId id) const;
    void mark_masked_regions(const std::vector<Visit>& order);
    void count_vectors(ir::NodeId id);

    const ir::Function& f_;
    ir::NodeId nest_;
    uint32_t rank_ = 0;
    bool vector_nest_ = false;
    std::vector<ir::NodeId> folds_;
    bool rows_ = false;  ///< there are holds or inner nests
    /// By region: the loop in the nest whose elements it computes.
    std::vector<ir::NodeId> loop_of_;
    std::vector<Reach> reaches_;
    std::vector<uint32_t> node_levels_;
    std::vector<bool> masked_regions_;
    size_t vector_nodes_ = 0;
    bool waits_ = false;
    int widest_bytes_ = 1;
};

}  // namespace fuseline
