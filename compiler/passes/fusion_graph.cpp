// fusion::Graph: one forward walk for host values and costs, one backward walk for what is live.
#include "compiler/passes/fusion_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/walk.h"

namespace fuseline::fusion {

using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

namespace {

constexpr uint32_t kInexactCost = 16;   ///< a function that is no single instruction
constexpr uint32_t kLoopCost = 1'000;   ///< a scalar loop of unknown length
constexpr uint32_t kFoldCost = 10'000;  ///< a reduction
constexpr uint32_t kMaxCost = 1'000'000;

bool stands_alone(ir::Opcode op) {
    constexpr Structure kAlone[] = {Structure::loop_, Structure::if_, Structure::matmul_, Structure::reshape_,
                                    Structure::assert_, Structure::group_};
    return std::ranges::any_of(kAlone, [&](Structure s) { return op.is(s); });
}

}  // namespace

Graph::Graph(const ir::Function& function, ir::RegionId region, bool fuse)
    : f_(function), region_(region), fuse_(fuse), scalar_regions_(ir::scalar_regions(function)) {
    find_host();
    find_live();
    find_steps();
    find_costs();
}

int Graph::step_of(ValueId v) const {
    const NodeId id = f_.value(v).definition;
    return id ? step_of_node_[id.index] : -1;
}

bool Graph::constant(ValueId v) const {
    const Node* n = f_.definition(v);
    return n != nullptr && n->op.is(Structure::constant_);
}

void Graph::find_host() {
    host_.assign(f_.value_count(), false);
    std::vector<bool> sized(f_.value_count(), false);
    for (NodeId id : ir::nodes_in_order(f_, f_.body())) {
        const Node& n = f_.node(id);
        if (n.results_count != 1 || scalar_regions_[n.parent.index]) continue;
        const ValueId v = f_.result(id);
        if (n.op.is(Structure::constant_) || n.op.is(Structure::extent_)) {
            host_[v.index] = true;
            sized[v.index] = n.op.is(Structure::extent_);
        } else if (n.op.elementwise() && f_.type(v).scalar()) {
            const auto operands = f_.operands(n);
            const bool closed = std::ranges::all_of(operands, [&](ValueId o) { return host_[o.index]; });
            sized[v.index] = std::ranges::any_of(operands, [&](ValueId o) { return sized[o.index]; });
            // A function of constants alone is left to the device: the same argument has the same bits
            // everywhere there.
            host_[v.index] = closed && (row(n.op.op()).has(kExact) || sized[v.index]);
        }
    }
}

void Graph::find_live() {
    live_.assign(f_.node_count(), false);
    std::vector<ValueId> todo = f_.region(region_).yields;
    for (NodeId id : f_.region(region_).nodes) {
        if (f_.node(id).op.pure() && !has_effect(id)) continue;
        live_[id.index] = true;
        for (ValueId v : find_inputs(id)) todo.push_back(v);
    }
    while (!todo.empty()) {
        const NodeId id = f_.value(todo.back()).definition;
        todo.pop_back();
        if (!id || live_[id.index]) continue;
        live_[id.index] = true;
        for (ValueId v : find_inputs(id)) todo.push_back(v);
    }
}

std::vector<ValueId> Graph::find_inputs(NodeId id) const {
    std::vector<ValueId> found;
    for (ValueId v : ir::inputs_of(f_, id)) {
        if (std::ranges::find(found, v) == found.end()) found.push_back(v);
    }
    return found;
}

/// A loop or branch with an assertion inside runs though nobody needs its results.
bool Graph::has_effect(NodeId id) const {
    const Node& n = f_.node(id);
    for (uint32_t k = 0; k < n.regions_count; ++k) {
        for (NodeId inner : ir::nodes_in_order(f_, f_.region_of(n, k))) {
            if (!f_.node(inner).op.pure()) return true;
        }
    }
    return false;
}

void Graph::find_steps() {
    step_of_node_.assign(f_.node_count(), -1);
    for (NodeId id : f_.region(region_).nodes) {
        const Node& n = f_.node(id);
        const bool host = n.results_count != 0 && host_[n.results_begin];
        if (!live_[id.index] || host || n.op.is(Structure::check_)) continue;
        step_of_node_[id.index] = static_cast<int>(steps_.size());
        steps_.push_back(id);
        inputs_.push_back(find_inputs(id));
    }
    users_.resize(steps_.size());
    for (uint32_t s = 0; s < steps_.size(); ++s) {
        for (ValueId v : inputs_[s]) {
            const int producer = step_of(v);
            if (producer < 0) continue;
            auto& users = users_[static_cast<size_t>(producer)];
            if (users.empty() || users.back() != s) users.push_back(s);
        }
    }
}

uint32_t operation_cost(const ir::Function& f, NodeId id) {
    const Node& n = f.node(id);
    if (n.op.elementwise()) return row(n.op.op()).has(kExact) ? 1 : kInexactCost;
    if (n.op.is(Structure::reduce_)) return kFoldCost;
    if (n.op.is(Structure::while_) || n.op.is(Structure::for_)) return kLoopCost;
    return n.op.is(Structure::if_) ? 1 : 0;
}

uint32_t Graph::own_cost(NodeId id) const {
    const Node& n = f_.node(id);
    const bool alone = stands_alone(n.op) && !scalar_regions_[n.parent.index];
    return alone ? kMaxCost : operation_cost(f_, id);
}

void Graph::find_costs() {
    cost_.resize(steps_.size());
    weight_.resize(steps_.size());
    must_store_.resize(steps_.size());
    folds_.resize(steps_.size());
    loops_.resize(steps_.size());
    for (NodeId id : steps_) alone_.push_back(stands_alone(f_.node(id).op));
    for (uint32_t s = 0; s < steps_.size(); ++s) {
        const Node& n = f_.node(steps_[s]);
        uint64_t cost = own_cost(steps_[s]);
        uint32_t weight = 1;
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            for (NodeId inner : ir::nodes_in_order(f_, f_.region_of(n, k))) {
                cost += own_cost(inner);
                ++weight;
                const ir::Opcode op = f_.node(inner).op;
                loops_[s] = loops_[s] || op.is(Structure::while_) || op.is(Structure::for_);
            }
        }
        for (ValueId v : inputs_[s]) {
            const int producer = step_of(v);
            if (producer < 0) continue;
            const auto p = static_cast<size_t>(producer);
            if (!must_store_[p].empty()) continue;
            cost += cost_[p];
            folds_[s] = folds_[s] || folds_[p];
            loops_[s] = loops_[s] || loops_[p];
        }
        folds_[s] = folds_[s] || n.op.is(Structure::reduce_);
        cost_[s] = static_cast<uint32_t>(std::min<uint64_t>(cost, kMaxCost));
        weight_[s] = weight;
        must_store_[s] = store_reason(s);
    }
}

