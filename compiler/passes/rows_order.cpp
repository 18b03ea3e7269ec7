// Topological order by the place in the text.
#include "compiler/passes/rows_order.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "compiler/ir/walk.h"

namespace fuseline::fusion {

using ir::NodeId;
using ir::ValueId;

namespace {

/// Nodes that a unit uses.
std::set<NodeId> producers(const Graph& graph, const RowsUnit& unit) {
    const ir::Function& f = graph.function();
    std::set<NodeId> found;
    const auto add = [&](ValueId v) {
        if (const NodeId id = f.value(v).definition) found.insert(id);
    };
    if (unit.set == nullptr) {
        for (ValueId v : ir::inputs_of(f, unit.node)) add(v);
        return found;
    }
    for (uint32_t step : unit.set->members) {
        for (ValueId v : graph.inputs(step)) {
            const int p = graph.step_of(v);
            if (p < 0 || !std::ranges::binary_search(unit.set->members, static_cast<uint32_t>(p))) add(v);
        }
    }
    return found;
}

}  // namespace

std::vector<RowsUnit> units_in_order(const Graph& graph, const std::vector<RowsSet>& sets) {
    const std::vector<NodeId>& nodes = graph.function().region(graph.region()).nodes;
    std::vector<RowsUnit> units(nodes.size());
    std::map<NodeId, size_t> unit_of;
    for (size_t k = 0; k < nodes.size(); ++k) {
        unit_of[nodes[k]] = k;
        units[k].node = nodes[k];
    }
    for (const RowsSet& set : sets) {
        const size_t unit = unit_of.at(graph.node(set.rows.back()));
        units[unit].set = &set;
        for (uint32_t step : set.rows) unit_of[graph.node(step)] = unit;
    }
    std::vector<std::vector<size_t>> users(units.size());
    std::vector<size_t> waits(units.size(), 0);
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t k = 0; k < units.size(); ++k) {
        if (unit_of.at(units[k].node) != k) continue;  // a step of a set
        std::set<size_t> needed;
        for (NodeId p : producers(graph, units[k])) {
            if (const auto found = unit_of.find(p); found != unit_of.end()) needed.insert(found->second);
        }
        needed.erase(k);
        waits[k] = needed.size();
        for (size_t p : needed) users[p].push_back(k);
        if (waits[k] == 0) ready.push(k);
    }
    std::vector<RowsUnit> order;
    while (!ready.empty()) {
        const size_t k = ready.top();
        ready.pop();
        for (size_t user : users[k]) {
            if (--waits[user] == 0) ready.push(user);
        }
        order.push_back(units[k]);
    }
    return order;
}

}  // namespace fuseline::fusion
