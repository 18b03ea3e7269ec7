// Fixpoint over the nest: levels only rise, so loops settle after a few rounds.
#include "compiler/codegen/llvm_levels.h"

#include <algorithm>

#include "compiler/codegen/llvm_prelude.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Region;
using ir::RegionId;
using ir::Structure;
using ir::ValueId;

LlvmLevels::LlvmLevels(const ir::Function& kernel)
    : f_(kernel),
      loop_of_(kernel.region_count()),
      reaches_(kernel.value_count()),
      node_levels_(kernel.node_count(), 0),
      masked_regions_(kernel.region_count(), false) {
    for (NodeId id : f_.region(f_.body()).nodes) {
        if (!f_.node(id).op.is(Structure::nest_)) continue;
        require(!nest_, "a CPU kernel has one nest");
        nest_ = id;
    }
    require(static_cast<bool>(nest_), "a kernel without a nest");
    rank_ = static_cast<uint32_t>(std::get<ir::Loops>(f_.node(nest_).attribute).extents.size());
    const std::vector<Visit> order = visits();
    for (const Visit& v : order) {
        const Node& n = f_.node(v.node);
        const bool fold = n.op.is(Structure::fold_), loop = std::holds_alternative<ir::Loops>(n.attribute);
        if (fold && !v.leaving) folds_.push_back(v.node);
        rows_ = rows_ || (loop && !fold);
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            loop_of_[n.regions_begin + k] = loop ? v.node : loop_of_[n.parent.index];
        }
    }
    settle(order);
    if (wants_scalar_nest()) return;
    vector_nest_ = true;
    settle(order);
}

void LlvmLevels::settle(const std::vector<Visit>& order) {
    std::ranges::fill(reaches_, Reach{});
    vector_nodes_ = 0;
    waits_ = false;
    widest_bytes_ = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (const Visit& v : order) changed |= update(v);
    }
    summarise(order);
}

/// Lanes that share the elements of one output leave none for neighbouring outputs.
bool LlvmLevels::wants_scalar_nest() const {
    if (rank_ == 0 || rows_) return true;
    for (NodeId id : folds_) {
        const bool team = std::get<ir::Loops>(f_.node(id).attribute).mapping == ir::Mapping::team;
        if (team && node_levels_[id.index] == rank_) return true;
    }
    return false;
}

std::vector<LlvmLevels::Visit> LlvmLevels::visits() const {
    struct Open {
        NodeId owner;
        uint32_t region = 0;
        size_t position = 0;
    };
    std::vector<Visit> order;
    std::vector<Open> open{{nest_}};
    while (!open.empty()) {
        Open& o = open.back();
        const Node& owner = f_.node(o.owner);
        const Region& region = f_.region(f_.region_of(owner, o.region));
        if (o.position < region.nodes.size()) {
            const NodeId id = region.nodes[o.position++];
            order.push_back({id, false});
            if (f_.node(id).regions_count != 0) open.push_back({id});
        } else if (++o.region < owner.regions_count) {
            o.position = 0;
        } else {
            if (o.owner != nest_) order.push_back({o.owner, true});
            open.pop_back();
        }
    }
    return order;
}

bool LlvmLevels::raise(ValueId v, Reach reach) {
    Reach& now = reaches_[v.index];
    const Reach joined = now | reach;
    if (joined.level == now.level && joined.varies == now.varies) return false;
    now = joined;
    return true;
}

/// Axes from `rank` on are those of the loop around.
LlvmLevels::Reach LlvmLevels::reach_of(const ir::Affine& affine, RegionId region) const {
    Reach reach;
    const NodeId loop = loop_of_[region.index];
    uint32_t lanes = rank_ - 1;
    if (loop && shared(loop)) {
        lanes =
            rank_ + static_cast<uint32_t>(std::get<ir::Loops>(f_.node(loop).attribute).extents.size()) - 1;
    }
    const bool vectors = vector_nest_ || loop;
    for (const ir::Affine::Term& t : affine.terms) {
        if (t.axis < rank_) reach.level = std::max(reach.level, t.axis + 1);
        reach.varies = reach.varies || (vectors && t.axis == lanes);
    }
    return reach;
}

bool LlvmLevels::update(const Visit& visit) {
    const Node& n = f_.node(visit.node);
    if (n.regions_count == 0) return update_simple(visit.node);
    if (n.op.is(Structure::if_)) return visit.leaving && update_if(visit.node);
    if (n.op.is(Structure::while_)) return update_while(visit.node);
    if (n.op.is(Structure::fold_)) return update_fold(visit.node);
    if (n.op.is(Structure::hold_)) return update_hold(visit.node);
    if (n.op.is(Structure::nest_)) return false;
    require(n.op.is(Structure::for_), "an operation that a CPU kernel cannot hold");
    return update_for(visit.node);
}

bool LlvmLevels::update_simple(NodeId id) {
    const Node& n = f_.node(id);
    Reach reach;
    for (ValueId v : f_.operands(n)) reach = reach | reaches_[v.index];
    if (const auto* affine = std::get_if<ir::Affine>(&n.attribute))
        reach = reach | reach_of(*affine, n.parent);
    bool changed = false;
    for (uint32_t k = 0; k < n.results_count; ++k) changed |= raise(f_.result(id, k), reach);
    return changed;
}

bool LlvmLevels::update_if(NodeId id) {
    const Node& n = f_.node(id);
    bool changed = false;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        Reach reach = reaches_[f_.operands(n)[0].index];
        for (uint32_t side = 0; side < 2; ++side) {
            reach = reach | reaches_[f_.region(f_.region_of(n, side)).yields[k].index];
        }
        changed |= raise(f_.result(id, k), reach);
    }
    return changed;
}

