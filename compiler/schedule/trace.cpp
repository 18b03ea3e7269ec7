// Demand-driven tracing: a value is asked for under an index map, once for each different map.
#include "compiler/schedule/trace.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/ir/walk.h"
#include "compiler/support/errors.h"

namespace fuseline::schedule_map {

using ir::Affine;
using ir::Function;
using ir::IndexMap;
using ir::Node;
using ir::NodeId;
using ir::RegionId;
using ir::Structure;
using ir::ValueId;

std::vector<ValueId> inputs_of(const Function& f, NodeId id) {
    const Node& n = f.node(id);
    std::vector<ValueId> found(f.operands(n).begin(), f.operands(n).end());
    if (n.regions_count == 0) return found;
    std::unordered_map<uint32_t, bool> inside;
    const auto regions_of = [&](const Node& owner, auto visit) {
        for (uint32_t k = 0; k < owner.regions_count; ++k) visit(f.region(f.region_of(owner, k)));
    };
    const auto define = [&](const ir::Region& r) {
        for (ValueId p : r.parameters) inside[p.index] = true;
    };
    const auto add = [&](std::span<const ValueId> values) {
        for (ValueId v : values) {
            if (!inside.count(v.index) && std::ranges::find(found, v) == found.end()) found.push_back(v);
        }
    };
    regions_of(n, define);
    for (uint32_t k = 0; k < n.regions_count; ++k) {
        for (NodeId inner : ir::nodes_in_order(f, f.region_of(n, k))) {
            const Node& i = f.node(inner);
            regions_of(i, define);
            for (uint32_t r = 0; r < i.results_count; ++r) inside[f.result(inner, r).index] = true;
        }
    }
    for (uint32_t k = 0; k < n.regions_count; ++k) {
        add(f.region(f.region_of(n, k)).yields);
        for (NodeId inner : ir::nodes_in_order(f, f.region_of(n, k))) {
            add(f.operands(inner));
            regions_of(f.node(inner), [&](const ir::Region& r) { add(r.yields); });
        }
    }
    return found;
}

bool passed_by_value(const Function& f, ValueId operand) {
    if (!f.type(operand).scalar()) return false;
    const Node* definition = f.definition(operand);
    return definition == nullptr || !definition->op.is(Structure::group_);
}

Affine add_scaled(ExtentPool& pool, const Affine& a, ExtentId scale, const Affine& b) {
    Affine sum{pool.add(a.offset, pool.mul(scale, b.offset)), {}};
    size_t i = 0, j = 0;
    while (i < a.terms.size() || j < b.terms.size()) {
        const bool left = j == b.terms.size() || (i < a.terms.size() && a.terms[i].axis <= b.terms[j].axis);
        const bool right = i == a.terms.size() || (j < b.terms.size() && b.terms[j].axis <= a.terms[i].axis);
        Affine::Term term = left ? a.terms[i] : Affine::Term{b.terms[j].axis, pool.constant(0)};
        if (right) term.coefficient = pool.add(term.coefficient, pool.mul(scale, b.terms[j].coefficient));
        i += left ? 1 : 0;
        j += right ? 1 : 0;
        if (pool.constant_value(term.coefficient) != 0) sum.terms.push_back(term);
    }
    return sum;
}

namespace {

class Tracer {
public:
    Tracer(const Function& f, NodeId group, ExtentPool& pool);
    Trace run();

private:
    using Key = std::pair<uint32_t, uint32_t>;  ///< value, map
    struct Demand {
        ValueId value;
        uint32_t map = 0;
    };
    uint32_t intern(IndexMap map);
    uint32_t map_for(ValueId value, uint32_t map) const { return f_.type(value).rank() == 0 ? 0 : map; }
    Affine compose(const Affine& outer, const IndexMap& inner);
    Affine linear(const std::vector<ExtentId>& shape, const IndexMap& at);
    const IndexMap& coordinates(uint32_t map) const { return maps_[map]; }
    bool expand(const Demand& demand, std::vector<Demand>& todo);
    bool step(NodeId id, const Demand& demand, std::vector<Demand>& todo);
    void leaf(const Demand& demand);
    void define(const Demand& demand, Item item);
    void define_step(NodeId id, uint32_t map, Item item);

