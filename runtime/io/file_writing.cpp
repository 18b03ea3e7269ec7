// Writing of POSIX files: a locked temporary file beside the target, renamed over it when complete.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "compiler/support/hash.h"
#include "runtime/io/descriptor.h"
#include "runtime/io/fault.h"
#include "runtime/io/files.h"

namespace fuseline {
namespace {

/// So many processes may write one path at a time.
constexpr int kTemporaries = 100;

[[noreturn]] void fail(const std::string& path, int code) {
    file_fault(path, fmt::format("cannot be written: {}", std::generic_category().message(code)));
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
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0 || !write_all(file.get(), bytes)) fail(path, errno);
}

/// As short for a long name as for a short one: the target's own may be the longest that the system has.
std::string temporary_name(const std::string& target, int k) {
    const std::string_view path = target;
    const size_t name = path.rfind('/') + 1;
    return fmt::format("{}.{}.{}.fuseline-tmp", path.substr(0, name),
                       hash128(path.substr(name)).hex().substr(0, 16), k);
}

/// Whether `name` still is the open file: its owner may have renamed it before our lock was given.
bool still_named(const std::string& name, int fd) {
    struct stat there = {}, ours = {};
    return ::lstat(name.c_str(), &there) == 0 && ::fstat(fd, &ours) == 0 && there.st_dev == ours.st_dev &&
           there.st_ino == ours.st_ino;
}

bool lock(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0; }

/// A new file, locked where the file system has locks; negative with errno set where the name is taken.
Descriptor create(const std::string& name) {
    Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0) return file;
    const bool lost = !lock(file.get()) && errno == EWOULDBLOCK;
    if (!lost && still_named(name, file.get())) return file;
    errno = EEXIST;
    return Descriptor(-1);
}

/// What a killed process left under the name, emptied and locked; negative where its owner lives.
Descriptor take_over(const std::string& name) {
    Descriptor file(::open(name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0 || !lock(file.get())) return Descriptor(-1);
    struct stat info = {};
    const bool plain = ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode);
    if (!plain || !still_named(name, file.get()) || ::ftruncate(file.get(), 0) != 0) return Descriptor(-1);
    return file;
}

/// Removes what other killed processes left; their numbers follow the one that is used again first.
void remove_leftovers(const std::string& target, int first) {
    for (int k = first; k < kTemporaries; ++k) {
        const std::string name = temporary_name(target, k);
        struct stat info = {};
        if (::lstat(name.c_str(), &info) != 0) return;
        const Descriptor old = take_over(name);
        if (old.get() >= 0) ::unlink(name.c_str());
    }
}

/// An empty file beside `target`. Negative with errno set on failure.
Descriptor temporary_beside(const std::string& target, std::string& name) {
    for (int k = 0; k < kTemporaries; ++k) {
        name = temporary_name(target, k);
        Descriptor file = create(name);
        if (file.get() < 0 && errno != EEXIST) return file;
        Descriptor ours = file.get() < 0 ? take_over(name) : std::move(file);
        if (ours.get() < 0) continue;
        remove_leftovers(target, k + 1);
        return ours;
    }
    errno = EEXIST;
    return Descriptor(-1);
}

/// Whether the system could store what was written. Closing tells; closing a copy keeps the lock.
bool stored(int fd) {
    const int copy = ::dup(fd);
    return copy >= 0 && ::close(copy) == 0;
}

/// A replaced file keeps its permissions.
bool copy_mode(const std::string& from, int fd) {
    struct stat old = {};
    return ::stat(from.c_str(), &old) != 0 || ::fchmod(fd, old.st_mode & 07777) == 0;
}

}  // namespace

void write_file_whole(const std::string& path, std::string_view bytes) {
    test_path(path);
    std::error_code ignored;
    const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, ignored);
    const std::string target = ignored ? path : resolved.string();
    if (std::filesystem::exists(target, ignored) && !std::filesystem::is_regular_file(target, ignored)) {
        return write_in_place(target, bytes);
    }
    std::string temporary;
    const Descriptor file = temporary_beside(target, temporary);
    if (file.get() < 0) fail(path, errno);
    const bool written = copy_mode(target, file.get()) && write_all(file.get(), bytes) && stored(file.get());
    int code = written ? 0 : errno;
    // The lock goes with the descriptor, so the name must be given before.
    if (code == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) code = errno;
    if (code == 0) return;
    ::unlink(temporary.c_str());
    fail(path, code);
}

}  // namespace fuseline
