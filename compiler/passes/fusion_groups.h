// The final partition: clusters cut to the budgets of one kernel, each a group with its members and outputs.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/passes/fusion_clusters.h"

namespace fuseline::fusion {

/// Limits of one kernel.
struct Budget {
    uint32_t nodes = 1'024;  ///< which bounds the length of the source too
    uint32_t live = 256;     ///< values that are needed later at any point
    uint32_t parameter_bytes = 4'096;
};

/// One kernel: computes `members` (ascending) and stores `outputs`; what else they use is loaded. Or one step
/// that stands alone.
struct Group {
    std::vector<ExtentId> domain;
    std::vector<uint32_t> members;
    std::vector<ir::ValueId> outputs;
    bool has(uint32_t step) const;
};

/// A cut that a budget made necessary.
struct Cut {
    uint32_t step = 0;   ///< first step of the next kernel
    std::string budget;  ///< "1024 nodes"
    size_t stored = 0;   ///< values that cross it
};

struct Partition {
    std::vector<Group> groups;  ///< each after the groups whose values it loads
    std::vector<int> home;      ///< step -> the group that stores it, or -1
    std::vector<Cut> cuts;
};

Partition partition(const Graph& graph, Clusters& clusters, const Budget& budget);

}  // namespace fuseline::fusion
