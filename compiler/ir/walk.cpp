// Orders of visiting and what a node uses from outside.
#include "compiler/ir/walk.h"

#include <algorithm>
#include <unordered_set>

namespace fuseline::ir {

std::vector<NodeId> nodes_in_order(const Function& function, RegionId region) {
    std::vector<NodeId> order;
    std::vector<std::pair<RegionId, size_t>> open{{region, 0}};
    while (!open.empty()) {
        auto& [at, position] = open.back();
        const Region& r = function.region(at);
        if (position == r.nodes.size()) {
            open.pop_back();
            continue;
        }
        const NodeId id = r.nodes[position++];
        order.push_back(id);
        const Node& n = function.node(id);
        for (uint32_t k = n.regions_count; k-- > 0;) open.emplace_back(function.region_of(n, k), 0);
    }
    return order;
}

std::vector<bool> scalar_regions(const Function& f) {
    std::vector<bool> scalar(f.region_count(), false);
    for (NodeId id : nodes_in_order(f, f.body())) {
        const Node& n = f.node(id);
        const bool inside =
            scalar[n.parent.index] || n.op.is(Structure::apply_) || n.op.is(Structure::reduce_);
        for (uint32_t k = 0; k < n.regions_count; ++k) scalar[n.regions_begin + k] = inside;
    }
    return scalar;
}

bool passed_by_value(const Function& f, ValueId value) {
    if (!f.type(value).scalar()) return false;
    const Node* definition = f.definition(value);
    if (definition == nullptr) return f.value(value).parameter_of == f.body();
    return definition->op.elementwise() || definition->op.is(Structure::constant_) ||
           definition->op.is(Structure::extent_);
}

std::vector<ValueId> inputs_of(const Function& f, NodeId id) {
    const Node& n = f.node(id);
    std::vector<ValueId> found(f.operands(n).begin(), f.operands(n).end());
    if (n.regions_count == 0) return found;
    std::vector<NodeId> inner;
    for (uint32_t k = 0; k < n.regions_count; ++k) {
        for (NodeId i : nodes_in_order(f, f.region_of(n, k))) inner.push_back(i);
    }
    std::unordered_set<uint32_t> inside;
    const auto regions_of = [&](const Node& owner, auto visit) {
        for (uint32_t k = 0; k < owner.regions_count; ++k) visit(f.region(f.region_of(owner, k)));
    };
    const auto define = [&](const Region& r) {
        for (ValueId p : r.parameters) inside.insert(p.index);
    };
    regions_of(n, define);
    for (NodeId i : inner) {
        regions_of(f.node(i), define);
        for (uint32_t r = 0; r < f.node(i).results_count; ++r) inside.insert(f.result(i, r).index);
    }
    std::unordered_set<uint32_t> known;
    for (ValueId v : found) known.insert(v.index);
    const auto add = [&](std::span<const ValueId> values) {
        for (ValueId v : values) {
            if (!inside.contains(v.index) && known.insert(v.index).second) found.push_back(v);
        }
    };
    regions_of(n, [&](const Region& r) { add(r.yields); });
    for (NodeId i : inner) {
        add(f.operands(i));
        regions_of(f.node(i), [&](const Region& r) { add(r.yields); });
    }
    return found;
}

}  // namespace fuseline::ir