bool Graph::repeats(uint32_t view) const {
    if (f_.node(steps_[view]).op.is(Structure::gather_)) return true;
    const auto& map = std::get<ir::IndexMap>(f_.node(steps_[view]).attribute);
    const auto& extents = shape(view);
    for (uint32_t axis = 0; axis < extents.size(); ++axis) {
        if (f_.extents.is_one(extents[axis])) continue;
        const bool used = std::ranges::any_of(map, [&](const ir::Affine& a) {
            return std::ranges::any_of(a.terms, [&](const ir::Affine::Term& t) { return t.axis == axis; });
        });
        if (!used) return true;
    }
    return false;
}

bool Graph::is_view(uint32_t step) const {
    const ir::Opcode op = f_.node(node(step)).op;
    return op.is(Structure::view_) || op.is(Structure::window_) || op.is(Structure::gather_);
}

const std::vector<ExtentId>& Graph::shape(uint32_t step) const {
    static const std::vector<ExtentId> none;  // of an assertion, which has no result
    const Node& n = f_.node(node(step));
    return n.results_count == 0 ? none : f_.type(f_.result(node(step))).shape;
}

const std::vector<ExtentId>& Graph::domain(uint32_t step) const {
    return is_update(step) ? f_.type(f_.operands(node(step))[1]).shape : shape(step);
}

