// What image files hold: u8[h, w] is grey, u8[h, w, 3] is RGB.
#pragma once

#include <string>

#include "runtime/io/loaded_array.h"

namespace fuseline {

inline bool is_rgb(const HostArray& a) {
    return a.dtype == DType::u8_ && a.shape.size() == 3 && a.shape[2] == 3;
}

/// Throw UserError for what is no grey image, no RGB image, neither, or has no pixels. `path` is where it
/// should go.
void test_grey(const KnownType& type, const std::string& path);
void test_rgb(const KnownType& type, const std::string& path);
void test_image(const KnownType& type, const std::string& path);

}  // namespace fuseline
