// A dense array on the host: what files, the interpreter and scripts exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/ops/dtype.h"
#include "compiler/support/errors.h"

namespace fuseline {

/// A dense row-major array on the host; rank 0 has one element.
struct HostArray {
    DType dtype = DType::f32_;
    std::vector<int64_t> shape;
    std::vector<std::byte> bytes;

    /// Throws UserError past 2^63.
    int64_t element_count() const {
        int64_t count = 1;
        for (int64_t extent : shape) {
            if (__builtin_mul_overflow(count, extent, &count))
                throw UserError("an array has more than 2^63 elements");
        }
        return count;
    }
    Scalar at(int64_t position) const {
        return load_scalar(dtype, bytes.data() + position * byte_size(dtype));
    }
};

}  // namespace fuseline
