// Reading of POSIX files.
#include "runtime/io/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "runtime/io/descriptor.h"
#include "runtime/io/fault.h"

namespace fuseline {
namespace {

[[noreturn]] void fail(const std::string& path, int code) {
    file_fault(path, fmt::format("cannot be read: {}", std::generic_category().message(code)));
}

struct OpenFile {
    Descriptor descriptor;
    struct stat info = {};
    size_t size() const { return static_cast<size_t>(info.st_size); }
};

/// A regular file: pipes and devices may never end.
OpenFile open_file(const std::string& path) {
    test_path(path);
    // Opening a pipe that nobody writes to would wait but for O_NONBLOCK.
    OpenFile file{Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))};
    if (file.descriptor.get() < 0) fail(path, errno);
    if (::fstat(file.descriptor.get(), &file.info) != 0) fail(path, errno);
    if (S_ISDIR(file.info.st_mode)) fail(path, EISDIR);
    if (!S_ISREG(file.info.st_mode)) file_fault(path, "cannot be read: is no regular file");
    return file;
}

std::string read_all(const OpenFile& file, const std::string& path) {
    std::string bytes;
    // One byte more than the file has tells its end; files of the kernel say that they have none.
    bytes.resize(file.size() == 0 ? 65536 : file.size() + 1);
    size_t filled = 0;
    while (true) {
        const ssize_t n = ::read(file.descriptor.get(), bytes.data() + filled, bytes.size() - filled);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(path, errno);
        if (n == 0) break;
        filled += static_cast<size_t>(n);
        if (filled == bytes.size()) bytes.resize(2 * bytes.size());
    }
    bytes.resize(filled);
    return bytes;
}

}  // namespace

std::string read_file(const std::string& path) { return read_all(open_file(path), path); }

FileBytes map_file(const std::string& path, size_t least) {
    const OpenFile file = open_file(path);
    const size_t size = file.size();
    if (size >= least && size != 0) {
        void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor.get(), 0);
        // What the system cannot map it can still read.
        if (at != MAP_FAILED) {
            return {std::shared_ptr<const std::byte>(
                        static_cast<const std::byte*>(at),
                        [size](const std::byte* p) { ::munmap(const_cast<std::byte*>(p), size); }),
                    size, true};
        }
    }
    const auto bytes = std::make_shared<const std::string>(read_all(file, path));
    return {std::shared_ptr<const std::byte>(bytes, reinterpret_cast<const std::byte*>(bytes->data())),
            bytes->size(), false};
}

}  // namespace fuseline
