// The kernel of a group: one loop nest over its domain, every element computed from loads, with folds for
// reductions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/target.h"

namespace fuseline::schedule_map {

/// A kernel and what its parameters stand for in the graph.
struct MapKernel {
    ir::Function kernel;
    std::vector<uint32_t> reads;    ///< operand of the group for each read buffer
    std::vector<uint32_t> writes;   ///< result of the group for each write buffer
    std::vector<uint32_t> scalars;  ///< operand of the group for each scalar
    /// Kernel size -> expression over the graph's sizes, in the kernel's order; ids are of `pool`.
    std::vector<std::pair<std::string, ExtentId>> sizes;
    /// Of an update: the operand of the group whose memory the write buffer takes over.
    std::optional<uint32_t> updated;
};

/// Lowers a group. `names`: what to call the group's results. `pool` starts as a copy of the function's.
MapKernel lower_map(const ir::Function& function, ir::NodeId group, const std::vector<std::string>& names,
                    ExtentPool& pool, const Target& target);

}  // namespace fuseline::schedule_map
