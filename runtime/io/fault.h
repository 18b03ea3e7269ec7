// Faults of files, each with the path first and the fix where one is known.
#pragma once

#include <string>
#include <vector>

namespace fuseline {

/// Throws UserError "PATH: WHAT" with help lines.
[[noreturn]] void file_fault(const std::string& path, const std::string& what,
                             std::vector<std::string> help = {});

/// Throws UserError for a path with a NUL, at which the system would cut it short.
void test_path(const std::string& path);

}  // namespace fuseline
