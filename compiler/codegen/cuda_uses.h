// How often and where the values of a kernel are used.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// Facts about all uses of one value.
struct CudaUse {
    uint32_t count = 0;
    ir::RegionId region;    ///< of the last use found
    bool assigned = false;  ///< the last use found gives it to a result, a carried value or a stored element
};

/// By value index.
std::vector<CudaUse> cuda_uses(const ir::Function& function);

}  // namespace fuseline
