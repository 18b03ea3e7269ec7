// What the built-in functions share: common arguments.
#pragma once

#include "dsl/builtins.h"

namespace fuseline::dsl {

/// `dtype=`: a type, or `otherwise` where it is left out. Nullopt after a report.
std::optional<DType> dtype_argument(Checker& c, const std::optional<Argument>& slot, DType otherwise);

}  // namespace fuseline::dsl
