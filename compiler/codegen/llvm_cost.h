// How much work a kernel is, for the choice between one thread and several.
#pragma once

#include <cstdint>

#include "compiler/ir/ir.h"

namespace fuseline {

/// Work of one element of the nest, in steps of about one vector instruction for a whole vector: accesses and
/// simple operations 1, functions of SLEEF 16, what stands in a loop 8 times as much. At least 1.
int64_t cpu_element_cost(const ir::Function& kernel);

}  // namespace fuseline
