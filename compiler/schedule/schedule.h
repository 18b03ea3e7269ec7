// From the fused graph to loops: every group becomes a kernel, the rest a plan.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/passes/pass.h"

namespace fuseline {

struct Scheduled {
    ir::Function plan;
    std::vector<ir::Function> kernels;  ///< named as the plan's launches name them; equal kernels appear once
};

/// Lowers a graph in which every array node stands in a `group`.
Scheduled schedule(const ir::Function& fused, PassContext& context);

}  // namespace fuseline
