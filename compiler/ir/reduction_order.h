// The order in which every back end combines the elements of a reduction: a function of their number alone.
#pragma once

#include <cstdint>

namespace fuseline::ir {

/// The reduced axes are one row-major index r. Chunks of kReduceChunk consecutive r; in a chunk lane r mod
/// kReduceLanes combines its elements in ascending r; then lanes, and last the chunks' results, combine in a
/// tree over neighbours: for s = 1, 2, 4 .. element l with element l + s where 2 s divides l. The lower index
/// is the left operand. An identity changes no bit of the other operand, so lanes without elements are
/// skipped.
inline constexpr int64_t kReduceLanes = 128;
inline constexpr int64_t kReduceChunk = 2048;

}  // namespace fuseline::ir
