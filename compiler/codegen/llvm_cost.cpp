// Adds up the operations of a nest.
#include "compiler/codegen/llvm_cost.h"

#include <algorithm>
#include <vector>

#include "compiler/ir/walk.h"

namespace fuseline {
namespace {

constexpr int64_t kFunction = 16, kHelper = 4, kRounds = 8;
/// Deeper loops change no choice, and their weight would overflow.
constexpr int64_t kMostRounds = kRounds * kRounds * kRounds * kRounds;

int64_t operation_cost(const ir::Function& kernel, ir::NodeId id) {
    const ir::Node& n = kernel.node(id);
    if (!n.op.elementwise()) return 1;
    const DType operation = kernel.type(kernel.operands(n).back()).dtype;
    int64_t cost = 0;
    for (const LlvmStep& s : llvm_steps(n.op.op(), operation, kernel.type(kernel.result(id)).dtype)) {
        cost += s.cell.starts_with("sleef.") ? kFunction : s.cell.starts_with("fl.") ? kHelper : 1;
    }
    return cost;
}

}  // namespace

bool cpu_loops(const ir::Function& kernel, ir::NodeId id) {
    const ir::Node& n = kernel.node(id);
    return std::holds_alternative<ir::Loops>(n.attribute) && n.parent != kernel.body();
}

CpuCost cpu_cost(const ir::Function& kernel) {
    std::vector<int64_t> rounds(kernel.region_count(), 1);
    // By region: 0 outside loops of the nest, else the number of the loop + 1.
    std::vector<size_t> loop_of(kernel.region_count(), 0);
    std::vector<int64_t> costs(1, 0);
    for (ir::NodeId id : ir::nodes_in_order(kernel, kernel.body())) {
        const ir::Node& n = kernel.node(id);
        const int64_t here = rounds[n.parent.index];
        const bool own = cpu_loops(kernel, id);
        const bool loop = n.op.is(ir::Structure::while_) || n.op.is(ir::Structure::for_);
        if (own) costs.push_back(0);
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            rounds[n.regions_begin + k] = std::min(kMostRounds, here * (loop ? kRounds : 1));
            loop_of[n.regions_begin + k] = own ? costs.size() - 1 : loop_of[n.parent.index];
        }
        // What stands before the nest is computed once.
        if (n.parent != kernel.body() && !own) {
            costs[loop_of[n.parent.index]] += here * operation_cost(kernel, id);
        }
    }
    for (int64_t& cost : costs) cost = std::max<int64_t>(1, cost);
    return {costs[0], {costs.begin() + 1, costs.end()}};
}

}  // namespace fuseline
