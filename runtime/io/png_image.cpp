// PNG through libpng. Its faults jump (setjmp), so the functions that call it own nothing.
#include "runtime/io/png_image.h"

#include <png.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "runtime/io/fault.h"
#include "runtime/io/files.h"
#include "runtime/io/image.h"

namespace fuseline {
namespace {

constexpr size_t kSignature = 8;
/// Deflate cannot shrink further, so a larger claim is a lie that must not be given memory.
constexpr uint64_t kMostInflation = 1032;

/// The last fault of libpng; `png_get_error_ptr` finds it.
struct Fault {
    char text[120] = "";
};

extern "C" {
static void on_error(png_structp png, png_const_charp text) {
    auto* fault = static_cast<Fault*>(png_get_error_ptr(png));
    std::snprintf(fault->text, sizeof fault->text, "%s", text);
    png_longjmp(png, 1);
}
static void on_warning(png_structp, png_const_charp) {}

static void read_bytes(png_structp png, png_bytep to, size_t count) {
    auto* rest = static_cast<std::string_view*>(png_get_io_ptr(png));
    if (count > rest->size()) png_error(png, "the file is cut short");
    std::memcpy(to, rest->data(), count);
    rest->remove_prefix(count);
}

static void write_bytes(png_structp png, png_bytep from, size_t count) {
    auto* file = static_cast<std::string*>(png_get_io_ptr(png));
    bool added = true;
    try {
        file->append(reinterpret_cast<const char*>(from), count);
    } catch (const std::exception&) {
        added = false;
    }
    if (!added) png_error(png, "out of memory on the host");
}
static void flush_nothing(png_structp) {}
}

/// libpng's state for reading, freed with it.
class PngReader {
public:
    PngReader(std::string_view bytes, const std::string& path) : rest_(bytes), path_(path) {
        png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &fault_, on_error, on_warning);
        if (png_ != nullptr) info_ = png_create_info_struct(png_);
    }
    ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

    LoadedArray read() {
        const uint64_t file_bytes = rest_.size();
        if (info_ == nullptr || !read_header()) fail();
        if (depth_ == 16) {
            file_fault(path_, "the image has 16 bits a channel; 8 are read",
                       {"convert the file to 8 bits, or to a .npy file of u16"});
        }
        if (!choose_output()) fail();
        const uint64_t height = png_get_image_height(png_, info_), width = png_get_image_width(png_, info_);
        if (height * stored_row_ / kMostInflation > file_bytes)
            file_fault(path_, "the image cannot be read: the file is cut short");
        HostArray image{DType::u8_, {static_cast<int64_t>(height), static_cast<int64_t>(width)}, {}};
        if (png_get_channels(png_, info_) == 3) image.shape.push_back(3);
        image.bytes.resize(height * row_bytes_);
        std::vector<png_bytep> rows;
        for (uint64_t y = 0; y < height; ++y)
            rows.push_back(reinterpret_cast<png_bytep>(image.bytes.data() + y * row_bytes_));
        if (!read_rows(rows.data())) fail();
        LoadedArray array(std::move(image));
        if (transparent_) array.notes.push_back(path_ + ": the transparency of the image is dropped");
        return array;
    }

private:
    [[noreturn]] void fail() const {
        file_fault(path_, fmt::format("the image cannot be read: {}", fault_.text));
    }

    bool read_header() {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_set_read_fn(png_, &rest_, read_bytes);
        png_read_info(png_, info_);
        depth_ = png_get_bit_depth(png_, info_);
        return true;
    }

    /// Grey or RGB of 8 bits, whatever is stored.
    bool choose_output() {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        stored_row_ = png_get_rowbytes(png_, info_);
        const int colour = png_get_color_type(png_, info_);
        if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
        if (colour == PNG_COLOR_TYPE_GRAY && depth_ < 8) png_set_expand_gray_1_2_4_to_8(png_);
        transparent_ = (colour & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
        if (transparent_) png_set_strip_alpha(png_);
        png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
        row_bytes_ = png_get_rowbytes(png_, info_);
        return true;
    }

    bool read_rows(png_bytepp rows) {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_read_image(png_, rows);
        // A file without its last chunk is cut short.
        png_read_end(png_, nullptr);
        return true;
    }

    std::string_view rest_;
    const std::string& path_;
    Fault fault_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    int depth_ = 0;
    size_t stored_row_ = 0, row_bytes_ = 0;
    bool transparent_ = false;
};

/// libpng's state for writing, freed with it.
class PngWriter {
public:
    PngWriter() {
        png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &fault_, on_error, on_warning);
        if (png_ != nullptr) info_ = png_create_info_struct(png_);
    }
    ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;

    bool write(png_uint_32 width, png_uint_32 height, bool rgb, const std::byte* pixels, std::string* file) {
        if (info_ == nullptr || setjmp(png_jmpbuf(png_)) != 0) return false;
        png_set_write_fn(png_, file, write_bytes, flush_nothing);
        png_set_IHDR(png_, info_, width, height, 8, rgb ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png_, info_);
        const size_t row = size_t{width} * (rgb ? 3 : 1);
        for (png_uint_32 y = 0; y < height; ++y)
            png_write_row(png_, reinterpret_cast<png_const_bytep>(pixels + y * row));
        png_write_end(png_, info_);
        return true;
    }
    const char* fault() const { return fault_.text; }

private:
    Fault fault_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
};

}  // namespace

LoadedArray parse_png(std::string_view bytes, const std::string& path) {
    const auto* head = reinterpret_cast<png_const_bytep>(bytes.data());
    if (bytes.size() < kSignature || png_sig_cmp(head, 0, kSignature) != 0)
        file_fault(path, "this is not a .png file");
    return PngReader(bytes, path).read();
}

LoadedArray load_png(const std::string& path, const LoadRequest&) {
    const std::string bytes = read_file(path);
    return parse_png(bytes, path);
}

std::string png_file(const HostArray& array, const std::string& path) {
    test_image(known_type(array), path);
    if (std::max(array.shape[0], array.shape[1]) > PNG_USER_WIDTH_MAX) {
        file_fault(path, fmt::format("an image of {} x {} pixels is too large for a .png file",
                                     array.shape[1], array.shape[0]));
    }
    std::string file;
    PngWriter writer;
    if (!writer.write(static_cast<png_uint_32>(array.shape[1]), static_cast<png_uint_32>(array.shape[0]),
                      is_rgb(array), array.bytes.data(), &file))
        file_fault(path, fmt::format("the image cannot be written: {}", writer.fault()));
    return file;
}

}  // namespace fuseline
