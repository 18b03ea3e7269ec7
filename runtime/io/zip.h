// ZIP archives as NumPy's .npz needs them: stored and deflated members, ZIP64, no encryption.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fuseline {

struct ZipMember {
    std::string name;
    int flags = 0;
    int method = 0;  ///< 0 stored, 8 deflated
    uint32_t crc = 0;
    uint64_t stored_bytes = 0;
    uint64_t bytes = 0;
    uint64_t header = 0;  ///< position of the local header
};

/// The members in the order of the central directory. Throws UserError that names `path`.
std::vector<ZipMember> zip_members(std::string_view file, const std::string& path);

/// The content of a member: a part of `file`, or of `room` where it had to be inflated. Its checksum is
/// tested. Throws UserError that names `path` and the member.
std::string_view zip_content(std::string_view file, const ZipMember& member, const std::string& path,
                             std::string& room);

/// An archive of one stored member. `large` writes the ZIP64 fields, which 4 GiB and more need.
std::string zip_of(std::string_view name, std::string_view content, bool large);

}  // namespace fuseline
