// Which arrays are images.
#include "runtime/io/image.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/io/fault.h"

namespace fuseline {
namespace {

bool may_be_grey(const KnownType& t) { return t.dtype == DType::u8_ && t.extents.size() == 2; }
bool may_be_rgb(const KnownType& t) {
    return t.dtype == DType::u8_ && t.extents.size() == 3 && t.extents[2].value_or(3) == 3;
}

void test(bool fits, const char* wanted, const KnownType& type, const std::string& path) {
    if (!fits) {
        std::vector<std::string> help;
        if (type.dtype != DType::u8_ && (type.extents.size() == 2 || type.extents.size() == 3))
            help = {"convert the values, as in `u8(255 * x)`, or write a picture of them with `show`"};
        file_fault(path, fmt::format("the format holds {}: found {}", wanted, type.text), std::move(help));
    }
    if (std::find(type.extents.begin(), type.extents.end(), 0) != type.extents.end())
        file_fault(path, "an image needs at least one pixel");
}

}  // namespace

void test_grey(const KnownType& type, const std::string& path) {
    test(may_be_grey(type), "u8[h, w]", type, path);
}

void test_rgb(const KnownType& type, const std::string& path) {
    test(may_be_rgb(type), "u8[h, w, 3]", type, path);
}

void test_image(const KnownType& type, const std::string& path) {
    test(may_be_grey(type) || may_be_rgb(type), "u8[h, w] or u8[h, w, 3]", type, path);
}

}  // namespace fuseline
