// The reference interpreter: executes a checked graph before any pass, one operator at a time, by the table's
// references.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ops/host_array.h"

namespace fuseline {

/// Runs a graph (form graph, no groups needed but allowed) on arrays with sizes already bound.
/// Throws UserError when a check fails or a size does not evaluate, with the node's span.
std::vector<HostArray> interpret(const ir::Function& graph, const std::vector<HostArray>& arguments,
                                 const std::map<std::string, int64_t>& sizes);

/// Tests a `check` node of a graph or plan. Throws UserError with the node's span, the message and both
/// actual sizes when the relation does not hold.
void test_check(const ir::Function& function, ir::NodeId node, const std::map<std::string, int64_t>& sizes);

/// Evaluates the host scalars of a plan or graph: a rank-0 value over constants and sizes.
Scalar evaluate_scalar(const ir::Function& function, ir::ValueId value,
                       const std::map<std::string, int64_t>& sizes);

}  // namespace fuseline
