// Arrays as text in NumPy's layout.
#pragma once

#include <string>

#include "compiler/ops/host_array.h"

namespace fuseline {

/// What `print(x)` shows: NumPy's brackets, alignment and line breaks at 75 columns, shortest round-trip
/// digits, the language's `true` and `false`; more than 1 000 elements show three at each end of an axis.
std::string array_text(const HostArray& array);

}  // namespace fuseline
