// How much work a kernel is, for the choice between one thread and several.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// Work in steps of about one vector instruction for a whole vector: accesses and simple operations 1,
/// functions of SLEEF 16, what stands in a loop 8 times as much. At least 1 each.
struct CpuCost {
    int64_t point = 1;           ///< of one element of the nest, without the loops in it
    std::vector<int64_t> loops;  ///< of one element of each fold, hold and inner nest, in order
};
/// Whether a node is a loop in the nest.
bool cpu_loops(const ir::Function& kernel, ir::NodeId id);
CpuCost cpu_cost(const ir::Function& kernel);

}  // namespace fuseline
