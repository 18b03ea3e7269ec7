// Array and its storage.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "runtime/session/array_storage.h"
#include "runtime/session/errors.h"

namespace fuseline {
namespace {

size_t bytes_of(DType dtype, const std::vector<int64_t>& shape) {
    int64_t bytes = byte_size(dtype);
    const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    for (int64_t extent : shape) {
        if (extent < 0)
            throw Error(Error::Kind::user, fmt::format("an array cannot have the extent {}", extent));
        if (!empty && __builtin_mul_overflow(bytes, extent, &bytes)) {
            throw Error(Error::Kind::user, fmt::format("an array of extents {} has more than 2^63 bytes",
                                                       fmt::join(shape, " x ")));
        }
    }
    return empty ? 0 : static_cast<size_t>(bytes);
}

}  // namespace

ArrayStorage::ArrayStorage(HostArray array)
    : dtype_(array.dtype),
      shape_(std::move(array.shape)),
      bytes_(array.bytes.size()),
      host_(std::move(array.bytes)) {}

ArrayStorage::ArrayStorage(LoadedArray array)
    : dtype_(array.dtype),
      shape_(std::move(array.shape)),
      bytes_(bytes_of(dtype_, shape_)),
      loaded_(std::move(array.elements)) {}

ArrayStorage::ArrayStorage(DType dtype, std::vector<int64_t> shape, std::shared_ptr<Allocation> allocation,
                           std::shared_ptr<Device> device)
    : dtype_(dtype),
      shape_(std::move(shape)),
      bytes_(bytes_of(dtype_, shape_)),
      device_(std::move(device)),
      allocation_(std::move(allocation)) {}

const void* ArrayStorage::host_data() const {
    if (loaded_ != nullptr) return loaded_.get();
    if (allocation_ == nullptr) return host_.data();
    if (device_->shares_host_memory()) return allocation_->pointer;
    std::call_once(copied_, [this] {
        host_.resize(bytes_);
        if (bytes_ != 0) device_->copy_to_host(host_.data(), allocation_->pointer, bytes_, nullptr);
    });
    return host_.data();
}

Array::Array()
    : storage_(std::make_shared<ArrayStorage>(HostArray{DType::f32_, {}, std::vector<std::byte>(4)})) {}
Array::Array(std::shared_ptr<const ArrayStorage> storage) : storage_(std::move(storage)) {}

Array Array::copy_of(DType dtype, std::vector<int64_t> shape, const void* data) {
    HostArray array{dtype, std::move(shape), {}};
    array.bytes.resize(bytes_of(dtype, array.shape));
    if (!array.bytes.empty()) std::memcpy(array.bytes.data(), data, array.bytes.size());
    return to_array(std::move(array));
}

DType Array::dtype() const { return storage_->dtype(); }
const std::vector<int64_t>& Array::shape() const { return storage_->shape(); }
size_t Array::byte_count() const { return storage_->byte_count(); }
bool Array::on_device() const { return storage_->on_device(); }
const void* Array::data() const {
    return translated(nullptr, [&] { return storage_->host_data(); });
}

int64_t Array::element_count(const std::vector<int64_t>& shape) {
    return static_cast<int64_t>(bytes_of(DType::u8_, shape));
}

HostArray to_host_array(const Array& array) {
    HostArray host{array.dtype(), array.shape(), std::vector<std::byte>(array.byte_count())};
    if (!host.bytes.empty()) std::memcpy(host.bytes.data(), array.data(), host.bytes.size());
    return host;
}

Array to_array(LoadedArray array) { return Array(std::make_shared<ArrayStorage>(std::move(array))); }

Array on_device(const Array& array, const std::shared_ptr<Device>& device) {
    const ArrayStorage& storage = *array.storage();
    if (device == nullptr || device->shares_host_memory() || storage.device() == device.get()) return array;
    const size_t bytes = storage.byte_count();
    std::shared_ptr<Allocation> allocation = device->allocate(bytes, nullptr);
    if (bytes != 0) device->copy_to_device(allocation->pointer, storage.host_data(), bytes, nullptr);
    return Array(
        std::make_shared<ArrayStorage>(storage.dtype(), storage.shape(), std::move(allocation), device));
}

Array to_array(HostArray array) { return Array(std::make_shared<ArrayStorage>(std::move(array))); }

}  // namespace fuseline
