// What stands behind an Array: host bytes, a mapped file, or memory of a device with a host copy made on
// demand.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "compiler/ops/host_array.h"
#include "fuseline/array.h"
#include "runtime/device/device.h"
#include "runtime/io/loaded_array.h"

namespace fuseline {

class ArrayStorage {
public:
    explicit ArrayStorage(HostArray array);
    explicit ArrayStorage(LoadedArray array);
    /// `device` is kept alive with the memory. Its own stream is behind whatever writes the elements.
    ArrayStorage(DType dtype, std::vector<int64_t> shape, std::shared_ptr<Allocation> allocation,
                 std::shared_ptr<Device> device);

    DType dtype() const { return dtype_; }
    const std::vector<int64_t>& shape() const { return shape_; }
    size_t byte_count() const { return bytes_; }
    bool on_device() const { return allocation_ != nullptr && !device_->shares_host_memory(); }
    /// Null where the elements have never been on a device.
    const std::shared_ptr<Allocation>& allocation() const { return allocation_; }
    const Device* device() const { return device_.get(); }
    /// Copies on the first call; thread-safe.
    const void* host_data() const;

private:
    DType dtype_;
    std::vector<int64_t> shape_;
    size_t bytes_;
    // Declared so that the memory goes before the device that frees it.
    std::shared_ptr<Device> device_;
    std::shared_ptr<Allocation> allocation_;
    mutable std::once_flag copied_;
    mutable std::vector<std::byte> host_;
    std::shared_ptr<const std::byte> loaded_;  ///< elements that were read from a file
};

/// The elements of an array as a HostArray (a copy).
HostArray to_host_array(const Array& array);
Array to_array(HostArray array);
Array to_array(LoadedArray array);

/// The array on the device: itself where it is there or the device shares the host's memory, else a copy.
Array on_device(const Array& array, const std::shared_ptr<Device>& device);

}  // namespace fuseline
