// What tests of folds share: inputs, and kernels on every kind of CPU device.
#pragma once

#include <algorithm>
#include <random>

#include "tests/unit/cpu/cpu_kernels.h"
#include "tests/unit/reduction_order.h"

namespace fuseline::tests {

template <typename T>
inline constexpr std::string_view kName = std::is_same_v<T, float>     ? "f32"
                                          : std::is_same_v<T, double>  ? "f64"
                                          : std::is_same_v<T, int64_t> ? "i64"
                                                                       : "bool";

/// Bools are bytes.
template <typename T>
std::vector<T> filled(int64_t count, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<T> all(static_cast<size_t>(count));
    for (T& x : all) {
        const auto bits = static_cast<int32_t>(random());
        if constexpr (std::is_same_v<T, uint8_t>) {
            x = bits % 301 == 0 ? 1 : 0;
        } else if constexpr (std::is_same_v<T, int64_t>) {
            x = static_cast<int64_t>(bits) * 0x100000001;
        } else {
            x = static_cast<T>(bits) * static_cast<T>(0.7) +
                static_cast<T>(1e-3) * static_cast<T>(bits % 1000);
        }
    }
    return all;
}

/// Devices of every vector width, with one thread and with four.
struct Devices {
    struct One {
        int bits = 0, threads = 0;
        std::unique_ptr<Device> device;
        std::unique_ptr<CpuTestKernel> kernel;
    };
    std::vector<One> all;
    explicit Devices(const std::string& text) {
        for (int bits : vector_widths()) {
            for (int threads : {1, 4}) {
                all.push_back({bits, threads, make_cpu_device(threads, bits), nullptr});
                all.back().kernel = std::make_unique<CpuTestKernel>(*all.back().device, text);
            }
        }
    }
    /// Runs the kernel on inputs; `compare` sees fresh outputs of the given lengths, in bytes.
    template <typename Compare>
    void run(std::vector<const void*> inputs, const std::vector<size_t>& outputs,
             const std::vector<int64_t>& sizes, Compare compare) const {
        for (const One& one : all) {
            std::vector<std::vector<std::byte>> made;
            std::vector<void*> buffers;
            for (const void* p : inputs) buffers.push_back(const_cast<void*>(p));
            for (size_t bytes : outputs) {
                made.emplace_back(bytes + 64, std::byte{0x5A});
                buffers.push_back(made.back().data());
            }
            (*one.kernel)(buffers, {}, sizes);
            INFO(fmt::format("{} bits, {} threads, sizes {}", one.bits, one.threads, fmt::join(sizes, " ")));
            for (size_t k = 0; k < made.size(); ++k) {
                const auto guard = made[k].begin() + static_cast<ptrdiff_t>(outputs[k]);
                CHECK(std::all_of(guard, made[k].end(), [](std::byte b) { return b == std::byte{0x5A}; }));
            }
            compare(made);
        }
    }
};

template <typename T>
bool same_bytes(const std::vector<T>& expected, const std::vector<std::byte>& found) {
    return expected.empty() || std::memcmp(expected.data(), found.data(), expected.size() * sizeof(T)) == 0;
}

}  // namespace fuseline::tests