bool Graph::same_element(uint32_t step, uint32_t user) const {
    const bool elsewhere = is_view(user) || alone(user) || f_.node(node(user)).op.is(Structure::reduce_);
    return !elsewhere && domain(user) == shape(step);
}

/// Whether a step's value depends on `value`, through whatever steps of the region.
bool Graph::reads(uint32_t step, ValueId value) const {
    std::vector<uint32_t> todo{step};
    std::vector<bool> seen(steps_.size(), false);
    while (!todo.empty()) {
        const uint32_t s = todo.back();
        todo.pop_back();
        for (ValueId v : inputs_[s]) {
            if (v == value) return true;
            const int producer = step_of(v);
            if (producer < 0 || seen[static_cast<size_t>(producer)]) continue;
            seen[static_cast<size_t>(producer)] = true;
            todo.push_back(static_cast<uint32_t>(producer));
        }
    }
    return false;
}

/// Why a user needs a step's value in memory, or "".
Reason Graph::needed_in_memory(uint32_t step) const {
    if (alone(step)) return fmt::format("a {} is no part of a kernel", f_.node(node(step)).op.name());
    if (is_update(step)) return "an updated array stands in memory";
    for (uint32_t user : users_[step]) {
        const auto operands = f_.operands(node(user));
        const bool first = !operands.empty() && step_of(operands[0]) == static_cast<int>(step);
        if (alone(user)) return fmt::format("a {} needs it in memory", f_.node(node(user)).op.name());
        if (first && f_.node(node(user)).op.is(Structure::gather_)) return "elements are gathered from it";
        if (!is_update(user)) continue;
        if (first) return "an update changes it in memory";
        if (reads(step, operands[0])) return "it is computed from the array that the update changes";
    }
    if (!fuse_ && !is_view(step)) return "fusion is off";
    if (!folds_[step]) return {};
    for (uint32_t user : users_[step]) {
        if (same_element(step, user)) continue;
        return fmt::format("it is reduced once over {}, not for each element of {}", shape_text(shape(step)),
                           shape_text(shape(user)));
    }
    return {};
}

Reason Graph::store_reason(uint32_t step) const {
    if (Reason reason = needed_in_memory(step); !reason.empty()) return reason;
    if (cheap(step)) return {};
    // Outside its operand a window computes with no element of it: a loop might never end there.
    const auto window = [&](uint32_t user) { return f_.node(node(user)).op.is(Structure::window_); };
    if (loops_[step] && std::ranges::any_of(users_[step], window))
        return "its loop runs for real elements only";
    size_t places = 0;
    bool direct = false;
    for (uint32_t user : users_[step]) {
        const bool stretched = shape(step).empty() && !shape(user).empty();
        if (stretched || (is_view(user) && repeats(user))) {
            return fmt::format("{} operations (limit {}) are done once over {}, not for each element of {}",
                               cost_[step], limit(step),
                               shape_text(shape(step)), shape_text(shape(user)));
        }
        places += is_view(user) ? 1 : 0;
        direct = direct || !is_view(user);
    }
    places += direct ? 1 : 0;
    if (places <= 1 || (places - 1) * uint64_t{cost_[step]} <= kCheapPlaces) return {};
    return fmt::format("it is read at {} places: {} operations again are over the limit of {}", places,
                       (places - 1) * uint64_t{cost_[step]}, kCheapPlaces);
}

std::string Graph::describe(uint32_t step) const {
    const std::string_view name = f_.value_name(f_.result(node(step)));
    if (!name.empty()) return fmt::format("`{}`", name);
    return fmt::format("{} ({})", f_.node(node(step)).op.name(), step);
}

std::string Graph::shape_text(const std::vector<ExtentId>& shape) const {
    std::string text = "[";
    for (size_t k = 0; k < shape.size(); ++k) text += (k == 0 ? "" : ", ") + f_.extents.text(shape[k]);
    return text + "]";
}

}  // namespace fuseline::fusion
