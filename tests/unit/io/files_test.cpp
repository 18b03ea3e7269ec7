// Files: replaced whole or not at all, mapped while an array lives, found by their ending.
#include "runtime/io/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "compiler/support/hash.h"
#include "runtime/io/descriptor.h"
#include "runtime/io/formats.h"
#include "runtime/io/npy.h"
#include "runtime/io/program_file.h"
#include "tests/catch.h"
#include "tests/unit/temporary_folder.h"
#include "tests/unit/user_errors.h"

using namespace fuseline;
using tests::Folder;
namespace fs = std::filesystem;

namespace {

void put(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

/// The name that files.h promises.
std::string temporary(const std::string& name, int k) {
    return fmt::format(".{}.{}.fuseline-tmp", hash128(name).hex().substr(0, 16), k);
}

HostArray doubles(size_t count) {
    HostArray a{DType::f64_, {static_cast<int64_t>(count)}, std::vector<std::byte>(8 * count)};
    for (size_t k = 0; k < count; ++k) {
        const auto value = static_cast<double>(k);
        std::memcpy(a.bytes.data() + 8 * k, &value, 8);
    }
    return a;
}

double element(const LoadedArray& a, size_t k) {
    double value = 0;
    std::memcpy(&value, a.elements.get() + 8 * k, 8);
    return value;
}

std::string message_of(const std::string& path, const LoadRequest& request) {
    return tests::message_and_help([&] { load_array(path, request); });
}

}  // namespace

TEST_CASE("files: what killed processes left is used again and removed", "[io]") {
    const Folder folder("leftovers");
    const std::string path = folder / "a.bin";
    put(folder / temporary("a.bin", 0), "much longer than what is written now");
    put(folder / temporary("a.bin", 1), "x");
    put(folder / temporary("a.bin", 2), "y");
    write_file_whole(path, "new");
    CHECK(read_file(path) == "new");
    CHECK(folder.files() == 1);
}

TEST_CASE("files: a temporary file that another process holds is left alone", "[io]") {
    const Folder folder("held");
    const std::string path = folder / "a.bin", held = folder / temporary("a.bin", 0);
    put(held, "being written");
    const Descriptor owner(::open(held.c_str(), O_RDWR));
    REQUIRE(::flock(owner.get(), LOCK_EX) == 0);
    write_file_whole(path, "new");
    CHECK(read_file(path) == "new");
    CHECK(read_file(held) == "being written");
}

TEST_CASE("files: the longest name that the system has can be written", "[io]") {
    const Folder folder("long");
    const std::string path = folder / (std::string(251, 'x') + ".bin");
    write_file_whole(path, "old");
    write_file_whole(path, "new");
    CHECK(read_file(path) == "new");
    CHECK(folder.files() == 1);
}

TEST_CASE("files: a path with a NUL names no file", "[io]") {
    const Folder folder("nul");
    const std::string path = folder / std::string("a.npy\0b.npy", 11);
    const std::string fault = (folder / "a.npy") + ": a NUL follows, which no path can hold";
    put(folder / "a.npy", "old");
    CHECK(tests::message_and_help([&] { read_file(path); }) == fault);
    CHECK(tests::message_and_help([&] { map_file(path); }) == fault);
    CHECK(tests::message_and_help([&] { read_program(path); }) == fault);
    CHECK(tests::message_and_help([&] { read_imported(path); }) == fault);
    CHECK(tests::message_and_help([&] { format_of(path); }) == fault);
    CHECK(tests::message_and_help([&] { save_array(path, doubles(1)); }) == fault);
    CHECK(tests::message_and_help([&] { write_file_whole(path, "new"); }) == fault);
    CHECK(read_file(folder / "a.npy") == "old");
}

TEST_CASE("files: only regular files are loaded, as others may never end", "[io]") {
    const Folder folder("endless");
    REQUIRE(::mkfifo((folder / "pipe.raw").c_str(), 0600) == 0);
    fs::create_symlink("/dev/zero", folder / "zero.raw");
    fs::create_symlink("pipe.raw", folder / "link.raw");
    for (const char* name : {"pipe.raw", "zero.raw", "link.raw"}) {
        const std::string path = folder / name;
        CHECK(message_of(path, {DType::f64_, {std::nullopt}, {}, {}}) ==
              path + ": cannot be read: is no regular file");
        CHECK(tests::message_and_help([&] { read_file(path); }) ==
              path + ": cannot be read: is no regular file");
    }
    fs::create_symlink("there.raw", folder / "regular.raw");
    put(folder / "there.raw", "12345678");
    CHECK(read_file(folder / "regular.raw") == "12345678");
    // Files of the kernel are regular and say that they are empty.
    CHECK_FALSE(read_file("/proc/self/status").empty());
}

TEST_CASE("files: a write that fails half-way leaves the old file alone", "[io]") {
    const Folder folder("limit");
    const std::string path = folder / "a.bin";
    write_file_whole(path, "old");
    struct rlimit before = {};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {1000, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    std::string message;
    try {
        write_file_whole(path, std::string(5000, 'x'));
    } catch (const UserError& e) {
        message = e.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(message == path + ": cannot be written: File too large");
    CHECK(read_file(path) == "old");
    CHECK(folder.files() == 1);
}

TEST_CASE("files: permissions and links are kept", "[io]") {
    const Folder folder("mode");
    const std::string path = folder / "a.bin", link = folder / "link.bin";
    put(path, "old");
    ::chmod(path.c_str(), 0640);
    fs::create_symlink(path, link);
    write_file_whole(link, "new");
    CHECK(fs::is_symlink(link));
    CHECK(read_file(path) == "new");
    struct stat info = {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0640);
}

TEST_CASE("files: a mapped array outlives its file", "[io]") {
    const Folder folder("mapped");
    const std::string path = folder / "x.npy";
    const size_t count = kMapBytes / 8 + 1000;
    save_array(path, doubles(count));
    CHECK(map_file(path).mapped);
    LoadedArray array = load_array(path, {DType::f64_, {std::nullopt}, {}, {}});
    // Saving to the same path puts another file in its place.
    save_array(path, doubles(3));
    fs::remove(path);
    CHECK(array.shape == std::vector<int64_t>{static_cast<int64_t>(count)});
    CHECK(element(array, count - 1) == static_cast<double>(count - 1));
    array = {};
    save_array(path, doubles(3));
    CHECK_FALSE(map_file(path).mapped);
}

TEST_CASE("files: raw elements take the first extent from the size", "[io]") {
    const Folder folder("raw");
    const std::string path = folder / "x.raw";
    save_array(path, doubles(6));
    CHECK(fs::file_size(path) == 48);
    const LoadedArray table = load_array(path, {DType::f64_, {std::nullopt, 3}, {}, {}});
    CHECK(table.shape == std::vector<int64_t>{2, 3});
    CHECK(element(table, 5) == 5);
    CHECK(message_of(path, {DType::f64_, {std::nullopt, 4}, {}, {}}) ==
          path + ": the file has 48 bytes, which is no multiple of 32, the size of one row");
    CHECK(message_of(path, {DType::f64_, {2, std::nullopt}, {}, {}})
              .find("the extent of axis 1 is not known") != std::string::npos);
    CHECK(message_of(path, {DType::f64_, {}, {}, {}}) ==
          path + ": the file has 48 bytes; the declared array has 8");
}

TEST_CASE("files: formats by ending", "[io]") {
    CHECK(find_format("a/b.c/X.PNG")->ending == ".png");
    CHECK(find_format("a.npy/b") == nullptr);
    CHECK(find_format("2.5") == nullptr);
    CHECK(
        message_of("x.jpg", {}) ==
        "x.jpg: `.jpg` is not the ending of a known format | known endings are .npy .npz .csv .png .pgm .ppm "
        ".raw .bin");
    CHECK(message_of("x", {}).find("x: the name has no ending that tells the format") == 0);
    CHECK(message_of("x.npy", {DType::f32_, {}, "a", {}})
              .find("x.npy: .npy files hold one array: `a` has no meaning") == 0);
    CHECK(message_of("x.npz", {DType::f32_, {}, {}, {"a"}}) == "x.npz: .npz files have no columns to choose");
    CHECK(message_of("missing.npy", {}).find("missing.npy: cannot be read: No such file") == 0);
}

TEST_CASE("files: bools of a file become 0 or 1", "[io]") {
    const Folder folder("bools");
    const std::string path = folder / "x.npy";
    HostArray a{DType::bool_, {3}, {std::byte{0}, std::byte{2}, std::byte{255}}};
    save_array(path, a);
    const LoadedArray read = load_array(path, {DType::bool_, {std::nullopt}, {}, {}});
    for (size_t k = 0; k < 3; ++k) CHECK(std::to_integer<int>(read.elements.get()[k]) == (k == 0 ? 0 : 1));
}
