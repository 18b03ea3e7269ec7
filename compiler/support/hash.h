// 128-bit content hash (xxHash's XXH3) and its hexadecimal spelling.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fuseline {

struct Hash128 {
    uint64_t high = 0;
    uint64_t low = 0;
    auto operator<=>(const Hash128&) const = default;
    /// 32 lower-case hexadecimal digits.
    std::string hex() const;
};

Hash128 hash128(std::string_view bytes);

}  // namespace fuseline

template <>
struct std::hash<fuseline::Hash128> {
    size_t operator()(const fuseline::Hash128& h) const noexcept { return h.low; }
};
