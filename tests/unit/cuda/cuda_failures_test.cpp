// A CUDA device when driver calls fail: no leaks, contexts in balance, messages that say what to do.
#include "tests/catch.h"
#include "tests/unit/cuda/fake_cuda.h"

using namespace fuseline;
using namespace fuseline::testing;
using Catch::Matchers::Contains;

namespace {

/// Calls whose failure the device survives, or that only release.
bool may_fail(const std::string& symbol) {
    for (const char* word :
         {"Destroy", "Unload", "Release", "PopCurrent", "MemFree", "cuMemPool", "cuGetError"}) {
        if (symbol.find(word) != std::string::npos) return true;
    }
    return false;
}

/// Destructors call these too, where a failure goes unsaid.
bool in_destructors(const std::string& symbol) {
    return symbol == "cuCtxPushCurrent_v2" || symbol == "cuStreamSynchronize" ||
           symbol == "cuThreadExchangeStreamCaptureMode";
}

/// One life in which the `number`-th call fails; false when there are fewer calls.
bool life_with_failure(const FakeGpu& gpu, cuda::Result code, int number) {
    FakeDriver fake(gpu);
    const Stream stream = fake.make_caller_stream();
    const cuda::Context callers = fake.make_caller_context();
    fake.make_current(callers);
    fake.fail_call(number, code);
    const std::string message = refusal([&] { triad_life(fake, stream); });
    const std::string failed = fake.failed();
    CAPTURE(number, code, failed, message);
    if (failed.empty()) return false;
    CHECK(fake.live() == "");
    CHECK(fake.context_depth() == 1);
    // Where the context cannot be made current, destructors still try to release.
    if (failed != "cuCtxPushCurrent_v2") CHECK(fake.faults() == std::vector<std::string>{});
    const bool tried_again = code == cuda::kOutOfMemory && failed.starts_with("cuMemAlloc");
    if (!may_fail(failed) && !in_destructors(failed)) CHECK((message == "") == tried_again);
    if (!message.empty()) {
        const char* fix = code == cuda::kOutOfMemory ? "free arrays" : "look at nvidia-smi";
        CHECK_THAT(message, Contains(fix));
        CHECK_THAT(message, Contains("as the test ordered") || Contains("no text"));
    }
    return true;
}

}  // namespace

TEST_CASE("no failed driver call leaks or leaves a context behind", "[cuda]") {
    constexpr cuda::Result kUnknown = 999;
    for (const FakeGpu& gpu : {FakeGpu{}, FakeGpu::old()}) {
        for (cuda::Result code : {kUnknown, cuda::kOutOfMemory}) {
            int calls = 1;
            while (life_with_failure(gpu, code, calls)) ++calls;
            CHECK(calls > 80);
        }
    }
}

TEST_CASE("a driver without a needed function is named with the version that has it", "[cuda]") {
    FakeDriver fake({.missing = {"cuStreamIsCapturing"}});
    CHECK(refusal([&] { fake.table(); }) ==
          "the CUDA driver lacks cuStreamIsCapturing: install a driver for CUDA 10.0 or newer");
    FakeDriver second({.missing = {"cuMemAlloc_v2"}});
    CHECK(refusal([&] { second.table(); }) ==
          "the CUDA driver lacks cuMemAlloc_v2: install a driver for CUDA 3.2 or newer");
}

TEST_CASE("a GPU that is not there", "[cuda]") {
    FakeDriver none({.count = 0});
    CHECK(refusal([&] { cuda::CudaDevice(none.table(), 0, kFakeCompiler); }) ==
          "no CUDA GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device cpu");
    FakeDriver one;
    CHECK(refusal([&] { cuda::CudaDevice(one.table(), 1, kFakeCompiler); }) ==
          "there is no cuda:1: use cuda:0, the only GPU");
    FakeDriver four({.count = 4});
    CHECK(refusal([&] { cuda::CudaDevice(four.table(), -1, kFakeCompiler); }) ==
          "there is no cuda:-1: use cuda:0 to cuda:3");
    CHECK(four.live() == "");
}

TEST_CASE("codes that users meet say what to do", "[cuda]") {
    FakeDriver fake;
    const auto driver = fake.table();
    const auto said = [&](cuda::Result code) {
        return refusal([&] { cuda::check(*driver, code, "it failed"); });
    };
    CHECK(said(cuda::kSuccess) == "");
    CHECK_THAT(said(cuda::kNotInitialized), Contains("exec"));
    CHECK_THAT(said(cuda::kStubLibrary), Contains("LD_LIBRARY_PATH"));
    CHECK_THAT(said(cuda::kNoDevice), Contains("CUDA_VISIBLE_DEVICES"));
    CHECK_THAT(said(cuda::kNoBinaryForGpu), Contains("older than NVRTC"));
    CHECK_THAT(said(cuda::kUnsupportedPtx), Contains("install a newer driver"));
    CHECK_THAT(said(cuda::kIllegalAddress), Contains("process must be started again"));
    CHECK_THAT(said(cuda::kSystemDriverMismatch), Contains("reboot"));
    CHECK_THAT(said(12345), Contains("nvidia-smi"));
}

TEST_CASE("out of memory: the pool is trimmed and the allocation tried once more", "[cuda]") {
    for (const FakeGpu& gpu : {FakeGpu{.memory = 1000}, FakeGpu::old()}) {
        FakeDriver fake(gpu);
        cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
        const char* const function = gpu.missing.empty() ? "cuMemAllocFromPoolAsync" : "cuMemAlloc_v2";
        // Freed memory waits in the pool, so these do not fit together until it is trimmed.
        device.allocate(700, nullptr);
        CHECK(device.allocate(600, nullptr)->pointer != nullptr);
        const int before = fake.count_of(function);
        const std::string message = refusal([&] { device.allocate(size_t{1} << 40, nullptr); });
        CHECK(fake.count_of(function) == before + 2);
        const std::string total = gpu.missing.empty() ? "1000" : "1073741824";
        CHECK_THAT(message, Contains("1099511627776 bytes of GPU memory cannot be had (" + total + " of " +
                                     total + " free)"));
        CHECK_THAT(message, Contains("free arrays"));
    }
}

TEST_CASE("an image that the driver refuses is said with versions and the driver's log", "[cuda]") {
    FakeDriver fake({.name = "New GPU", .major = 13});
    cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
    fake.fail_call_of("cuLibraryGetKernel", cuda::kUnsupportedPtx);
    const std::string message = refusal([&] { device.build(triad_kernel(), "fl_triad", nullptr); });
    CHECK_THAT(message, Contains("PTX for sm_120 by NVRTC 13.0; New GPU (sm_130), driver 13.0"));
    CHECK_THAT(message, Contains("the driver is older than NVRTC; install a newer driver"));
}
