// The file formats, one row each, found by the ending of a path.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/io/loaded_array.h"

namespace fuseline {

struct FileFormat {
    std::string_view ending;  ///< ".npy"
    bool keys;                ///< `load` may name a member or a column
    bool columns;             ///< `load` may choose columns
    bool colours;             ///< `show` may write it
    /// Reads `path`. Throws UserError that names it.
    LoadedArray (*load)(const std::string& path, const LoadRequest& request);
    /// Throws UserError that names `path` for what the format cannot hold; null where it holds everything.
    void (*test)(const KnownType& type, const std::string& path);
    /// The bytes of a file with this array, which is tested first.
    std::string (*file)(const HostArray& array, const std::string& path);
};

/// In the order in which messages name them.
std::span<const FileFormat> file_formats();

/// By the path's ending, upper or lower case; null where it is none of the table's.
const FileFormat* find_format(std::string_view path);
/// As find_format; throws UserError that lists the endings, or for what test_path refuses.
const FileFormat& format_of(const std::string& path);

/// Throws UserError where the format has no such thing as the request's key or columns.
void test_request(const std::string& path, const LoadRequest& request);
/// Throws UserError where no array of the type can be saved as `path`.
void test_save(const std::string& path, const KnownType& type);
/// Reads a file by its ending. Large .npy and raw files are mapped. Bools are 0 or 1.
LoadedArray load_array(const std::string& path, const LoadRequest& request);
/// Replaces `path` by a file with the array, in the format of its ending; see write_file_whole.
void save_array(const std::string& path, const HostArray& array);

}  // namespace fuseline
