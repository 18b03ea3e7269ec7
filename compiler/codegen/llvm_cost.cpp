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
    const std::string_view cell = llvm_cell(n.op.op(), operation, kernel.type(kernel.result(id)).dtype);
    return cell.starts_with("sleef.") ? kFunction : cell.starts_with("fl.") ? kHelper : 1;
}

}  // namespace

int64_t cpu_element_cost(const ir::Function& kernel) {
    std::vector<int64_t> rounds(kernel.region_count(), 1);
    int64_t cost = 0;
    for (ir::NodeId id : ir::nodes_in_order(kernel, kernel.body())) {
        const ir::Node& n = kernel.node(id);
        const int64_t here = rounds[n.parent.index];
        const bool loop = n.op.is(ir::Structure::while_) || n.op.is(ir::Structure::for_);
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            rounds[n.regions_begin + k] = std::min(kMostRounds, here * (loop ? kRounds : 1));
        }
        // What stands before the nest is computed once.
        if (n.parent != kernel.body()) cost += here * operation_cost(kernel, id);
    }
    return std::max<int64_t>(1, cost);
}

}  // namespace fuseline
