// Arrays of numbers as pictures.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ops/host_array.h"

namespace fuseline {

using Colour = std::array<uint8_t, 3>;

/// What stands for a NaN: no colormap has it.
inline constexpr Colour kNanColour = {255, 0, 255};

/// The names that `show` takes.
std::vector<std::string> colormap_names();
/// 256 colours from the least value to the greatest. Throws UserError with a suggestion for an unknown name.
std::vector<Colour> colormap(const std::string& name);

/// The picture u8[h, w, 3] of an array: with two axes the values from the least to the greatest finite one in
/// the colours of the map (infinities have those of the ends, NaN its own), u8[h, w, 3] as it is. Throws
/// UserError that names `path` for others.
HostArray picture(const HostArray& array, const std::string& map, const std::string& path);

}  // namespace fuseline
