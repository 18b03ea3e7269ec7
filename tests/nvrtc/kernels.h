// The kernels of programs and of text tests, for compilers to try.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline::testing {

struct FoundKernel {
    std::string place;  ///< file and case that it first came from
    ir::Function kernel;
};

/// Every distinct kernel (by canonical text) of a .dsl file, or of all cases of a .test file that are sound
/// programs or IR. Throws UserError for a file that cannot be read.
std::vector<FoundKernel> kernels_in(const std::string& path);

}  // namespace fuseline::testing
