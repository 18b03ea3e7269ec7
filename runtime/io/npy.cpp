// The .npy header is a Python dictionary literal; only the three keys that NumPy writes are accepted.
#include "runtime/io/npy.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "runtime/io/files.h"

namespace fuseline {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
    std::string descr;
    bool fortran = false;
    std::vector<int64_t> shape;
};

/// Reads the dictionary `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
class HeaderReader {
public:
    HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    Header read() {
        expect('{');
        bool descr = false, order = false, shape = false;
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr") {
                header_.descr = quoted();
                descr = true;
            } else if (key == "fortran_order") {
                header_.fortran = boolean();
                order = true;
            } else if (key == "shape") {
                header_.shape = tuple();
                shape = true;
            } else {
                fail(fmt::format("unknown key `{}`", key));
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        if (!descr || !order || !shape) fail("a key is missing");
        return header_;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(fmt::format("{}: the .npy header cannot be read: {}", name_, what));
    }
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool accept(char c) {
        skip();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail(fmt::format("`{}` expected at byte {}", c, at_));
    }
    std::string quoted() {
        skip();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
            fail("a quoted text expected (structured types are not supported)");
        const char quote = text_[at_++];
        const size_t end = text_.find(quote, at_);
        if (end == std::string_view::npos) fail("a text is not closed");
        std::string value(text_.substr(at_, end - at_));
        at_ = end + 1;
        return value;
    }
    bool boolean() {
        skip();
        for (const auto& [word, value] :
             {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
            if (text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return value;
            }
        }
        fail("True or False expected");
    }
    std::vector<int64_t> tuple() {
        std::vector<int64_t> values;
        expect('(');
        while (!accept(')')) {
            skip();
            int64_t value = 0;
            const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
            if (error != std::errc() || value < 0) fail("an extent expected in the shape");
            at_ = static_cast<size_t>(end - text_.data());
            values.push_back(value);
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return values;
    }

    std::string_view text_;
    const std::string& name_;
    size_t at_ = 0;
    Header header_;
};

struct Element {
    DType dtype;
    bool swapped;
};

Element element_type(const std::string& descr, DType declared, const std::string& name) {
    std::string native = descr;
    const bool swapped = native.starts_with('>');
    if (swapped || native.starts_with('=')) native[0] = '<';
    if (native == "<u2" && declared == DType::bf16_) return {DType::bf16_, swapped};
    for (const DTypeRow& row : kDTypeTable) {
        if (row.dtype == DType::bf16_) continue;
        if (row.npy == native || (row.bits == 8 && row.npy.substr(1) == native.substr(1)))
            return {row.dtype, swapped && row.bits > 8};
    }
    throw UserError(fmt::format(
        "{}: the element type `{}` is not one of Fuseline's; convert it with NumPy's astype", name, descr));
}

/// Product of extents and element size, or nullopt when it does not fit 63 bits.
std::optional<int64_t> total_bytes(const std::vector<int64_t>& shape, int64_t element) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    int64_t total = element;
    for (int64_t extent : shape) {
        if (__builtin_mul_overflow(total, extent, &total)) return std::nullopt;
    }
    return total;
}

void swap_bytes(std::vector<std::byte>& bytes, int width) {
    for (size_t i = 0; i + static_cast<size_t>(width) <= bytes.size(); i += static_cast<size_t>(width)) {
        std::reverse(bytes.begin() + static_cast<long>(i), bytes.begin() + static_cast<long>(i) + width);
    }
}

/// Reorders column-major data; walks the result in order and keeps the source's running offset.
void to_row_major(HostArray& array) {
    const size_t rank = array.shape.size();
    if (rank < 2) return;
    const auto width = static_cast<size_t>(byte_size(array.dtype));
    std::vector<int64_t> stride(rank, 1), index(rank, 0);
    for (size_t k = 1; k < rank; ++k) stride[k] = stride[k - 1] * array.shape[k - 1];
    std::vector<std::byte> ordered(array.bytes.size());
    int64_t from = 0;
    for (size_t to = 0; to < ordered.size(); to += width) {
        std::memcpy(ordered.data() + to, array.bytes.data() + static_cast<size_t>(from) * width, width);
        for (size_t k = rank; k-- > 0;) {
            from += stride[k];
            if (++index[k] < array.shape[k]) break;
            from -= stride[k] * array.shape[k];
            index[k] = 0;
        }
    }
    array.bytes = std::move(ordered);
}

/// NaNs become the canonical quiet one, so that files never depend on the back end.
void canonical_nans(DType dtype, std::byte* data, size_t bytes) {
    const auto width = static_cast<size_t>(byte_size(dtype));
    const Scalar canonical = scalar_from_f64(dtype, std::numeric_limits<double>::quiet_NaN());
    for (size_t i = 0; i < bytes; i += width) {
        const Scalar value = load_scalar(dtype, data + i);
        if (std::isnan(scalar_to_f64(dtype, value))) store_scalar(dtype, canonical, data + i);
    }
}

}  // namespace

