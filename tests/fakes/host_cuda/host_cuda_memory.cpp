// Memory of the host shim.
#include "tests/fakes/host_cuda/host_cuda_memory.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

namespace fuseline::host_cuda {
namespace {

/// Bytes on both sides of a buffer that belong to nobody: a stray access is reported and does no harm.
constexpr size_t kGuard = 4096;
constexpr size_t kBoundary = 256;

}  // namespace

class Memory::Buffer : public Allocation {
public:
    Buffer(std::shared_ptr<Extents> extents, size_t size, size_t skew)
        : extents_(std::move(extents)), store_(size + 2 * kGuard + kBoundary + skew, std::byte{0xff}) {
        const auto begin = reinterpret_cast<uintptr_t>(store_.data()) + kGuard;
        const uintptr_t at = (begin + kBoundary - 1) / kBoundary * kBoundary + skew;
        pointer = reinterpret_cast<void*>(at);
        bytes = size;
        const std::lock_guard lock(extents_->mutex);
        extents_->sizes[at] = size;
    }
    ~Buffer() override {
        const std::lock_guard lock(extents_->mutex);
        extents_->sizes.erase(reinterpret_cast<uintptr_t>(pointer));
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

private:
    std::shared_ptr<Extents> extents_;
    std::vector<std::byte> store_;
};

std::shared_ptr<Allocation> Memory::allocate(size_t bytes, size_t skew) {
    return std::make_shared<Buffer>(extents_, bytes, skew);
}

bool Memory::holds(const void* at, size_t bytes) const {
    const auto address = reinterpret_cast<uintptr_t>(at);
    const std::lock_guard lock(extents_->mutex);
    auto next = extents_->sizes.upper_bound(address);
    if (next == extents_->sizes.begin()) return false;
    const auto& [begin, size] = *--next;
    return address - begin <= size && bytes <= size - (address - begin);
}

std::string Memory::describe(const void* at) const {
    const auto address = reinterpret_cast<uintptr_t>(at);
    const std::lock_guard lock(extents_->mutex);
    std::string text = "at no buffer";
    uintptr_t nearest = UINTPTR_MAX;
    for (const auto& [begin, size] : extents_->sizes) {
        const bool before = address < begin;
        const uintptr_t distance = before ? begin - address : address - (begin + size);
        if (distance >= nearest) continue;
        nearest = distance;
        text = before ? fmt::format("{} bytes before a buffer of {} bytes", distance, size)
                      : fmt::format("{} bytes behind the end of a buffer of {} bytes", distance, size);
    }
    return text;
}

}  // namespace fuseline::host_cuda
