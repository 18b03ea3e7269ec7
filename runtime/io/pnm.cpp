// Netpbm: a header of words, then bytes (P5, P6) or decimal words (P2, P3).
#include "runtime/io/pnm.h"

#include <cctype>
#include <cstring>

#include <fmt/format.h>

#include "runtime/io/fault.h"
#include "runtime/io/files.h"
#include "runtime/io/image.h"

namespace fuseline {
namespace {

constexpr int64_t kMostExtent = int64_t{1} << 31;

class PnmReader {
public:
    PnmReader(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

    LoadedArray read() {
        read_magic();
        const int64_t width = number("the width", kMostExtent), height = number("the height", kMostExtent);
        const int64_t largest = number("the largest value", 65535);
        if (largest == 0) fail("the largest value is 0");
        if (largest > 255) {
            file_fault(path_, "the image has 16 bits a channel; 8 are read",
                       {"convert the file to 8 bits, or to a .npy file of u16"});
        }
        HostArray image{DType::u8_, {height, width}, {}};
        if (rgb_) image.shape.push_back(3);
        const auto count = static_cast<uint64_t>(image.element_count());
        // One byte ends the header; each decimal word takes a digit and a blank, but for the last.
        ++at_;
        const uint64_t have = at_ < bytes_.size() ? bytes_.size() - at_ : 0;
        if (count > (plain_ ? have / 2 + 1 : have)) fail("the file is cut short");
        image.bytes.resize(count);
        fill(image, largest);
        return LoadedArray(std::move(image));
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        file_fault(path_, "the image cannot be read: " + what);
    }

    void read_magic() {
        const char kind = bytes_.size() > 2 && bytes_[0] == 'P' ? bytes_[1] : '\0';
        if (kind == '1' || kind == '4') fail("bitmaps (P1 and P4) are not supported");
        if (kind != '2' && kind != '3' && kind != '5' && kind != '6')
            file_fault(path_, "this is not a .pgm or .ppm file");
        plain_ = kind == '2' || kind == '3';
        rgb_ = kind == '3' || kind == '6';
        at_ = 2;
    }

    void skip_blanks_and_comments() {
        while (at_ < bytes_.size()) {
            if (bytes_[at_] == '#') {
                while (at_ < bytes_.size() && bytes_[at_] != '\n' && bytes_[at_] != '\r') ++at_;
            } else if (std::isspace(static_cast<unsigned char>(bytes_[at_]))) {
                ++at_;
            } else {
                return;
            }
        }
    }

    int64_t number(const char* what, int64_t most) {
        skip_blanks_and_comments();
        const size_t start = at_;
        int64_t value = 0;
        for (; at_ < bytes_.size() && std::isdigit(static_cast<unsigned char>(bytes_[at_])); ++at_) {
            value = 10 * value + (bytes_[at_] - '0');
            if (value > most) fail(fmt::format("{} is larger than {}", what, most));
        }
        if (at_ == start)
            fail(at_ >= bytes_.size() ? "the file is cut short" : fmt::format("{} is no number", what));
        return value;
    }

    void fill(HostArray& image, int64_t largest) {
        if (!plain_ && !image.bytes.empty())
            std::memcpy(image.bytes.data(), bytes_.data() + at_, image.bytes.size());
        for (std::byte& b : image.bytes) {
            const int64_t value = plain_ ? number("a value", largest) : std::to_integer<int64_t>(b);
            if (value > largest) fail(fmt::format("a value is larger than {}", largest));
            b = static_cast<std::byte>((value * 255 + largest / 2) / largest);
        }
    }

    std::string_view bytes_;
    const std::string& path_;
    size_t at_ = 0;
    bool plain_ = false, rgb_ = false;
};

std::string binary_file(const HostArray& array, const char* magic) {
    std::string file = fmt::format("{}\n{} {}\n255\n", magic, array.shape[1], array.shape[0]);
    file.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
    return file;
}

}  // namespace

LoadedArray parse_pnm(std::string_view bytes, const std::string& path) {
    return PnmReader(bytes, path).read();
}

LoadedArray load_pnm(const std::string& path, const LoadRequest&) {
    const std::string bytes = read_file(path);
    return parse_pnm(bytes, path);
}

std::string pgm_file(const HostArray& array, const std::string& path) {
    test_grey(known_type(array), path);
    return binary_file(array, "P5");
}

std::string ppm_file(const HostArray& array, const std::string& path) {
    test_rgb(known_type(array), path);
    return binary_file(array, "P6");
}

}  // namespace fuseline
