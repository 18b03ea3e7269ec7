// The order of a region's nodes when sets of rows become one node each.
#pragma once

#include <vector>

#include "compiler/passes/rows_sets.h"

namespace fuseline::fusion {

/// A node of the region, or a set.
struct RowsUnit {
    ir::NodeId node;
    const RowsSet* set = nullptr;
};

/// Each after what it uses; of those that are ready the one that stands first in the text, a set at its last
/// node.
std::vector<RowsUnit> units_in_order(const Graph& graph, const std::vector<RowsSet>& sets);

}  // namespace fuseline::fusion
