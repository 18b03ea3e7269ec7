// Demand-driven tracing: a value is asked for under an index map and a guard, once for each different pair.
#include "compiler/schedule/trace.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "compiler/ir/walk.h"
#include "compiler/schedule/interner.h"
#include "compiler/support/errors.h"

namespace fuseline::schedule_map {

using ir::Affine;
using ir::Function;
using ir::IndexMap;
using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

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
    Tracer(const Function& f, NodeId group, ExtentPool& pool, const std::set<ValueId>& held);
    Trace run();

private:
    using Guard = std::vector<Condition>;
    /// A value at mapped elements, of which those outside the guard are not loaded.
    struct Demand {
        ValueId value;
        uint32_t map = 0, guard = 0;
        auto operator<=>(const Demand&) const = default;
    };
    uint32_t intern(IndexMap map);
    uint32_t intern(Guard guard);
    Demand demand(ValueId value, uint32_t map, uint32_t guard) const {
        const bool scalar = f_.type(value).rank() == 0;
        return {value, scalar ? 0 : map, scalar ? 0 : guard};
    }
    Affine compose(const Affine& outer, const IndexMap& inner);
    uint32_t compose(const IndexMap& outer, uint32_t inner);
    Affine linear(const std::vector<ExtentId>& shape, const IndexMap& at);
    uint32_t identity(const std::vector<ExtentId>& shape);
    void find_domain();
    std::optional<Condition> condition(const Affine& index, ExtentId extent);

    bool expand(const Demand& d, std::vector<Demand>& todo);
    bool step(NodeId id, const Demand& d, std::vector<Demand>& todo);
    bool view(NodeId id, const Demand& d, std::vector<Demand>& todo);
    bool window(NodeId id, const Demand& d, std::vector<Demand>& todo);
    bool gather(NodeId id, const Demand& d, std::vector<Demand>& todo);
    bool fold(NodeId id, const Demand& d, std::vector<Demand>& todo);
    void index(NodeId id, const Demand& d);
    void leaf(const Demand& d);
    Ref guard_item(uint32_t guard);
    const Ref* wait(const Demand& d, std::vector<Demand>& todo) const;
    Ref add(Item item);
    void define(const Demand& d, Item item);
    void hold(const Demand& d, Ref ref);
    void define_all(NodeId id, const Demand& d, Item item);
    int space_of(const Affine& a) const;
    int space(const std::vector<ExtentId>& shape, const std::vector<uint32_t>& axes, uint32_t map);
    uint32_t order_of(NodeId id) const;
    Output output(ValueId yielded);

    const Function& f_;
    NodeId group_;
    ExtentPool& pool_;
    Trace trace_;
    Interner<IndexMap> maps_;  ///< map 0 has no axes: that of rank-0 values
    Interner<Guard> guards_;   ///< guard 0 is none
    std::map<Demand, Ref> refs_;
    std::map<uint32_t, Ref> guard_refs_;
    const std::set<ValueId>& held_;
    /// By shape, reduced axes and the map of what is left.
    std::map<std::tuple<std::vector<ExtentId>, std::vector<uint32_t>, uint32_t>, int> spaces_;
    std::vector<int> axis_space_;                        ///< number of an axis's space; -1 in the domain
    std::unordered_map<uint32_t, uint32_t> operand_of_;  ///< region parameter -> operand
    std::unordered_map<uint32_t, uint32_t> order_;       ///< node -> position in the group
};

Tracer::Tracer(const Function& f, NodeId group, ExtentPool& pool, const std::set<ValueId>& held)
    : f_(f), group_(group), pool_(pool), held_(held) {
    const ir::Region& region = f.region(f.region_of(f.node(group), 0));
    for (uint32_t k = 0; k < region.parameters.size(); ++k) operand_of_[region.parameters[k].index] = k;
    for (uint32_t k = 0; k < region.nodes.size(); ++k) order_[region.nodes[k].index] = k + 1;
    maps_.intern({}, {});
    guards_.intern({}, {});
    trace_.rows = std::get<std::string>(f.node(group).attribute) == "rows";
    find_domain();
}

/// What the nest runs over; the reduced axes of rows are a space from the beginning.
void Tracer::find_domain() {
    const ir::Region& region = f_.region(f_.region_of(f_.node(group_), 0));
    const Node* first = f_.definition(region.yields.front());
    const bool update = first != nullptr && first->op.is(Structure::update_);
    trace_.domain = f_.type(update ? f_.operands(*first)[1] : region.yields.front()).shape;
    if (trace_.rows) {
        const auto reduce = std::ranges::find_if(
            region.nodes, [&](NodeId id) { return f_.node(id).op.is(Structure::reduce_); });
        require(reduce != region.nodes.end(), "schedule: rows without a reduction");
        const std::vector<ExtentId>& full = f_.type(f_.operands(*reduce)[0]).shape;
        const auto& axes = std::get<ir::ReducedAxes>(f_.node(*reduce).attribute).axes;
        trace_.domain.assign(full.begin(), full.begin() + axes.front());
        trace_.extents = trace_.domain;
        axis_space_.assign(trace_.domain.size(), -1);
        space(full, axes, identity(trace_.domain));
        return;
    }
    trace_.extents = trace_.domain;
    axis_space_.assign(trace_.domain.size(), -1);
}

