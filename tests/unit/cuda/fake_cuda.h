// A CUDA device on the fake driver with a fake compiler, and a kernel for it.
#pragma once

#include <fmt/format.h>

#include "compiler/ir/ir.h"
#include "compiler/support/errors.h"
#include "runtime/cuda/cuda_device.h"
#include "tests/fakes/fake_driver/fake_driver.h"

namespace fuseline::testing {

/// "Compiles" to a text that names the kernel, which the fake driver looks for.
inline constexpr CudaCompiler kFakeCompiler{
    [] { return std::string("13.0"); },
    [] { return std::vector<int>{75, 80, 86, 89, 90, 100, 120}; },
    [](const std::string&, const std::string& name, const std::string& arch, CudaOutput output, bool) {
        return CudaImage{
            fmt::format("{} of {} for {}", output == CudaOutput::ptx ? "PTX" : "cubin", name, arch), ""};
    },
};

inline ir::Function triad_kernel() {
    SourceMap sources;
    const size_t file = sources.add("kernel.ir", R"(
kernel triad(%x: read f32, %y: read f32, %z: write f32, %a: f32) sizes(n) schedule(map) index(32) {
  nest (i: n) grid lanes(4) {
    %x.1 = load %x [i] : f32
    %y.1 = load %y [i] : f32
    %0 = mul %a, %x.1 : f32
    %z.1 = add %0, %y.1 : f32
    store %z [i], %z.1
  }
})");
    return ir::parse_functions(sources, file).at(0);
}

/// Does triad's work from the parameters as a GPU finds them: three pointers, a float, a 64-bit size.
inline void run_triad(const FakeLaunch& launch) {
    const float* x = *static_cast<float**>(launch.parameters[0]);
    const float* y = *static_cast<float**>(launch.parameters[1]);
    float* z = *static_cast<float**>(launch.parameters[2]);
    const float a = *static_cast<float*>(launch.parameters[3]);
    const long long n = *static_cast<long long*>(launch.parameters[4]);
    for (long long i = 0; i < n; ++i) z[i] = a * x[i] + y[i];
}

/// Opens cuda:0, computes z = 2 x + y on the own and on a caller's stream, waits, times, and closes. Returns
/// z.
inline std::vector<float> triad_life(FakeDriver& fake, Stream callers) {
    cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
    const std::vector<float> x = {1, 2, 3, 4, 5}, y = {10, 20, 30, 40, 50};
    std::vector<float> z(5);
    const auto executable = device.build(triad_kernel(), "fl_triad", nullptr);
    for (Stream stream : {Stream{}, callers}) {
        device.enter(stream);
        const auto dx = device.allocate(20, stream), dy = device.allocate(20, stream),
                   dz = device.allocate(20, stream);
        device.copy_to_device(dx->pointer, x.data(), 20, stream);
        device.copy_to_device(dy->pointer, y.data(), 20, stream);
        const LaunchArguments arguments{{dx->pointer, dy->pointer, dz->pointer}, {Scalar::of_f32(2)}, {5}};
        device.launch(*executable, arguments, stream);
        device.timed_launch(*executable, arguments, stream);
        device.synchronize(stream);
        device.copy_to_host(z.data(), dz->pointer, 20, stream);
        device.leave(stream);
    }
    return z;
}

/// The message of the ToolchainError that `action` throws; "" when it throws nothing.
template <class Action>
std::string refusal(const Action& action) {
    try {
        action();
    } catch (const ToolchainError& e) {
        return e.what();
    }
    return {};
}

}  // namespace fuseline::testing
