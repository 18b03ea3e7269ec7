// Files without a header: little-endian elements, row-major.
#pragma once

#include <string>

#include "runtime/io/loaded_array.h"

namespace fuseline {

/// Every extent of the request but the first must be known.
LoadedArray load_raw(const std::string& path, const LoadRequest& request);
std::string raw_file(const HostArray& array, const std::string& path);

}  // namespace fuseline
