// Where the CUDA toolkit's libraries may lie.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace fuseline::cuda {

/// Paths to try for a library: its names, the newest first; of one name the loader's own choice before the
/// usual folders.
std::vector<std::string> library_candidates(std::span<const char* const> names);

}  // namespace fuseline::cuda
