// Memory of the host shim: buffers with guards around them, and a record of how kernels use them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/device/device.h"

namespace fuseline::host_cuda {

/// What one launch did to buffers; bytes that the compiler proves to be accessed again are counted once.
struct AccessCount {
    uint64_t read_bytes = 0;
    uint64_t written_bytes = 0;
    uint64_t wide_stores = 0;  ///< of 16 bytes
};

/// The buffers of one device. Thread-safe.
class Memory {
public:
    /// Filled with bytes 0xff (NaN for floats), `skew` bytes off a boundary of 256.
    std::shared_ptr<Allocation> allocate(size_t bytes, size_t skew);
    /// Whether [at, at + bytes) lies within one buffer.
    bool holds(const void* at, size_t bytes) const;
    /// "12 bytes behind the end of a buffer of 400 bytes".
    std::string describe(const void* at) const;

private:
    class Buffer;
    struct Extents {
        std::mutex mutex;
        std::map<uintptr_t, size_t> sizes;
    };
    std::shared_ptr<Extents> extents_ = std::make_shared<Extents>();
};

}  // namespace fuseline::host_cuda
