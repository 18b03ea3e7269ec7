// Whole files: read, mapped, and replaced so that no reader ever sees half of one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fuseline {

/// The bytes of a regular file. Throws UserError "PATH: cannot be read: REASON", also for pipes and devices.
std::string read_file(const std::string& path);

/// A file's bytes in memory, read-only; they stay as long as a copy of the pointer lives.
struct FileBytes {
    std::shared_ptr<const std::byte> data;
    size_t size = 0;
    bool mapped = false;
    std::string_view view() const { return {reinterpret_cast<const char*>(data.get()), size}; }
};

/// Files of at least so many bytes are mapped by map_file.
inline constexpr size_t kMapBytes = size_t{4} << 20;

/// As read_file, but a file of at least `least` bytes is mapped: pages come from the disk when they
/// are used. What replaces the file by another one (as write_file_whole does) leaves the mapped bytes alone.
/// Who changes the file in place changes them too, and after someone has cut the file short the system ends
/// the process (SIGBUS) that touches what is gone.
FileBytes map_file(const std::string& path, size_t least = kMapBytes);

/// Writes a temporary file ".HASH.N.fuseline-tmp" (HASH: 16 digits, of the name) in the same folder and
/// renames it over `path`: under that name stands the old file or the whole new one, though the process be
/// killed. What killed processes left is used again or removed by the next write to the same path; processes
/// that write one path at a time do not meet. The destination's permissions are kept, a symbolic link's
/// target is replaced, devices are written in place. Throws UserError "PATH: cannot be written: REASON"; then
/// the old file, if any, is as it was and the temporary one is gone.
void write_file_whole(const std::string& path, std::string_view bytes);

}  // namespace fuseline
