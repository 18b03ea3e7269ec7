// Source files of programs: bounded, so that no import can fill the memory or wait for ever.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace fuseline {

/// A source file has no more bytes.
inline constexpr size_t kMaxProgramBytes = size_t{16} << 20;

/// The text of a program that the user names: a file, a pipe or a device. Throws UserError where it cannot be
/// read or is too long.
std::string read_program(const std::string& path);

/// The text of a file that a program imports; nullopt where there is none. Throws UserError for what is no
/// regular file, cannot be read or is too long.
std::optional<std::string> read_imported(const std::string& path);

}  // namespace fuseline
