// The table of formats and what all of them share.
#include "runtime/io/formats.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "runtime/io/csv.h"
#include "runtime/io/fault.h"
#include "runtime/io/files.h"
#include "runtime/io/image.h"
#include "runtime/io/npy.h"
#include "runtime/io/npz.h"
#include "runtime/io/png_image.h"
#include "runtime/io/pnm.h"
#include "runtime/io/raw.h"

namespace fuseline {
namespace {

/// Whether the elements stand in the file as they do in memory.
bool usable(const NpyLayout& layout, const FileBytes& file) {
    if (layout.swapped || (layout.fortran && layout.shape.size() > 1) || is_bool(layout.dtype)) return false;
    const auto address = reinterpret_cast<uintptr_t>(file.data.get() + layout.offset);
    return address % static_cast<uintptr_t>(byte_size(layout.dtype)) == 0;
}

LoadedArray load_npy(const std::string& path, const LoadRequest& request) {
    const FileBytes file = map_file(path);
    NpyLayout layout = npy_layout(file.view(), path, request.dtype);
    if (!usable(layout, file)) return LoadedArray(parse_npy(file.view(), path, request.dtype));
    LoadedArray array;
    array.dtype = layout.dtype;
    array.shape = std::move(layout.shape);
    array.elements = std::shared_ptr<const std::byte>(file.data, file.data.get() + layout.offset);
    return array;
}

std::string npy_file(const HostArray& array, const std::string&) { return npy_bytes(array); }

constexpr FileFormat kFormats[] = {
    // ending, keys, columns, colours, load, test, file
    {".npy", false, false, false, load_npy, nullptr, npy_file},
    {".npz", true, false, false, load_npz, nullptr, npz_file},
    {".csv", true, true, false, load_csv, test_table, csv_file},
    {".png", false, false, true, load_png, test_image, png_file},
    {".pgm", false, false, false, load_pnm, test_grey, pgm_file},
    {".ppm", false, false, true, load_pnm, test_rgb, ppm_file},
    {".raw", false, false, false, load_raw, nullptr, raw_file},
    {".bin", false, false, false, load_raw, nullptr, raw_file},
};

std::string list_of_endings() {
    std::vector<std::string_view> endings;
    for (const FileFormat& f : kFormats) endings.push_back(f.ending);
    return fmt::format("{}", fmt::join(endings, " "));
}

/// The part from the last point of the file's name on, in lower case.
std::string ending_of(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const size_t point = name.rfind('.');
    std::string ending(point == std::string_view::npos ? std::string_view() : name.substr(point));
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return ending;
}

}  // namespace

std::span<const FileFormat> file_formats() { return kFormats; }

const FileFormat* find_format(std::string_view path) {
    const std::string ending = ending_of(path);
    const auto it = std::find_if(std::begin(kFormats), std::end(kFormats),
                                 [&](const FileFormat& f) { return f.ending == ending; });
    return it == std::end(kFormats) ? nullptr : it;
}

const FileFormat& format_of(const std::string& path) {
    test_path(path);
    if (const FileFormat* format = find_format(path)) return *format;
    const std::string ending = ending_of(path);
    file_fault(path,
               ending.empty() ? "the name has no ending that tells the format"
                              : fmt::format("`{}` is not the ending of a known format", ending),
               {"known endings are " + list_of_endings()});
}

void test_request(const std::string& path, const LoadRequest& request) {
    const FileFormat& format = format_of(path);
    if (!request.key.empty() && !format.keys) {
        file_fault(path,
                   fmt::format("{} files hold one array: `{}` has no meaning", format.ending, request.key),
                   {"a second text names a member of an .npz or a column of a .csv"});
    }
    if (!request.columns.empty() && !format.columns)
        file_fault(path, fmt::format("{} files have no columns to choose", format.ending));
    if (!request.columns.empty() && !request.key.empty())
        file_fault(path, "a column and `columns` are given", {"leave out one of them"});
}

void test_save(const std::string& path, const KnownType& type) {
    const FileFormat& format = format_of(path);
    if (format.test != nullptr) format.test(type, path);
}

KnownType known_type(const HostArray& array) {
    KnownType type{array.dtype, {array.shape.begin(), array.shape.end()}, std::string(name(array.dtype))};
    if (!array.shape.empty()) type.text += fmt::format("[{}]", fmt::join(array.shape, ", "));
    return type;
}

LoadedArray load_array(const std::string& path, const LoadRequest& request) {
    test_request(path, request);
    return format_of(path).load(path, request);
}

void save_array(const std::string& path, const HostArray& array) {
    write_file_whole(path, format_of(path).file(array, path));
}

}  // namespace fuseline
