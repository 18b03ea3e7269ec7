// Reading of source files.
#include "runtime/io/program_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "runtime/io/descriptor.h"
#include "runtime/io/fault.h"

namespace fuseline {
namespace {

[[noreturn]] void fail(const std::string& path, int code) {
    file_fault(path, fmt::format("cannot be read: {}", std::generic_category().message(code)));
}

std::string read_bounded(const Descriptor& file, const std::string& path) {
    std::string text;
    std::array<char, 65536> part;
    while (true) {
        const ssize_t n = ::read(file.get(), part.data(), part.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(path, errno);
        if (n == 0) return text;
        text.append(part.data(), static_cast<size_t>(n));
        if (text.size() > kMaxProgramBytes)
            file_fault(path, fmt::format("is longer than {} MiB, the limit of a source file",
                                         kMaxProgramBytes >> 20));
    }
}

}  // namespace

std::string read_program(const std::string& path) {
    test_path(path);
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) fail(path, errno);
    return read_bounded(file, path);
}

std::optional<std::string> read_imported(const std::string& path) {
    test_path(path);
    // Opening a pipe that nobody writes to would wait but for O_NONBLOCK.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
    if (file.get() < 0) fail(path, errno);
    struct stat info = {};
    if (::fstat(file.get(), &info) != 0) fail(path, errno);
    if (!S_ISREG(info.st_mode)) file_fault(path, "is no regular file");
    return read_bounded(file, path);
}

}  // namespace fuseline
