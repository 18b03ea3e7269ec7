// The sizes of a kernel: each size expression that it uses becomes one integer argument, computed once at
// launch.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline::schedule_map {

/// Gives the kernel, whose sizes are expressions over the graph's names, sizes of its own: a bare name keeps
/// its name, a constant stays, any other expression gets a name. `taken` holds names that a size must not
/// have. `sizes` receives each with its meaning in `pool`, in the order of first use. So kernels of other
/// shapes but equal structure are equal.
ir::Function name_sizes(const ir::Function& kernel, std::set<std::string>& taken, ExtentPool& pool,
                        std::vector<std::pair<std::string, ExtentId>>& sizes);

}  // namespace fuseline::schedule_map
