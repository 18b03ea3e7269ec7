// CSV tables of numbers.
#pragma once

#include <string>
#include <string_view>

#include "runtime/io/loaded_array.h"

namespace fuseline {

/// A column by `request.key` (one axis), the columns of `request.columns` in that order (two axes), or the
/// whole table (two axes; one where it has one column and the request one axis). The first row is a header
/// where one of its fields is no number. An empty field is NaN of a float type.
LoadedArray load_csv(const std::string& path, const LoadRequest& request);
LoadedArray parse_csv(std::string_view text, const std::string& path, const LoadRequest& request);

/// Throws UserError for more than two axes.
void test_table(const KnownType& type, const std::string& path);
/// At most two axes, without a header; shortest digits that read back to the same values.
std::string csv_file(const HostArray& array, const std::string& path);

}  // namespace fuseline
