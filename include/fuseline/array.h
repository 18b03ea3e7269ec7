// Arrays and borrowed memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fuseline/dtype.h"
#include "fuseline/error.h"

namespace fuseline {

/// One element of an f16 array, as its bits.
struct Float16 {
    uint16_t bits = 0;
};
/// One element of a bf16 array, as its bits: the upper half of an f32.
struct BFloat16 {
    uint16_t bits = 0;
};

/// The element type of a C++ type.
template <class T>
constexpr DType dtype_of() = delete;
#define FUSELINE_DTYPE_OF(Type, dtype) \
    template <>                        \
    constexpr DType dtype_of<Type>() { \
        return DType::dtype;           \
    }
FUSELINE_DTYPE_OF(bool, bool_)
FUSELINE_DTYPE_OF(int8_t, i8_)
FUSELINE_DTYPE_OF(int16_t, i16_)
FUSELINE_DTYPE_OF(int32_t, i32_)
FUSELINE_DTYPE_OF(int64_t, i64_)
FUSELINE_DTYPE_OF(uint8_t, u8_)
FUSELINE_DTYPE_OF(uint16_t, u16_)
FUSELINE_DTYPE_OF(uint32_t, u32_)
FUSELINE_DTYPE_OF(uint64_t, u64_)
FUSELINE_DTYPE_OF(Float16, f16_)
FUSELINE_DTYPE_OF(BFloat16, bf16_)
FUSELINE_DTYPE_OF(float, f32_)
FUSELINE_DTYPE_OF(double, f64_)
#undef FUSELINE_DTYPE_OF

class ArrayStorage;

/// An immutable dense row-major array on the host or a device. Copies share the data. A rank-0 array has one
/// element.
class Array {
public:
    Array();  ///< a rank-0 f32 zero
    explicit Array(std::shared_ptr<const ArrayStorage> storage);

    /// Copies `data`. Throws Error::user for a negative extent or a size that does not fit the memory.
    static Array copy_of(DType dtype, std::vector<int64_t> shape, const void* data);
    template <class T>
    static Array of(std::vector<int64_t> shape, std::span<const T> data) {
        if (static_cast<int64_t>(data.size()) != element_count(shape)) {
            throw Error(Error::Kind::user,
                        "Array::of: the number of values is not the product of the extents");
        }
        return copy_of(dtype_of<T>(), std::move(shape), data.data());
    }

    DType dtype() const;
    const std::vector<int64_t>& shape() const;
    int64_t size() const { return element_count(shape()); }
    size_t byte_count() const;
    bool on_device() const;

    /// The elements on the host; the first call copies from the device and waits for it. Valid while any copy
    /// of the array lives.
    const void* data() const;
    template <class T>
    std::span<const T> values() const {
        if (dtype_of<T>() != dtype())
            throw Error(Error::Kind::user, "Array::values: the array has another element type");
        return {static_cast<const T*>(data()), static_cast<size_t>(size())};
    }
    const std::shared_ptr<const ArrayStorage>& storage() const { return storage_; }

    static int64_t element_count(const std::vector<int64_t>& shape);

private:
    std::shared_ptr<const ArrayStorage> storage_;
};

/// Borrowed row-major host memory; must stay until the call returns.
struct HostSpan {
    const void* data = nullptr;
    DType dtype{};
    std::vector<int64_t> shape;
};

/// Host memory for a result; written before the call returns.
struct MutableHostSpan {
    void* data = nullptr;
    DType dtype{};
    std::vector<int64_t> shape;
};

/// Row-major memory of the session's CUDA device, for an argument or a result; must stay until the work of
/// the call is done.
struct DeviceSpan {
    uint64_t pointer = 0;
    DType dtype{};
    std::vector<int64_t> shape;
};

}  // namespace fuseline
