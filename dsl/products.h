// Products of arrays that sum over an axis: `@`, matmul, dot, outer.
#pragma once

#include "dsl/checker.h"

namespace fuseline::dsl {

/// NumPy's matmul: the last axis of `a` with the last but one of `b`; axes before them broadcast; vectors
/// count as a row and a column and leave no axis behind. `what` is the spelling, for messages.
Value matrix_product(Checker& c, const Argument& a, const Argument& b, Span span, std::string_view what);

}  // namespace fuseline::dsl
