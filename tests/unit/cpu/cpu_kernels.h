// Kernels given as text, run on the CPU over vectors of bytes.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "runtime/device/device.h"
#include "tests/catch.h"

namespace fuseline::tests {

/// Widths of vectors that this machine has.
inline std::vector<int> vector_widths() {
    std::vector<int> widths;
    const int widest = make_cpu_device(1)->target().vector_bits;
    for (int bits = 128; bits <= widest; bits *= 2) widths.push_back(bits);
    return widths;
}

/// A function from its text; it must be sound.
inline ir::Function kernel_of(const std::string& text) {
    SourceMap sources;
    std::vector<ir::Function> all = ir::parse_functions(sources, sources.add("test.ir", text));
    REQUIRE(all.size() == 1);
    REQUIRE(ir::verify(all[0]) == std::vector<std::string>{});
    return std::move(all[0]);
}

/// A kernel built for one device.
struct CpuTestKernel {
    Device& device;
    std::shared_ptr<Executable> executable;
    CpuTestKernel(Device& d, const std::string& text)
        : device(d), executable(d.build(kernel_of(text), "kernel", nullptr)) {}
    void operator()(std::vector<void*> buffers, std::vector<Scalar> scalars,
                    std::vector<int64_t> sizes) const {
        device.launch(*executable, {std::move(buffers), std::move(scalars), std::move(sizes)}, nullptr);
    }
};

}  // namespace fuseline::tests
