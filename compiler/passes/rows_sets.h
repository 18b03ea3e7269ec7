// Which steps of a region over arrays one kernel over rows can compute.
#pragma once

#include <optional>
#include <vector>

#include "compiler/passes/fusion_graph.h"

namespace fuseline::fusion {

/// Reductions over the last axes of one shape, the row, with what is computed from them for each row or for
/// each of its elements: `rows`. `members` also holds what leads to them and is computed again rather than
/// loaded.
struct RowsSet {
    std::vector<ExtentId> shape;          ///< of all rows
    uint32_t outer = 0;                   ///< axes before those of the row
    std::vector<uint32_t> rows, members;  ///< steps, ascending
    std::vector<ir::ValueId> outputs;
    std::vector<ir::ValueId> inputs;  ///< values of other steps, parameters and host scalars; no constants
};

/// Sets that share no output, such that the steps can be ordered with each set as one step. Only sets in
/// which elements of a row need a reduction of it: else there is nothing to gain.
std::vector<RowsSet> find_rows(const Graph& graph);

}  // namespace fuseline::fusion