bool LlvmLevels::update_while(NodeId id) {
    const Node& n = f_.node(id);
    const Region& condition = f_.region(f_.region_of(n, 0));
    const Region& body = f_.region(f_.region_of(n, 1));
    bool changed = false;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        // Where lanes stop at different rounds, everything carried differs between them.
        const Reach reach = reaches_[f_.operands(n)[k].index] | reaches_[body.yields[k].index] |
                            reaches_[condition.yields[0].index];
        changed |= raise(condition.parameters[k], reach);
        changed |= raise(body.parameters[k], reach);
        changed |= raise(f_.result(id, k), reach);
    }
    return changed;
}

bool LlvmLevels::update_for(NodeId id) {
    const Node& n = f_.node(id);
    const auto operands = f_.operands(n);
    const Region& body = f_.region(f_.region_of(n, 0));
    const Reach bounds = reaches_[operands[0].index] | reaches_[operands[1].index];
    bool changed = raise(body.parameters[0], bounds);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const Reach reach = bounds | reaches_[operands[k + 2].index] | reaches_[body.yields[k].index];
        changed |= raise(body.parameters[k + 1], reach);
        changed |= raise(f_.result(id, k), reach);
    }
    return changed;
}

/// The parts of a state lie in lanes together; lanes that share an output end in one scalar.
bool LlvmLevels::update_fold(NodeId id) {
    const Node& n = f_.node(id);
    const Region& elements = f_.region(f_.region_of(n, 0));
    const Region& combine = f_.region(f_.region_of(n, 1));
    Reach reach;
    for (const auto& values : {f_.operands(n), std::span(elements.yields), std::span(combine.yields)}) {
        for (ValueId v : values) reach = reach | reaches_[v.index];
    }
    reach.varies = reach.varies || shared(id);
    bool changed = false;
    for (ValueId p : combine.parameters) changed |= raise(p, reach);
    reach.varies = reach.varies && !shared(id);
    for (uint32_t k = 0; k < n.results_count; ++k) changed |= raise(f_.result(id, k), reach);
    return changed;
}

/// What is held is memory; loads from it vary with their index.
bool LlvmLevels::update_hold(NodeId id) {
    const Node& n = f_.node(id);
    bool changed = false;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const Reach reach = reaches_[f_.region(f_.region_of(n, 0)).yields[k].index];
        changed |= raise(f_.result(id, k), {reach.level, false});
    }
    return changed;
}

void LlvmLevels::summarise(const std::vector<Visit>& order) {
    std::vector<NodeId> open;
    for (const Visit& visit : order) {
        const Node& n = f_.node(visit.node);
        if (visit.leaving) {
            open.pop_back();
            for (uint32_t r = 0; r < n.regions_count; ++r)
                follow(visit.node, f_.region(f_.region_of(n, r)).yields);
        } else {
            node_levels_[visit.node.index] = own_level(visit.node);
            follow(visit.node, f_.operands(n));
            count_vectors(visit.node);
        }
        if (n.regions_count != 0 && !visit.leaving) {
            open.push_back(visit.node);
        } else if (!open.empty()) {
            uint32_t& outer = node_levels_[open.back().index];
            outer = std::max(outer, node_levels_[visit.node.index]);
        }
    }
    mark_masked_regions(order);
}

/// A uniform result of a node that stands in an inner body is there only from then on.
void LlvmLevels::follow(NodeId user, std::span<const ValueId> values) {
    uint32_t& level = node_levels_[user.index];
    for (ValueId v : values) {
        const NodeId definition = f_.value(v).definition;
        if (definition) level = std::max(level, node_levels_[definition.index]);
    }
}

/// The level of a node without what its regions hold.
uint32_t LlvmLevels::own_level(NodeId id) const {
    const Node& n = f_.node(id);
    if (n.op.is(Structure::store_)) return rank_;
    uint32_t level = 0;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        level = std::max(level, reaches_[f_.result(id, k).index].level);
    }
    for (uint32_t r = 0; r < n.regions_count; ++r) {
        for (ValueId p : f_.region(f_.region_of(n, r)).parameters) {
            level = std::max(level, reaches_[p.index].level);
        }
    }
    return level;
}

/// From inner regions to outer ones.
void LlvmLevels::mark_masked_regions(const std::vector<Visit>& order) {
    constexpr Structure kMasked[] = {Structure::load_, Structure::load_at_, Structure::store_,
                                     Structure::while_, Structure::for_};
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
        const Node& n = f_.node(v->node);
        bool masked = false;
        for (Structure s : kMasked) masked = masked || n.op.is(s);
        for (uint32_t r = 0; r < n.regions_count; ++r) {
            masked = masked || masked_regions_[f_.region_of(n, r).index];
        }
        if (masked) masked_regions_[n.parent.index] = true;
    }
}

void LlvmLevels::count_vectors(NodeId id) {
    const Node& n = f_.node(id);
    bool vector = false;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId v = f_.result(id, k);
        if (!varies(v)) continue;
        vector = true;
        widest_bytes_ = std::max(widest_bytes_, llvm_value_bits(f_.type(v).dtype) / 8);
    }
    if (vector && n.op.elementwise()) {
        const auto steps =
            llvm_steps(n.op.op(), f_.type(f_.operands(n).back()).dtype, f_.type(f_.result(id)).dtype);
        waits_ = waits_ || steps[0].cell.starts_with("sleef.");
    }
    waits_ = waits_ || (vector && (n.op.is(Structure::while_) || n.op.is(Structure::for_)));
    vector_nodes_ += vector || n.op.is(Structure::store_) ? 1 : 0;
}

}  // namespace fuseline
