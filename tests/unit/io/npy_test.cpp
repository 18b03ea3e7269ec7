// .npy files: headers as NumPy writes them, converted orders, and every way for a file to be wrong.
#include "runtime/io/npy.h"

#include <cstring>
#include <filesystem>
#include <limits>

#include "compiler/support/errors.h"
#include "runtime/io/files.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

/// A file of version `major` with this header text, padded as NumPy pads, and these data bytes.
std::string file_of(std::string header, const std::string& data, int major = 1) {
    const size_t width = major == 1 ? 2 : 4;
    while ((8 + width + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    std::string out = "\x93NUMPY";
    out += static_cast<char>(major);
    out += '\0';
    for (size_t k = 0; k < width; ++k) out += static_cast<char>(header.size() >> (8 * k) & 0xff);
    return out + header + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::vector<T> values_of(const HostArray& a) {
    std::vector<T> values(a.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), a.bytes.data(), a.bytes.size());
    return values;
}

std::string message_of(const std::string& file) {
    try {
        parse_npy(file, "x.npy");
    } catch (const UserError& e) {
        return e.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("npy: NumPy's own header reads", "[io]") {
    const auto a = parse_npy(
        file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", bytes_of<float>({1.5f, -2, 3})),
        "x");
    CHECK(a.dtype == DType::f32_);
    CHECK(a.shape == std::vector<int64_t>{3});
    CHECK(values_of<float>(a) == std::vector<float>{1.5f, -2, 3});
    const auto v2 = parse_npy(
        file_of("{'descr': '<i8', 'fortran_order': False, 'shape': (), }", bytes_of<int64_t>({7}), 2), "x");
    CHECK(v2.shape.empty());
    CHECK(values_of<int64_t>(v2) == std::vector<int64_t>{7});
}

TEST_CASE("npy: Fortran order and big-endian data are converted", "[io]") {
    // NumPy's asfortranarray(arange(6).reshape(2, 3)) stores 0 3 1 4 2 5.
    const auto f = parse_npy(file_of("{'descr': '<i8', 'fortran_order': True, 'shape': (2, 3), }",
                                     bytes_of<int64_t>({0, 3, 1, 4, 2, 5})),
                             "x");
    CHECK(values_of<int64_t>(f) == std::vector<int64_t>{0, 1, 2, 3, 4, 5});
    const std::string big("\x3f\xf8\0\0\0\0\0\0", 8);  // 1.5
    const auto b = parse_npy(file_of("{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }", big), "x");
    CHECK(values_of<double>(b) == std::vector<double>{1.5});
}

TEST_CASE("npy: what is written reads back, with NumPy's alignment", "[io]") {
    HostArray a{DType::f64_, {2, 0, 3}, {}};
    const std::string bytes = npy_bytes(a);
    CHECK(bytes.size() % 64 == 0);
    CHECK(bytes.find("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 0, 3), }") == 10);
    CHECK(parse_npy(bytes, "x").shape == a.shape);
    HostArray one{DType::bool_, {1}, {std::byte{1}}};
    CHECK(npy_bytes(one).find("'shape': (1,)") != std::string::npos);
    CHECK(parse_npy(npy_bytes(one), "x").bytes == one.bytes);
}

TEST_CASE("npy: NaNs are written canonical", "[io]") {
    const uint32_t odd = 0xffc12345u, canonical = 0x7fc00000u;
    HostArray a{DType::f32_, {1}, std::vector<std::byte>(4)};
    std::memcpy(a.bytes.data(), &odd, 4);
    const std::string bytes = npy_bytes(a);
    CHECK(bytes.substr(bytes.size() - 4) == bytes_of<uint32_t>({canonical}));
}

TEST_CASE("npy: wrong files are named with their fault", "[io]") {
    const std::string good =
        file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", bytes_of<float>({1, 2, 3}));
    CHECK(message_of("hello") == "x.npy: this is not a .npy file");
    CHECK(message_of(good.substr(0, good.size() - 1)).find("asks for 12 bytes of data, 11 are there") !=
          std::string::npos);
    CHECK(message_of(good.substr(0, 40)).find("cut short in its header") != std::string::npos);
    CHECK(message_of(file_of("{'descr': 'O', 'fortran_order': False, 'shape': (1,), }", ""))
              .find("`O` is not one of") != std::string::npos);
    CHECK(message_of(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", ""))
              .find("structured") != std::string::npos);
    CHECK(message_of(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", ""))
              .find("extent expected") != std::string::npos);
    CHECK(message_of(file_of("{'descr': '<f4', 'shape': (1,), }", "")).find("a key is missing") !=
          std::string::npos);
    CHECK(message_of(
              file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", ""))
              .find("more than 2^63") != std::string::npos);
    for (size_t cut = 0; cut < good.size(); ++cut) CHECK(message_of(good.substr(0, cut)) != "no error");
}

TEST_CASE("files: a failed write leaves the old file", "[io]") {
    const auto folder = std::filesystem::temp_directory_path() / "fuseline_files_test";
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "a.bin").string();
    write_file_whole(path, "old");
    write_file_whole(path, "new");
    CHECK(read_file(path) == "new");
    CHECK_THROWS_AS(write_file_whole((folder / "missing" / "a.bin").string(), "x"), UserError);
    CHECK_THROWS_AS(read_file(folder.string()), UserError);
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
    std::filesystem::remove_all(folder);
}