NpyLayout npy_layout(std::string_view bytes, const std::string& name, DType declared) {
    if (!bytes.starts_with(kMagic) || bytes.size() < 10) {
        throw UserError(fmt::format("{}: this is not a .npy file", name));
    }
    const int major = static_cast<unsigned char>(bytes[6]);
    if (major < 1 || major > 3) throw UserError(fmt::format("{}: .npy version {} is unknown", name, major));
    const size_t width = major == 1 ? 2 : 4;
    const size_t start = 8 + width;
    size_t length = 0;
    if (bytes.size() < start) throw UserError(fmt::format("{}: the file is cut short in its header", name));
    for (size_t k = 0; k < width; ++k)
        length |= static_cast<size_t>(static_cast<unsigned char>(bytes[8 + k])) << (8 * k);
    if (length > bytes.size() - start)
        throw UserError(fmt::format("{}: the file is cut short in its header", name));

    Header header = HeaderReader(bytes.substr(start, length), name).read();
    const Element element = element_type(header.descr, declared, name);
    const auto need = total_bytes(header.shape, byte_size(element.dtype));
    const size_t have = bytes.size() - start - length;
    if (!need || static_cast<uint64_t>(*need) > have) {
        throw UserError(
            fmt::format("{}: the file is cut short: its header asks for {} bytes of data, {} are there", name,
                        need ? std::to_string(*need) : "more than 2^63", have));
    }
    return {element.dtype,   std::move(header.shape), start + length,
            element.swapped, header.fortran,          static_cast<size_t>(*need)};
}

HostArray parse_npy(std::string_view bytes, const std::string& name, DType declared) {
    const NpyLayout layout = npy_layout(bytes, name, declared);
    HostArray array{layout.dtype, layout.shape, std::vector<std::byte>(layout.byte_count)};
    if (layout.byte_count != 0)
        std::memcpy(array.bytes.data(), bytes.data() + layout.offset, layout.byte_count);
    if (layout.swapped) swap_bytes(array.bytes, byte_size(layout.dtype) / (is_complex(layout.dtype) ? 2 : 1));
    if (layout.fortran) to_row_major(array);
    return array;
}

HostArray read_npy(const std::string& path, DType declared) {
    return parse_npy(read_file(path), path, declared);
}

std::string npy_bytes(const HostArray& array) {
    std::string shape;
    for (int64_t extent : array.shape) shape += fmt::format("{}, ", extent);
    if (array.shape.size() > 1) shape.resize(shape.size() - 2);
    if (array.shape.size() == 1) shape.pop_back();
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                     row(array.dtype).npy, shape);
    // The data begins at a multiple of 64 bytes; the header ends with a newline.
    const size_t unpadded = kMagic.size() + 4 + header.size() + 1;
    header += std::string((64 - unpadded % 64) % 64, ' ') + '\n';

    std::string out(kMagic);
    out += '\x01';
    out += '\0';
    out += static_cast<char>(header.size() & 0xff);
    out += static_cast<char>(header.size() >> 8);
    out += header;
    const size_t data = out.size();
    out.resize(data + array.bytes.size());
    if (!array.bytes.empty()) std::memcpy(out.data() + data, array.bytes.data(), array.bytes.size());
    auto* elements = reinterpret_cast<std::byte*>(out.data() + data);
    if (is_float(array.dtype)) canonical_nans(array.dtype, elements, array.bytes.size());
    return out;
}

void write_npy(const std::string& path, const HostArray& array) { write_file_whole(path, npy_bytes(array)); }

}  // namespace fuseline
