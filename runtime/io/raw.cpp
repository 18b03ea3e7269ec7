// Raw files: the size of the file gives the first extent.
#include "runtime/io/raw.h"

#include <cstring>

#include <fmt/format.h>

#include "runtime/io/fault.h"
#include "runtime/io/files.h"
#include "runtime/io/npy.h"

namespace fuseline {
namespace {

/// Bytes of one step along the first axis.
int64_t row_bytes(const std::string& path, const LoadRequest& request) {
    int64_t bytes = byte_size(request.dtype);
    for (size_t axis = 1; axis < request.extents.size(); ++axis) {
        if (!request.extents[axis]) {
            file_fault(path, fmt::format("the extent of axis {} is not known", axis),
                       {"a raw file gives the first extent alone; write the others as numbers, or bind their "
                        "names before by another load or an integer `param`"});
        }
        if (*request.extents[axis] < 0) {
            file_fault(path, fmt::format("the declared extent of axis {} is negative: {}", axis,
                                         *request.extents[axis]));
        }
        if (__builtin_mul_overflow(bytes, *request.extents[axis], &bytes))
            file_fault(path, "the declared array has more than 2^63 bytes");
    }
    return bytes;
}

int64_t first_extent(const std::string& path, const LoadRequest& request, int64_t row, int64_t size) {
    if (row == 0) return request.extents[0].value_or(0);
    if (size % row == 0) return size / row;
    file_fault(path, fmt::format("the file has {} bytes, which is no multiple of {}, the size of one {}",
                                 size, row, request.extents.size() > 1 ? "row" : "element"));
}

}  // namespace

LoadedArray load_raw(const std::string& path, const LoadRequest& request) {
    const int64_t row = row_bytes(path, request);
    const FileBytes file = map_file(path);
    const auto size = static_cast<int64_t>(file.size);
    LoadedArray array;
    array.dtype = request.dtype;
    for (const auto& extent : request.extents) array.shape.push_back(extent.value_or(0));
    if (!array.shape.empty()) array.shape[0] = first_extent(path, request, row, size);
    if (size != (array.shape.empty() ? row : row * array.shape[0]))
        file_fault(path, fmt::format("the file has {} bytes; the declared array has {}", size, row));
    if (is_bool(array.dtype)) {
        HostArray copy{array.dtype, array.shape, std::vector<std::byte>(file.size)};
        if (file.size != 0) std::memcpy(copy.bytes.data(), file.data.get(), file.size);
        return LoadedArray(std::move(copy));
    }
    array.elements = file.data;
    return array;
}

std::string raw_file(const HostArray& array, const std::string&) {
    // The elements as a .npy file has them: NaNs are canonical there.
    const std::string npy = npy_bytes(array);
    return npy.substr(npy.size() - array.bytes.size());
}

}  // namespace fuseline
