// Element types of arrays.
#pragma once

#include <cstdint>

namespace fuseline {

/// The language's element types; the order is that of the element-type table.
enum class DType : uint8_t {
    bool_,
    i8_,
    i16_,
    i32_,
    i64_,
    u8_,
    u16_,
    u32_,
    u64_,
    f16_,
    bf16_,
    f32_,
    f64_,
    c64_,
    c128_,
};

}  // namespace fuseline
