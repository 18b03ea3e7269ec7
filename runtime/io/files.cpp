// POSIX files; the destination's permissions are kept, a symbolic link's target is replaced, devices are
// written in place.
#include "runtime/io/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "compiler/support/errors.h"

namespace fuseline {
namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    /// Closes and tells whether the system took all bytes.
    bool close() {
        const int fd = fd_;
        fd_ = -1;
        return ::close(fd) == 0;
    }

private:
    int fd_;
};

[[noreturn]] void fail(const std::string& path, const char* verb, int code) {
    throw UserError(fmt::format("{}: cannot be {}: {}", path, verb, std::generic_category().message(code)));
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
}

void write_in_place(const std::string& path, std::string_view bytes) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0 || !write_all(file.get(), bytes)) fail(path, "written", errno);
}

/// A file that did not exist, beside `target`; the system applies the process's umask. -1 with errno set on
/// failure.
int create_beside(const std::string& target, std::string& name) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        name = fmt::format("{}.{}.{}.tmp", target, ::getpid(), attempt);
        const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/// A replaced file keeps its permissions.
bool copy_mode(const std::string& from, int fd) {
    struct stat old = {};
    return ::stat(from.c_str(), &old) != 0 || ::fchmod(fd, old.st_mode & 07777) == 0;
}

}  // namespace

std::string read_file(const std::string& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) fail(path, "read", errno);
    struct stat info = {};
    if (::fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode)) fail(path, "read", EISDIR);
    std::string bytes;
    // A regular file is read in one piece; a pipe, whose size is unknown, in growing ones.
    bytes.resize(S_ISREG(info.st_mode) ? static_cast<size_t>(info.st_size) + 1 : 65536);
    size_t filled = 0;
    while (true) {
        const ssize_t n = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(path, "read", errno);
        if (n == 0) break;
        filled += static_cast<size_t>(n);
        if (filled == bytes.size()) bytes.resize(2 * bytes.size());
    }
    bytes.resize(filled);
    return bytes;
}

std::optional<std::string> read_import(const std::string& path) {
    try {
        return read_file(path);
    } catch (const UserError&) {
        return std::nullopt;
    }
}

void write_file_whole(const std::string& path, std::string_view bytes) {
    std::error_code ignored;
    const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, ignored);
    const std::string target = ignored ? path : resolved.string();
    if (std::filesystem::exists(target, ignored) && !std::filesystem::is_regular_file(target, ignored)) {
        return write_in_place(target, bytes);
    }
    std::string temporary;
    Descriptor file(create_beside(target, temporary));
    if (file.get() < 0) fail(path, "written", errno);
    const bool written = copy_mode(target, file.get()) && write_all(file.get(), bytes);
    int code = written ? 0 : errno;
    if (!file.close() && code == 0) code = errno;
    if (code == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) code = errno;
    if (code != 0) {
        ::unlink(temporary.c_str());
        fail(path, "written", code);
    }
}

}  // namespace fuseline
