// NumPy's .npz files: ZIP archives of .npy files.
#pragma once

#include <string>
#include <string_view>

#include "runtime/io/loaded_array.h"

namespace fuseline {

/// The name under which `savez("a.npz", x)` and so `save` keep an array.
inline constexpr std::string_view kNpzKey = "arr_0";

/// The member `request.key`, or the only one where no key is given.
LoadedArray load_npz(const std::string& path, const LoadRequest& request);
LoadedArray parse_npz(std::string_view bytes, const std::string& path, const LoadRequest& request);

/// An archive with one stored member, kNpzKey.
std::string npz_file(const HostArray& array, const std::string& path);

}  // namespace fuseline
