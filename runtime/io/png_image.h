// PNG images of 8 bits a channel.
#pragma once

#include <string>
#include <string_view>

#include "runtime/io/loaded_array.h"

namespace fuseline {

/// u8[h, w] of a grey file, u8[h, w, 3] of one with colours or a palette; 1, 2 and 4 bits are widened. Alpha
/// is dropped with a note. Throws UserError for 16 bits a channel and for what is no PNG.
LoadedArray load_png(const std::string& path, const LoadRequest& request);
LoadedArray parse_png(std::string_view bytes, const std::string& path);

/// Takes u8[h, w] and u8[h, w, 3].
std::string png_file(const HostArray& array, const std::string& path);

}  // namespace fuseline
