// NumPy's .npy files (format versions 1.0, 2.0 and 3.0), read and written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/ops/host_array.h"

namespace fuseline {

/// Reads a file. Big-endian and Fortran-ordered data are converted. `declared` tells a two-byte unsigned file
/// that it holds bf16. Throws UserError that names the file: not there, not .npy, truncated, an element type
/// that the language lacks.
HostArray read_npy(const std::string& path, DType declared = DType::f32_);

/// Writes version 1.0 through a temporary file beside it that replaces `path` when complete. A NaN is written
/// canonical and quiet. Throws UserError that names the file and the system's reason.
void write_npy(const std::string& path, const HostArray& array);

/// What a file's header says; all `byte_count` bytes from `offset` on are there.
struct NpyLayout {
    DType dtype = DType::f32_;
    std::vector<int64_t> shape;
    size_t offset = 0;     ///< of the first element
    bool swapped = false;  ///< big-endian elements
    bool fortran = false;  ///< the first axis varies fastest
    size_t byte_count = 0;
};

/// Of the bytes of a whole file; `name` stands in messages.
NpyLayout npy_layout(std::string_view bytes, const std::string& name, DType declared = DType::f32_);
/// The two halves of reading and writing a file.
HostArray parse_npy(std::string_view bytes, const std::string& name, DType declared = DType::f32_);
std::string npy_bytes(const HostArray& array);

}  // namespace fuseline
