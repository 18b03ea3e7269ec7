// What a kernel over rows keeps between its phases.
#pragma once

#include <set>
#include <span>

#include "compiler/ir/ir.h"
#include "compiler/support/target.h"

namespace fuseline::fusion {

/// A row is gone through once for the reductions that need no other, once for those that need these, and so
/// on, and last for the results. Of the values for each element of a row, held are those that two phases need
/// and that cost more than kCheap operations to compute again, and on targets that ask for it what two phases
/// load. `nodes` in order, `outputs` what they give; both are of one region, and what else they use is
/// loaded.
std::set<ir::ValueId> held_in_rows(const ir::Function& function, std::span<const ir::NodeId> nodes,
                                   std::span<const ir::ValueId> outputs, const Target& target);

}  // namespace fuseline::fusion
