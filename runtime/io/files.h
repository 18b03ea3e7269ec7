// Whole files: read, and replaced so that no reader ever sees half of one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fuseline {

/// The bytes of a file. Throws UserError "PATH: cannot be read: REASON".
std::string read_file(const std::string& path);

/// The text of an imported source file; nullopt where it cannot be read.
std::optional<std::string> read_import(const std::string& path);

/// Writes a temporary file in the same folder and renames it over `path`. Throws UserError "PATH: cannot be
/// written: REASON"; then the old file, if any, is as it was and the temporary one is gone.
void write_file_whole(const std::string& path, std::string_view bytes);

}  // namespace fuseline