    const Function& f_;
    NodeId group_;
    ExtentPool& pool_;
    Trace trace_;
    std::vector<IndexMap> maps_{{}};  ///< map 0 has no axes: that of rank-0 values
    std::map<std::vector<uint32_t>, uint32_t> map_ids_;
    std::map<Key, Ref> refs_;
    std::unordered_map<uint32_t, uint32_t> operand_of_;  ///< region parameter -> operand
    std::unordered_map<uint32_t, uint32_t> order_;       ///< node -> position in the group
};

Tracer::Tracer(const Function& f, NodeId group, ExtentPool& pool) : f_(f), group_(group), pool_(pool) {
    const ir::Region& region = f.region(f.region_of(f.node(group), 0));
    for (uint32_t k = 0; k < region.parameters.size(); ++k) operand_of_[region.parameters[k].index] = k;
    for (uint32_t k = 0; k < region.nodes.size(); ++k) order_[region.nodes[k].index] = k + 1;
    map_ids_[{}] = 0;
    trace_.domain = f.type(region.yields.front()).shape;
}

uint32_t Tracer::intern(IndexMap map) {
    std::vector<uint32_t> key;
    for (const Affine& a : map) {
        key.push_back(a.offset.index);
        key.push_back(static_cast<uint32_t>(a.terms.size()));
        for (const Affine::Term& t : a.terms) {
            key.push_back(t.axis);
            key.push_back(t.coefficient.index);
        }
    }
    const auto [at, added] = map_ids_.try_emplace(std::move(key), static_cast<uint32_t>(maps_.size()));
    if (added) maps_.push_back(std::move(map));
    return at->second;
}

Affine Tracer::compose(const Affine& outer, const IndexMap& inner) {
    Affine all{outer.offset, {}};
    for (const Affine::Term& t : outer.terms) all = add_scaled(pool_, all, t.coefficient, inner[t.axis]);
    return all;
}

Affine Tracer::linear(const std::vector<ExtentId>& shape, const IndexMap& at) {
    Affine all;
    ExtentId stride = pool_.constant(1);
    for (size_t axis = shape.size(); axis-- > 0;) {
        // The index of a unit axis is 0 whatever the map says.
        if (!pool_.is_one(shape[axis])) all = add_scaled(pool_, all, stride, at[axis]);
        stride = pool_.mul(stride, shape[axis]);
    }
    return all;
}

void Tracer::define(const Demand& demand, Item item) {
    refs_[{demand.value.index, demand.map}] = {static_cast<int>(trace_.items.size()), 0};
    trace_.items.push_back(std::move(item));
}

void Tracer::define_step(NodeId id, uint32_t map, Item item) {
    const Node& n = f_.node(id);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        refs_[{f_.result(id, k).index, map}] = {static_cast<int>(trace_.items.size()), k};
    }
    trace_.items.push_back(std::move(item));
}

/// A parameter of the group's region.
void Tracer::leaf(const Demand& demand) {
    const auto found = operand_of_.find(demand.value.index);
    require(found != operand_of_.end(), "schedule: a group uses an array from outside");
    Item item;
    item.operand = found->second;
    if (passed_by_value(f_, f_.operands(group_)[found->second])) {
        item.kind = ItemKind::scalar;
        item.invariant = true;
    } else {
        item.kind = ItemKind::load;
        item.affine = linear(f_.type(demand.value).shape, coordinates(demand.map));
    }
    define(demand, std::move(item));
}

/// An elementwise node, an apply or a constant: its inputs at the same element.
bool Tracer::step(NodeId id, const Demand& demand, std::vector<Demand>& todo) {
    const size_t before = todo.size();
    Item item;
    item.node = id;
    item.invariant = true;
    const auto order = order_.find(id.index);
    item.order = order == order_.end() ? 0 : order->second;
    for (ValueId v : inputs_of(f_, id)) {
        const Demand input{v, map_for(v, demand.map)};
        const auto known = refs_.find({v.index, input.map});
        if (known == refs_.end()) {
            todo.push_back(input);
        } else {
            item.inputs.push_back(known->second);
            item.invariant =
                item.invariant && trace_.items[static_cast<size_t>(known->second.item)].invariant;
        }
    }
    if (todo.size() != before) return false;
    define_step(id, demand.map, std::move(item));
    return true;
}

/// True when the demand is met; else what it waits for has been added.
bool Tracer::expand(const Demand& demand, std::vector<Demand>& todo) {
    if (refs_.count({demand.value.index, demand.map})) return true;
    const NodeId id = f_.value(demand.value).definition;
    if (!id) {
        leaf(demand);
        return true;
    }
    const Node& n = f_.node(id);
    if (n.op.is(Structure::index_)) {
        Item item;
        item.kind = ItemKind::index;
        item.node = id;
        item.order = order_[id.index];
        item.affine = compose(std::get<Affine>(n.attribute), coordinates(demand.map));
        define(demand, std::move(item));
        return true;
    }
    if (!n.op.is(Structure::view_)) return step(id, demand, todo);
    const ValueId source = f_.operands(n)[0];
    IndexMap at;
    for (const Affine& a : std::get<IndexMap>(n.attribute)) at.push_back(compose(a, coordinates(demand.map)));
    const Demand inner{source, intern(std::move(at))};
    const auto known = refs_.find({source.index, inner.map});
    if (known == refs_.end()) {
        todo.push_back(inner);
        return false;
    }
    refs_[{demand.value.index, demand.map}] = known->second;
    return true;
}

Trace Tracer::run() {
    IndexMap identity;
    for (uint32_t axis = 0; axis < trace_.domain.size(); ++axis) {
        if (pool_.is_one(trace_.domain[axis])) {
            identity.push_back({pool_.constant(0), {}});
        } else {
            identity.push_back({pool_.constant(0), {{axis, pool_.constant(1)}}});
        }
    }
    trace_.store = linear(trace_.domain, identity);
    const uint32_t here = intern(std::move(identity));
    for (ValueId v : f_.region(f_.region_of(f_.node(group_), 0)).yields) {
        require(f_.type(v).shape == trace_.domain, "schedule: a group stores values of two shapes");
        const Demand output{v, map_for(v, here)};
        std::vector<Demand> todo{output};
        while (!todo.empty()) {
            const Demand next = todo.back();
            if (expand(next, todo)) todo.pop_back();
        }
        trace_.outputs.push_back(refs_.at({v.index, output.map}));
    }
    return std::move(trace_);
}

}  // namespace

Trace trace_group(const Function& function, NodeId group, ExtentPool& pool) {
    return Tracer(function, group, pool).run();
}

}  // namespace fuseline::schedule_map
