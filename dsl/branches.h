// Joining of what two branches have made of the names.
#pragma once

#include "dsl/checker.h"

namespace fuseline::dsl {

/// The two regions of an `if` node under construction.
struct RegionPair {
    ir::ValueId condition;
    ir::RegionId yes, no;
};

}  // namespace fuseline::dsl
