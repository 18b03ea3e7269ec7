// HostConditions: every use of a value is looked at, then the operands and the steps of each group.
#include "compiler/schedule/host_conditions.h"

#include <algorithm>

#include "compiler/ir/walk.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

HostConditions::HostConditions(const ir::Function& fused)
    : f_(fused), condition_(fused.value_count(), true), on_host_(fused.node_count(), false) {
    find_conditions();
    for (uint32_t k = 0; k < fused.node_count(); ++k) {
        if (fused.node(NodeId{k}).op.is(Structure::group_)) on_host_[k] = decide(NodeId{k});
    }
}

void HostConditions::find_conditions() {
    for (uint32_t k = 0; k < f_.node_count(); ++k) {
        const Node& n = f_.node(NodeId{k});
        const auto operands = f_.operands(n);
        const bool asks = n.op.is(Structure::if_) || n.op.is(Structure::assert_);
        for (size_t i = asks ? 1 : 0; i < operands.size(); ++i) condition_[operands[i].index] = false;
    }
    for (uint32_t k = 0; k < f_.region_count(); ++k) {
        for (ValueId v : f_.region({k}).yields) condition_[v.index] = false;
    }
}

bool HostConditions::decide(NodeId group) const {
    const Node& n = f_.node(group);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        if (!condition_[f_.result(group, k).index]) return false;
    }
    const auto operands = f_.operands(n);
    if (!std::ranges::all_of(operands, [&](ValueId v) { return ir::passed_by_value(f_, v); })) return false;
    return std::ranges::all_of(f_.region(f_.region_of(n, 0)).nodes, [&](NodeId id) {
        const Node& step = f_.node(id);
        if (step.op.is(Structure::constant_) || step.op.is(Structure::extent_)) return true;
        return step.op.elementwise() && row(step.op.op()).has(kExact) && f_.type(f_.result(id)).scalar();
    });
}

}  // namespace fuseline
