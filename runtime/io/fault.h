// Faults of files, each with the path first and the fix where one is known.
#pragma once

#include <string>
#include <vector>

namespace fuseline {

/// Throws UserError "PATH: WHAT" with help lines.
[[noreturn]] void file_fault(const std::string& path, const std::string& what,
                             std::vector<std::string> help = {});

}  // namespace fuseline
