// What the launches and library calls of a plan cost, against the least that any plan must move.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/schedule/kernel_cost.h"

namespace fuseline {

/// A launch, a library call, or an `own` that copies a parameter of the plan. Sizes are of PlanCost::extents.
struct StepCost {
    ir::NodeId node;
    std::vector<ExtentId> bytes;       ///< by operand, of a copy by operand and result
    ExtentId read, written, moved;     ///< bytes; moved: both
    ExtentId flops;                    ///< of a library call: multiplications and additions
    std::optional<KernelCost> kernel;  ///< of a launch
    size_t kernel_index = 0;           ///< of a launch: among the plan's kernels
    bool otherwise = false;            ///< stands on the second side of a branch
    ExtentId times;                    ///< steps of the loops around it, as far as sizes tell
};

struct PlanCost {
    ExtentPool extents;  ///< those of the plan, under their ids, and more
    std::vector<StepCost> steps;
    /// Read and written in all steps together. The counter of a loop counts as its last value; of a branch
    /// the first side counts.
    ExtentId moved;
    /// Each element of a parameter that some step reads once, each result written once.
    ExtentId least;
    bool exact = true;  ///< false: there is a branch, or a loop that data ends, which counts as one step
};

PlanCost plan_cost(const ir::Function& plan, const std::vector<ir::Function>& kernels);

}  // namespace fuseline
