// One walk forward for levels and costs, one backward for the phases that need each value.
#include "compiler/passes/rows_phases.h"

#include <algorithm>
#include <map>

#include "compiler/ir/walk.h"
#include "compiler/passes/fusion_graph.h"
#include "compiler/support/errors.h"

namespace fuseline::fusion {

using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

namespace {

class Phases {
public:
    Phases(const ir::Function& f, std::span<const NodeId> nodes, std::span<const ValueId> outputs,
           const Target& target)
        : f_(f), nodes_(nodes), outputs_(outputs), target_(target) {
        const auto reduce = std::ranges::find_if(nodes, [&](NodeId id) { return reduces(id); });
        require(reduce != nodes.end(), "rows: no reduction");
        row_ = f.type(f.operands(*reduce)[0]).shape;
        for (NodeId id : nodes) made_.insert(id);
    }

    std::set<ValueId> run() {
        find_levels();
        find_costs();
        find_phases();
        prune();
        return held_;
    }

private:
    bool reduces(NodeId id) const { return f_.node(id).op.is(Structure::reduce_); }
    bool in_row(ValueId v) const { return f_.type(v).shape == row_; }
    /// Views read elsewhere: what they give counts as loaded.
    bool same_element(NodeId id) const {
        const ir::Opcode op = f_.node(id).op;
        return op.elementwise() || op.is(Structure::apply_) || op.is(Structure::reduce_);
    }
    std::vector<ValueId> row_inputs(NodeId id) const {
        std::vector<ValueId> inputs;
        if (!same_element(id)) return inputs;
        for (ValueId v : ir::inputs_of(f_, id)) {
            if (in_row(v)) inputs.push_back(v);
        }
        return inputs;
    }
    bool loaded(ValueId v) const {
        const NodeId id = f_.value(v).definition;
        return !id || !made_.contains(id);
    }
    uint64_t own_cost(NodeId id) const {
        uint64_t cost = operation_cost(f_, id);
        const Node& n = f_.node(id);
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            for (NodeId inner : ir::nodes_in_order(f_, f_.region_of(n, k))) cost += operation_cost(f_, inner);
        }
        return cost;
    }
    void find_levels();
    void find_costs();
    void find_phases();
    void prune();
    void need(ValueId v, const std::set<int>& phases) { phases_[v].insert(phases.begin(), phases.end()); }
    bool worth_holding(ValueId v) const {
        const auto found = phases_.find(v);
        if (found == phases_.end() || found->second.size() < 2) return false;
        return loaded(v) ? target_.holds_loads : cost_.at(v) > kCheap;
    }

    const ir::Function& f_;
    std::span<const NodeId> nodes_;
    std::span<const ValueId> outputs_;
    const Target& target_;
    std::vector<ExtentId> row_;
    std::set<NodeId> made_;
    std::map<ValueId, int> level_;             ///< reductions one after another that a value needs
    std::map<ValueId, uint64_t> cost_;         ///< operations from what is loaded or held
    std::map<ValueId, std::set<int>> phases_;  ///< of values in the row
    std::set<ValueId> held_;
    int last_ = 0;  ///< the phase of the results
};

void Phases::find_levels() {
    for (NodeId id : nodes_) {
        int level = 0;
        for (ValueId v : ir::inputs_of(f_, id)) level = std::max(level, level_[v]);
        level += reduces(id) ? 1 : 0;
        last_ = std::max(last_, level + 1);
        for (uint32_t k = 0; k < f_.node(id).results_count; ++k) level_[f_.result(id, k)] = level;
    }
}

void Phases::find_costs() {
    for (NodeId id : nodes_) {
        uint64_t cost = own_cost(id);
        for (ValueId v : row_inputs(id)) cost += held_.contains(v) || loaded(v) ? 0 : cost_[v];
        for (uint32_t k = 0; k < f_.node(id).results_count; ++k)
            cost_[f_.result(id, k)] = std::min<uint64_t>(cost, 1'000'000);
    }
}

/// What is held is computed in the first phase that needs it.
void Phases::find_phases() {
    for (ValueId v : outputs_) {
        if (in_row(v)) need(v, {last_});
    }
    for (size_t k = nodes_.size(); k-- > 0;) {
        const NodeId id = nodes_[k];
        std::set<int> phases;
        if (reduces(id)) {
            phases = {level_[f_.result(id)]};
        } else if (in_row(f_.result(id))) {
            bool hold = false;
            for (uint32_t r = 0; r < f_.node(id).results_count; ++r) {
                phases.insert(phases_[f_.result(id, r)].begin(), phases_[f_.result(id, r)].end());
                hold = hold || worth_holding(f_.result(id, r));
            }
            if (hold && same_element(id)) {
                for (uint32_t r = 0; r < f_.node(id).results_count; ++r) held_.insert(f_.result(id, r));
                phases = {*phases.begin()};
            }
        }
        for (ValueId v : row_inputs(id)) need(v, phases);
    }
    for (const auto& [v, phases] : phases_) {
        if (loaded(v) && worth_holding(v)) held_.insert(v);
    }
}

/// What is cheap to compute from other held values need not be held.
void Phases::prune() {
    find_costs();
    for (NodeId id : nodes_) {
        const ValueId v = f_.result(id);
        if (!held_.contains(v) || cost_[v] > kCheap) continue;
        for (uint32_t r = 0; r < f_.node(id).results_count; ++r) held_.erase(f_.result(id, r));
        find_costs();
    }
}

}  // namespace

std::set<ValueId> held_in_rows(const ir::Function& function, std::span<const NodeId> nodes,
                               std::span<const ValueId> outputs, const Target& target) {
    return Phases(function, nodes, outputs, target).run();
}

}  // namespace fuseline::fusion
