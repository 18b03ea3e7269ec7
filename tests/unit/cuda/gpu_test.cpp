// The real driver, NVRTC and GPU; without them this says that it did not run, and why.
#include "tests/catch.h"
#include "tests/unit/cuda/fake_cuda.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

std::vector<float> triad_on(Device& device, const Executable& executable, int64_t n, Stream stream) {
    const auto bytes = static_cast<size_t>(n) * 4;
    std::vector<float> x(static_cast<size_t>(n)), y = x, z = x;
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i), y[i] = 1;
    device.enter(stream);
    const auto dx = device.allocate(bytes, stream), dy = device.allocate(bytes, stream),
               dz = device.allocate(bytes, stream);
    device.copy_to_device(dx->pointer, x.data(), bytes, stream);
    device.copy_to_device(dy->pointer, y.data(), bytes, stream);
    const LaunchArguments arguments{{dx->pointer, dy->pointer, dz->pointer}, {Scalar::of_f32(2)}, {n}};
    device.launch(executable, arguments, stream);
    CHECK(device.timed_launch(executable, arguments, stream) >= 0);
    device.copy_to_host(z.data(), dz->pointer, bytes, stream);
    device.leave(stream);
    return z;
}

}  // namespace

TEST_CASE("a kernel runs on the GPU, on the own and on a caller's stream", "[cuda]") {
    const std::string reason = cuda_unavailable_reason();
    if (!reason.empty()) {
        CHECK(refusal([] { make_cuda_device(0); }) != "");
        WARN("not run: " + reason);
        return;
    }
    const auto device = make_cuda_device(0);
    const auto driver = cuda::open_driver();
    const auto executable = device->build(triad_kernel(), "fl_triad", nullptr);
    CHECK_THAT(device->stage_text(*executable, "ptx"), Catch::Contains(".entry fl_triad("));
    // The caller's stream is made as a program that uses the CUDA runtime makes it: in the primary context.
    cuda::DeviceHandle gpu = 0;
    cuda::Context context = nullptr;
    REQUIRE(driver->device_get(&gpu, 0) == cuda::kSuccess);
    REQUIRE(driver->context_retain(&context, gpu) == cuda::kSuccess);
    const cuda::PrimaryContext retained(driver, gpu);
    const cuda::ContextScope scope(*driver, context);
    cuda::StreamHandle raw = nullptr;
    REQUIRE(driver->stream_create(&raw, cuda::kStreamNonBlocking) == cuda::kSuccess);
    const cuda::OwnedStream stream(driver, raw);
    for (Stream s : {Stream{}, static_cast<Stream>(raw)}) {
        for (int64_t n : {1, 5, 100003}) {
            const std::vector<float> z = triad_on(*device, *executable, n, s);
            for (size_t i = 0; i < z.size(); ++i) {
                if (z[i] != static_cast<float>(2 * i + 1))
                    FAIL("element " << i << " of " << n << " is " << z[i]);
            }
        }
    }
    CHECK(refusal([&] { device->allocate(size_t{1} << 50, nullptr); }) != "");
    CHECK(device->allocate(64, nullptr)->pointer != nullptr);
}
