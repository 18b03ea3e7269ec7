// Joining of what two branches have made of the names.
#pragma once

#include "dsl/checker.h"

namespace fuseline::dsl {

/// The two regions of an `if` node under construction.
struct RegionPair {
    ir::ValueId condition;
    ir::RegionId yes, no;
};

/// Whether control leaves a branch before its end (by `return`, `break`, `continue`, or because it stands for
/// that).
struct BranchEnds {
    bool yes_left = false;
    bool no_left = false;
    bool block_ends = false;  ///< nothing of the loop's or the function's body comes after
    bool returns = false;     ///< both sides return
    Span span;                ///< of all statements that the branches hold
};

}  // namespace fuseline::dsl
