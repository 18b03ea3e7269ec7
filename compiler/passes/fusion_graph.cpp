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

constexpr uint32_t kInexactCost = 16;  ///< a function that is no single instruction
constexpr uint32_t kLoopCost = 1'000;  ///< a scalar loop of unknown length
constexpr uint32_t kMaxCost = 1'000'000;

}  // namespace

Graph::Graph(const ir::Function& function) : f_(function) {
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
    for (NodeId id : f_.region(f_.body()).nodes) {
        const Node& n = f_.node(id);
        if (n.results_count != 1) continue;
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
    std::vector<ValueId> todo = f_.region(f_.body()).yields;
    while (!todo.empty()) {
        const NodeId id = f_.value(todo.back()).definition;
        todo.pop_back();
        if (!id || live_[id.index]) continue;
        live_[id.index] = true;
        for (ValueId v : find_inputs(id)) todo.push_back(v);
    }
}

std::vector<ValueId> Graph::find_inputs(NodeId id) const {
    const Node& n = f_.node(id);
    std::vector<ValueId> found;
    const auto add = [&](ValueId v) {
        if (std::ranges::find(found, v) == found.end()) found.push_back(v);
    };
    for (ValueId v : f_.operands(n)) add(v);
    const auto outside = [&](ValueId v) {
        // Values of the body are the only ones that a region of a body node can see from outside.
        const auto& info = f_.value(v);
        return info.definition ? f_.node(info.definition).parent == f_.body()
                               : info.parameter_of == f_.body();
    };
    const auto add_outside = [&](std::span<const ValueId> values) {
        for (ValueId v : values) {
            if (outside(v)) add(v);
        }
    };
    for (uint32_t k = 0; k < n.regions_count; ++k) {
        add_outside(f_.region(f_.region_of(n, k)).yields);
        for (NodeId inner : ir::nodes_in_order(f_, f_.region_of(n, k))) {
            const Node& i = f_.node(inner);
            add_outside(f_.operands(i));
            for (uint32_t r = 0; r < i.regions_count; ++r) add_outside(f_.region(f_.region_of(i, r)).yields);
        }
    }
    return found;
}

void Graph::find_steps() {
    step_of_node_.assign(f_.node_count(), -1);
    for (NodeId id : f_.region(f_.body()).nodes) {
        const Node& n = f_.node(id);
        if (!live_[id.index] || n.results_count == 0 || host_[n.results_begin]) continue;
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

uint32_t Graph::own_cost(NodeId id) const {
    const Node& n = f_.node(id);
    if (n.op.elementwise()) return row(n.op.op()).has(kExact) ? 1 : kInexactCost;
    uint32_t cost = n.op.is(Structure::while_) || n.op.is(Structure::for_) ? kLoopCost : 0;
    if (n.op.is(Structure::if_)) cost = 1;
    return cost;
}

void Graph::find_costs() {
    cost_.resize(steps_.size());
    weight_.resize(steps_.size());
    must_store_.resize(steps_.size());
    for (uint32_t s = 0; s < steps_.size(); ++s) {
        const Node& n = f_.node(steps_[s]);
        uint64_t cost = own_cost(steps_[s]);
        uint32_t weight = 1;
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            for (NodeId inner : ir::nodes_in_order(f_, f_.region_of(n, k))) {
                cost += own_cost(inner);
                ++weight;
            }
        }
        for (ValueId v : inputs_[s]) {
            const int producer = step_of(v);
            if (producer < 0) continue;
            const auto p = static_cast<size_t>(producer);
            if (must_store_[p].empty()) cost += cost_[p];
        }
        cost_[s] = static_cast<uint32_t>(std::min<uint64_t>(cost, kMaxCost));
        weight_[s] = weight;
        must_store_[s] = store_reason(s);
    }
}

bool Graph::repeats(uint32_t view) const {
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

Reason Graph::store_reason(uint32_t step) const {
    if (cheap(step)) return {};
    size_t places = 0;
    bool direct = false;
    for (uint32_t user : users_[step]) {
        const bool stretched = shape(step).empty() && !shape(user).empty();
        if (stretched || (is_view(user) && repeats(user))) {
            return fmt::format("{} operations are done once over {}, not for each element of {}", cost_[step],
                               shape_text(shape(step)), shape_text(shape(user)));
        }
        places += is_view(user) ? 1 : 0;
        direct = direct || !is_view(user);
    }
    places += direct ? 1 : 0;
    if (places <= 1 || (places - 1) * uint64_t{cost_[step]} <= kCheapPlaces) return {};
    return fmt::format("it is read at {} places and costs {} operations to compute again", places,
                       cost_[step]);
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
