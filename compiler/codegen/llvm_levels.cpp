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
      levels_(kernel.value_count(), 0),
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
    for (bool changed = true; changed;) {
        changed = false;
        for (const Visit& v : order) changed |= update(v);
    }
    summarise(order);
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

bool LlvmLevels::raise(ValueId v, uint32_t level) {
    if (levels_[v.index] >= level) return false;
    levels_[v.index] = level;
    return true;
}

bool LlvmLevels::update(const Visit& visit) {
    const Node& n = f_.node(visit.node);
    if (n.regions_count == 0) return update_simple(visit.node);
    if (n.op.is(Structure::if_)) return visit.leaving && update_if(visit.node);
    if (n.op.is(Structure::while_)) return update_while(visit.node);
    require(n.op.is(Structure::for_), "an operation that a CPU kernel cannot hold");
    return update_for(visit.node);
}

bool LlvmLevels::update_simple(NodeId id) {
    const Node& n = f_.node(id);
    uint32_t level = 0;
    for (ValueId v : f_.operands(n)) level = std::max(level, levels_[v.index]);
    if (const auto* affine = std::get_if<ir::Affine>(&n.attribute);
        affine != nullptr && !affine->terms.empty()) {
        level = std::max(level, affine->terms.back().axis + 1);
    }
    bool changed = false;
    for (uint32_t k = 0; k < n.results_count; ++k) changed |= raise(f_.result(id, k), level);
    return changed;
}

bool LlvmLevels::update_if(NodeId id) {
    const Node& n = f_.node(id);
    const uint32_t condition = levels_[f_.operands(n)[0].index];
    bool changed = false;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        uint32_t level = condition;
        for (uint32_t side = 0; side < 2; ++side) {
            level = std::max(level, levels_[f_.region(f_.region_of(n, side)).yields[k].index]);
        }
        changed |= raise(f_.result(id, k), level);
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
        const uint32_t level = std::max({levels_[f_.operands(n)[k].index], levels_[body.yields[k].index],
                                         levels_[condition.yields[0].index]});
        changed |= raise(condition.parameters[k], level);
        changed |= raise(body.parameters[k], level);
        changed |= raise(f_.result(id, k), level);
    }
    return changed;
}

bool LlvmLevels::update_for(NodeId id) {
    const Node& n = f_.node(id);
    const auto operands = f_.operands(n);
    const Region& body = f_.region(f_.region_of(n, 0));
    const uint32_t bounds = std::max(levels_[operands[0].index], levels_[operands[1].index]);
    bool changed = raise(body.parameters[0], bounds);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const uint32_t level =
            std::max({bounds, levels_[operands[k + 2].index], levels_[body.yields[k].index]});
        changed |= raise(body.parameters[k + 1], level);
        changed |= raise(f_.result(id, k), level);
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
    for (uint32_t k = 0; k < n.results_count; ++k) level = std::max(level, levels_[f_.result(id, k).index]);
    for (uint32_t r = 0; r < n.regions_count; ++r) {
        for (ValueId p : f_.region(f_.region_of(n, r)).parameters) level = std::max(level, levels_[p.index]);
    }
    return level;
}

/// From inner regions to outer ones.
void LlvmLevels::mark_masked_regions(const std::vector<Visit>& order) {
    constexpr Structure kMasked[] = {Structure::load_, Structure::store_, Structure::while_, Structure::for_};
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
        const std::string_view cell =
            llvm_cell(n.op.op(), f_.type(f_.operands(n).back()).dtype, f_.type(f_.result(id)).dtype);
        waits_ = waits_ || cell.starts_with("sleef.");
    }
    waits_ = waits_ || (vector && (n.op.is(Structure::while_) || n.op.is(Structure::for_)));
    vector_nodes_ += vector || n.op.is(Structure::store_) ? 1 : 0;
}

}  // namespace fuseline
