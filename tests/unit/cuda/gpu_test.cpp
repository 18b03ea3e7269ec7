// The real driver, NVRTC and GPU; without them this says that it did not run, and why.
#include <dlfcn.h>

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

/// False, and said so, where there is no GPU.
bool gpu_is_here() {
    const std::string reason = cuda_unavailable_reason();
    if (reason.empty()) return true;
    CHECK(refusal([] { make_cuda_device(0); }) != "");
    WARN("not run: " + reason);
    return false;
}

/// A stream of the caller's, made as a program that uses the CUDA runtime makes it: in the primary context,
/// which stays current.
struct Caller {
    std::shared_ptr<const cuda::DriverTable> driver = cuda::open_driver();
    cuda::DeviceHandle gpu = 0;
    cuda::Context context = nullptr;
    cuda::StreamHandle stream = nullptr;

    Caller() {
        REQUIRE(driver->device_get(&gpu, 0) == cuda::kSuccess);
        REQUIRE(driver->context_retain(&context, gpu) == cuda::kSuccess);
        REQUIRE(driver->context_push(context) == cuda::kSuccess);
        REQUIRE(driver->stream_create(&stream, cuda::kStreamNonBlocking) == cuda::kSuccess);
    }
    ~Caller() {
        driver->stream_destroy(stream);
        driver->context_pop(&context);
        driver->context_release(gpu);
    }
};

/// What a caller uses to capture, which Fuseline itself does not call.
struct CaptureFunctions {
    int (*begin)(cuda::StreamHandle stream, int mode);
    int (*end)(cuda::StreamHandle stream, void** graph);
    int (*instantiate)(void** run, void* graph, unsigned long long flags);
    int (*launch)(void* run, cuda::StreamHandle stream);

    CaptureFunctions() {
        void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        begin = reinterpret_cast<decltype(begin)>(dlsym(library, "cuStreamBeginCapture_v2"));
        end = reinterpret_cast<decltype(end)>(dlsym(library, "cuStreamEndCapture"));
        instantiate = reinterpret_cast<decltype(instantiate)>(dlsym(library, "cuGraphInstantiateWithFlags"));
        launch = reinterpret_cast<decltype(launch)>(dlsym(library, "cuGraphLaunch"));
    }
};

}  // namespace

TEST_CASE("a kernel runs on the GPU, on the own and on a caller's stream", "[cuda]") {
    if (!gpu_is_here()) return;
    const Caller caller;
    const auto device = make_cuda_device(0);
    const auto executable = device->build(triad_kernel(), "fl_triad", nullptr);
    CHECK_THAT(device->stage_text(*executable, "ptx"), Catch::Contains(".entry fl_triad("));
    for (Stream stream : {Stream{}, static_cast<Stream>(caller.stream)}) {
        for (int64_t n : {1, 5, 100003}) {
            const std::vector<float> z = triad_on(*device, *executable, n, stream);
            for (size_t i = 0; i < z.size(); ++i) {
                if (z[i] != static_cast<float>(2 * i + 1))
                    FAIL("element " << i << " of " << n << " is " << z[i]);
            }
        }
    }
    CHECK(refusal([&] { device->allocate(size_t{1} << 50, nullptr); }) != "");
    CHECK(device->allocate(64, nullptr)->pointer != nullptr);
}

TEST_CASE("a kernel that is built while a stream is captured runs each time the graph does", "[cuda]") {
    if (!gpu_is_here()) return;
    const Caller caller;
    const CaptureFunctions capture;
    const auto device = make_cuda_device(0);
    const auto x = device->allocate(20, nullptr), y = device->allocate(20, nullptr);
    void *z = nullptr, *graph = nullptr, *run = nullptr;
    REQUIRE(capture.begin(caller.stream, 0) == cuda::kSuccess);
    {
        device->enter(caller.stream);
        const auto executable = device->build(triad_kernel(), "fl_triad", nullptr);
        z = device->allocate(20, caller.stream)->pointer;
        device->launch(*executable, {{x->pointer, y->pointer, z}, {Scalar::of_f32(2)}, {5}}, caller.stream);
        device->leave(caller.stream);
        CHECK(refusal([&] { device->synchronize(caller.stream); }) != "");
        REQUIRE(capture.end(caller.stream, &graph) == cuda::kSuccess);
        REQUIRE(capture.instantiate(&run, graph, 0) == cuda::kSuccess);
        for (float factor : {1.0f, 3.0f}) {
            const std::vector<float> in(5, factor);
            std::vector<float> out(5);
            device->copy_to_device(x->pointer, in.data(), 20, nullptr);
            device->copy_to_device(y->pointer, in.data(), 20, nullptr);
            REQUIRE(capture.launch(run, caller.stream) == cuda::kSuccess);
            device->copy_to_host(out.data(), z, 20, caller.stream);
            CHECK(out == std::vector<float>(5, 3 * factor));
        }
    }
}
