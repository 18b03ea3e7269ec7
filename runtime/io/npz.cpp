// .npz: members by key, read through the reader of .npy.
#include "runtime/io/npz.h"

#include <fmt/format.h>

#include "compiler/support/diagnostics.h"
#include "runtime/io/fault.h"
#include "runtime/io/files.h"
#include "runtime/io/npy.h"
#include "runtime/io/zip.h"

namespace fuseline {
namespace {

constexpr std::string_view kEnding = ".npy";

/// "x" of a member "x.npy"; "" of what is no array.
std::string key_of(const ZipMember& member) {
    if (!member.name.ends_with(kEnding)) return {};
    return member.name.substr(0, member.name.size() - kEnding.size());
}

const ZipMember& find_member(const std::vector<ZipMember>& members, const std::string& key,
                             const std::string& path) {
    std::vector<std::string> keys;
    const ZipMember* found = nullptr;
    for (const ZipMember& m : members) {
        const std::string own = key_of(m);
        if (own.empty()) continue;
        keys.push_back(own);
        if (key.empty() || own == key || m.name == key) found = &m;
    }
    if (keys.empty()) file_fault(path, "the archive holds no arrays");
    const std::string list = fmt::format("keys are `{}`", fmt::join(keys, "`, `"));
    if (key.empty() && keys.size() > 1)
        file_fault(path, fmt::format("the archive holds {} arrays and no key is given", keys.size()), {list});
    if (found != nullptr) return *found;
    const std::string near = nearest_name(key, keys);
    file_fault(path, fmt::format("there is no array `{}`", key),
               {near.empty() ? list : fmt::format("did you mean `{}`?", near)});
}

}  // namespace

LoadedArray parse_npz(std::string_view bytes, const std::string& path, const LoadRequest& request) {
    const std::vector<ZipMember> members = zip_members(bytes, path);
    const ZipMember& member = find_member(members, request.key, path);
    std::string room;
    const std::string_view content = zip_content(bytes, member, path, room);
    return LoadedArray(parse_npy(content, fmt::format("{}: {}", path, member.name), request.dtype));
}

LoadedArray load_npz(const std::string& path, const LoadRequest& request) {
    return parse_npz(read_file(path), path, request);
}

std::string npz_file(const HostArray& array, const std::string&) {
    const std::string content = npy_bytes(array);
    // Past 4 GiB, with room for the headers, positions and sizes need the long fields.
    const bool large = content.size() >= (uint64_t{1} << 32) - 4096;
    return zip_of(fmt::format("{}.npy", kNpzKey), content, large);
}

}  // namespace fuseline