uint32_t Tracer::intern(IndexMap map) {
    std::vector<uint32_t> key;
    for (const Affine& a : map) append_key(key, a);
    return maps_.intern(std::move(key), std::move(map));
}

uint32_t Tracer::intern(Guard guard) {
    std::vector<uint32_t> key;
    for (const Condition& c : guard) {
        append_key(key, c.index);
        key.insert(key.end(), {c.extent.index, c.low, c.high});
    }
    return guards_.intern(std::move(key), std::move(guard));
}

Affine Tracer::compose(const Affine& outer, const IndexMap& inner) {
    Affine all{outer.offset, {}};
    for (const Affine::Term& t : outer.terms) all = add_scaled(pool_, all, t.coefficient, inner[t.axis]);
    return all;
}

uint32_t Tracer::compose(const IndexMap& outer, uint32_t inner) {
    IndexMap at;
    for (const Affine& a : outer) at.push_back(compose(a, maps_[inner]));
    return intern(std::move(at));
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

/// Each axis of the domain, and of the row, as itself; where a shape has an extent of 1 its index is 0.
uint32_t Tracer::identity(const std::vector<ExtentId>& shape) {
    IndexMap map;
    for (uint32_t axis = 0; axis < shape.size(); ++axis) {
        Affine a{pool_.constant(0), {}};
        if (!pool_.is_one(shape[axis])) a.terms.push_back({axis, pool_.constant(1)});
        map.push_back(std::move(a));
    }
    return intern(std::move(map));
}

/// The space that some axes of a shape are, at mapped indices of the other ones.
int Tracer::space(const std::vector<ExtentId>& shape, const std::vector<uint32_t>& axes, uint32_t map) {
    const int number = static_cast<int>(trace_.spaces.size());
    const auto [at, added] = spaces_.try_emplace({shape, axes, map}, number);
    if (!added) return at->second;
    trace_.spaces.emplace_back();
    for (uint32_t axis : axes) {
        trace_.spaces.back().push_back(static_cast<uint32_t>(trace_.extents.size()));
        trace_.extents.push_back(shape[axis]);
        axis_space_.push_back(number);
    }
    return number;
}

/// The sides of 0 <= index < extent that the extents of the axes do not prove; nullopt where they prove both.
std::optional<Condition> Tracer::condition(const Affine& index, ExtentId extent) {
    ExtentId least = index.offset, most = index.offset;
    bool low_known = true, high_known = true;
    for (const Affine::Term& t : index.terms) {
        const ExtentId last = pool_.sub(trace_.extents[t.axis], pool_.constant(1));
        const ExtentId reach = pool_.mul(t.coefficient, last);
        if (pool_.provably_nonnegative(t.coefficient)) {
            most = pool_.add(most, reach);
        } else if (pool_.provably_nonnegative(pool_.negate(t.coefficient))) {
            least = pool_.add(least, reach);
        } else {
            low_known = high_known = false;
        }
    }
    Condition c{index, extent, !(low_known && pool_.provably_nonnegative(least)),
                !(high_known && pool_.provably_le(pool_.add(most, pool_.constant(1)), extent))};
    if (!c.low && !c.high) return std::nullopt;
    return c;
}

int Tracer::space_of(const Affine& a) const {
    int space = -1;
    for (const Affine::Term& t : a.terms) space = std::max(space, axis_space_[t.axis]);
    return space;
}

uint32_t Tracer::order_of(NodeId id) const {
    const auto order = order_.find(id.index);
    return order == order_.end() ? 0 : order->second;
}

/// An item stands in the space that one of its inputs needs.
Ref Tracer::add(Item item) {
    const auto see = [&](Ref r) {
        if (r.item >= 0) item.space = std::max(item.space, trace_.items[static_cast<size_t>(r.item)].space);
    };
    item.space = space_of(item.affine);
    for (const Condition& c : item.conditions) item.space = std::max(item.space, space_of(c.index));
    for (Ref r : item.inputs) see(r);
    see(item.guard);
    trace_.items.push_back(std::move(item));
    return {static_cast<int>(trace_.items.size()) - 1, 0};
}

/// Values of a row are held where they stand themselves.
void Tracer::hold(const Demand& d, Ref ref) {
    if (!held_.contains(d.value) || d.map != identity(f_.type(d.value).shape) || d.guard != 0) return;
    trace_.items[static_cast<size_t>(ref.item)].held = true;
}

void Tracer::define(const Demand& d, Item item) {
    const Ref ref = add(std::move(item));
    refs_[d] = ref;
    hold(d, ref);
}

void Tracer::define_all(NodeId id, const Demand& d, Item item) {
    Ref ref = add(std::move(item));
    for (; ref.result < f_.node(id).results_count; ++ref.result) {
        const Demand one{f_.result(id, ref.result), d.map, d.guard};
        refs_[one] = ref;
        hold(one, ref);
    }
}

/// The item that meets a demand; null, with the demand noted, where there is none yet.
const Ref* Tracer::wait(const Demand& d, std::vector<Demand>& todo) const {
    const auto known = refs_.find(d);
    if (known != refs_.end()) return &known->second;
    todo.push_back(d);
    return nullptr;
}

Ref Tracer::guard_item(uint32_t guard) {
    if (guard == 0) return {};
    const auto known = guard_refs_.find(guard);
    if (known != guard_refs_.end()) return known->second;
    Item item;
    item.kind = ItemKind::inside;
    item.conditions = guards_[guard];
    return guard_refs_[guard] = add(std::move(item));
}

/// A parameter of the group's region.
void Tracer::leaf(const Demand& d) {
    const auto found = operand_of_.find(d.value.index);
    require(found != operand_of_.end(), "schedule: a group uses an array from outside");
    Item item;
    item.operand = found->second;
    if (ir::passed_by_value(f_, f_.operands(group_)[found->second])) {
        item.kind = ItemKind::scalar;
        item.invariant = true;
    } else {
        item.kind = ItemKind::load;
        item.affine = linear(f_.type(d.value).shape, maps_[d.map]);
        item.guard = guard_item(d.guard);
    }
    define(d, std::move(item));
}

/// An elementwise node, an apply or a constant: its inputs at the same element.
bool Tracer::step(NodeId id, const Demand& d, std::vector<Demand>& todo) {
    const size_t before = todo.size();
    Item item;
    item.node = id;
    item.invariant = true;
    item.order = order_of(id);
    for (ValueId v : ir::inputs_of(f_, id)) {
        const Ref* known = wait(demand(v, d.map, d.guard), todo);
        if (known == nullptr) continue;
        item.inputs.push_back(*known);
        item.invariant = item.invariant && trace_.items[static_cast<size_t>(known->item)].invariant;
    }
    if (todo.size() != before) return false;
    define_all(id, d, std::move(item));
    return true;
}

void Tracer::index(NodeId id, const Demand& d) {
    Item item;
    item.kind = ItemKind::index;
    item.node = id;
    item.order = order_of(id);
    item.affine = compose(std::get<Affine>(f_.node(id).attribute), maps_[d.map]);
    define(d, std::move(item));
}

bool Tracer::view(NodeId id, const Demand& d, std::vector<Demand>& todo) {
    const Node& n = f_.node(id);
    const uint32_t at = compose(std::get<IndexMap>(n.attribute), d.map);
    const Ref* known = wait(demand(f_.operands(n)[0], at, d.guard), todo);
    if (known == nullptr) return false;
    refs_[d] = *known;
    return true;
}

bool Tracer::window(NodeId id, const Demand& d, std::vector<Demand>& todo) {
    const Node& n = f_.node(id);
    const ValueId source = f_.operands(n)[0];
    const uint32_t at = compose(std::get<IndexMap>(n.attribute), d.map);
    Guard inside;
    for (size_t axis = 0; axis < f_.type(source).rank(); ++axis) {
        if (const auto c = condition(maps_[at][axis], f_.type(source).shape[axis])) inside.push_back(*c);
    }
    Guard all = guards_[d.guard];
    all.insert(all.end(), inside.begin(), inside.end());
    const uint32_t own = intern(std::move(inside)), guard = intern(std::move(all));
    const Demand wanted = demand(source, at, guard);
    const Ref* element = wait(wanted, todo);
    const Ref* fill = wait(demand(f_.operands(n)[1], 0, 0), todo);
    if (element == nullptr || fill == nullptr) return false;
    if (own == 0) {
        refs_[d] = *element;
        return true;
    }
    Item& loaded = trace_.items[static_cast<size_t>(element->item)];
    if (loaded.kind == ItemKind::load && own == guard && loaded.fill.item < 0) {
        // The load gives the fill itself; who wants it with another one loads again.
        loaded.fill = *fill;
        refs_[d] = *element;
        refs_.erase(wanted);
        return true;
    }
    Item item;
    item.kind = ItemKind::choice;
    item.node = id;
    item.order = order_of(id);
    item.inputs = {guard_item(own), *element, *fill};
    define(d, std::move(item));
    return true;
}

bool Tracer::gather(NodeId id, const Demand& d, std::vector<Demand>& todo) {
    const auto operands = f_.operands(f_.node(id));
    const size_t before = todo.size();
    Item item;
    item.kind = ItemKind::gather;
    item.node = id;
    item.order = order_of(id);
    for (ValueId v : operands.subspan(1)) {
        if (const Ref* known = wait(demand(v, d.map, d.guard), todo)) item.inputs.push_back(*known);
    }
    if (todo.size() != before) return false;
    const auto found = operand_of_.find(operands[0].index);
    require(found != operand_of_.end(), "schedule: elements are gathered from what no memory holds");
    item.operand = found->second;
    item.guard = guard_item(d.guard);
    define(d, std::move(item));
    return true;
}

bool Tracer::fold(NodeId id, const Demand& d, std::vector<Demand>& todo) {
    const Node& n = f_.node(id);
    const auto operands = f_.operands(n);
    const size_t arrays = operands.size() / 2;
    const std::vector<uint32_t>& reduced = std::get<ir::ReducedAxes>(n.attribute).axes;
    const std::vector<ExtentId>& shape = f_.type(operands[0]).shape;
    const int over = space(shape, reduced, d.map);
    const std::vector<uint32_t> axes = trace_.spaces[static_cast<size_t>(over)];
    IndexMap map;
    for (uint32_t axis = 0, kept = 0, next = 0; axis < shape.size(); ++axis) {
        if (next < reduced.size() && reduced[next] == axis) {
            Affine own{pool_.constant(0), {}};
            if (!pool_.is_one(shape[axis])) own.terms.push_back({axes[next], pool_.constant(1)});
            map.push_back(std::move(own));
            ++next;
        } else {
            map.push_back(maps_[d.map][kept++]);
        }
    }
    const uint32_t at = intern(std::move(map));
    const size_t before = todo.size();
    Item item;
    item.kind = ItemKind::fold;
    item.node = id;
    item.order = order_of(id);
    const std::vector<ValueId> inputs = ir::inputs_of(f_, id);
    for (size_t k = 0; k < inputs.size(); ++k) {
        const Ref* known = wait(k < arrays ? demand(inputs[k], at, d.guard) : demand(inputs[k], 0, 0), todo);
        if (known != nullptr) (k < arrays ? item.elements : item.inputs).push_back(*known);
    }
    if (todo.size() != before) return false;
    item.over = over;
    define_all(id, d, std::move(item));
    return true;
}

/// True when the demand is met; else what it waits for has been added.
bool Tracer::expand(const Demand& d, std::vector<Demand>& todo) {
    if (refs_.count(d)) return true;
    const NodeId id = f_.value(d.value).definition;
    const ir::Opcode op = id ? f_.node(id).op : ir::Opcode();
    if (!id) {
        leaf(d);
    } else if (op.is(Structure::index_)) {
        index(id, d);
    } else if (op.is(Structure::view_)) {
        return view(id, d, todo);
    } else if (op.is(Structure::window_)) {
        return window(id, d, todo);
    } else if (op.is(Structure::gather_)) {
        return gather(id, d, todo);
    } else if (op.is(Structure::reduce_)) {
        return fold(id, d, todo);
    } else {
        return step(id, d, todo);
    }
    return true;
}

Output Tracer::output(ValueId yielded) {
    const NodeId id = f_.value(yielded).definition;
    const bool update = id && f_.node(id).op.is(Structure::update_);
    const ValueId value = update ? f_.operands(id)[1] : yielded;
    const std::vector<ExtentId>& shape = f_.type(value).shape;
    require(trace_.rows || shape == trace_.domain, "schedule: a group stores values of two shapes");
    const uint32_t here = identity(shape);
    const Demand wanted = demand(value, here, 0);
    std::vector<Demand> todo{wanted};
    while (!todo.empty()) {
        const Demand next = todo.back();
        if (expand(next, todo)) todo.pop_back();
    }
    Output out{refs_.at(wanted), linear(shape, maps_[here]), -1};
    out.space = space_of(out.place);
    if (!update) return out;
    const ValueId base = f_.operands(id)[0];
    trace_.updated = operand_of_.at(base.index);
    const uint32_t places = compose(std::get<IndexMap>(f_.node(id).attribute), here);
    out.place = linear(f_.type(base).shape, maps_[places]);
    return out;
}

Trace Tracer::run() {
    const ir::Region& region = f_.region(f_.region_of(f_.node(group_), 0));
    for (ValueId v : region.yields) trace_.outputs.push_back(output(v));
    require(!trace_.updated || region.yields.size() == 1, "schedule: an update shares its kernel");
    return std::move(trace_);
}

}  // namespace

Trace trace_group(const Function& function, NodeId group, ExtentPool& pool, const std::set<ValueId>& held) {
    return Tracer(function, group, pool, held).run();
}

}  // namespace fuseline::schedule_map
