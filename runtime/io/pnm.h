// Netpbm's grey and colour images, .pgm and .ppm.
#pragma once

#include <string>
#include <string_view>

#include "runtime/io/loaded_array.h"

namespace fuseline {

/// u8[h, w] of P2 and P5, u8[h, w, 3] of P3 and P6. A largest value other than 255 is scaled to 255, rounded
/// to the nearest. Throws UserError for 16 bits a channel and for what is no such file.
LoadedArray load_pnm(const std::string& path, const LoadRequest& request);
LoadedArray parse_pnm(std::string_view bytes, const std::string& path);

/// P5 of u8[h, w], P6 of u8[h, w, 3].
std::string pgm_file(const HostArray& array, const std::string& path);
std::string ppm_file(const HostArray& array, const std::string& path);

}  // namespace fuseline
