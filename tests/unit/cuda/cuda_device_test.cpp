// A CUDA device on the fake driver: what it computes, which streams wait, what it does to the caller.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "runtime/cuda/loaded_kernel.h"
#include "tests/catch.h"
#include "tests/unit/cuda/fake_cuda.h"

using namespace fuseline;
using namespace fuseline::testing;
using Catch::Matchers::Contains;

TEST_CASE("operands reach a kernel in the order and width of its parameters", "[cuda]") {
    for (const FakeGpu& gpu : {FakeGpu{}, FakeGpu::old()}) {
        FakeDriver fake(gpu);
        int launches = 0;
        fake.on_launch = [&](const FakeLaunch& launch) {
            CHECK(launch.symbol == "fl_triad");
            CHECK(launch.grid[0] * launch.block[0] * 4 >= 5);
            run_triad(launch);
            ++launches;
        };
        CHECK(triad_life(fake, fake.make_caller_stream()) == std::vector<float>{12, 24, 36, 48, 60});
        CHECK(launches == 4);
        CHECK(fake.live() == "");
        CHECK(fake.faults() == std::vector<std::string>{});
    }
}

TEST_CASE("the target follows from GPU and driver", "[cuda]") {
    FakeDriver fake({.name = "Fake H", .major = 10, .minor = 3, .driver_version = 12040});
    const cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
    CHECK(device.name() == "cuda:0");
    CHECK(device.description() == "Fake H (sm_103), driver 12.4");
    CHECK(device.compiler() == "nvrtc 13.0");
    CHECK(device.target().arch == "sm_103");
    CHECK(device.target().parameter_bytes == 32764);
    FakeDriver old(FakeGpu::old());
    CHECK(cuda::CudaDevice(old.table(), 0, kFakeCompiler).target().parameter_bytes == 4096);
}

TEST_CASE("a GPU newer than NVRTC takes PTX of the newest that NVRTC has", "[cuda]") {
    FakeDriver fake({.major = 13});
    cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
    const auto executable = device.build(triad_kernel(), "fl_triad", nullptr);
    CHECK(device.stage_text(*executable, "ptx") == "PTX of fl_triad for sm_120");
    CHECK_THAT(refusal([&] { device.stage_text(*executable, "sass"); }),
               Contains("install a newer CUDA toolkit"));
    CHECK_THROWS_AS(device.stage_text(*executable, "llvm"), UserError);

    FakeDriver ancient({.major = 5});
    cuda::CudaDevice older(ancient.table(), 0, kFakeCompiler);
    CHECK(refusal([&] { older.build(triad_kernel(), "fl_triad", nullptr); }) ==
          "NVRTC 13.0 does not compile for sm_50: install an older CUDA toolkit, or use --device cpu");
}

TEST_CASE("more than 48 KiB of shared memory is asked for", "[cuda]") {
    for (const FakeGpu& gpu : {FakeGpu{}, FakeGpu::old()}) {
        FakeDriver fake(gpu);
        const auto state = std::make_shared<cuda::GpuState>(fake.table(), 0);
        const cuda::ContextScope scope(state->driver(), state->context());
        const cuda::LoadedKernel kernel(state, "cubin of fl_rows", false, "fl_rows", "a test");
        CHECK(kernel.allow_shared(100000) == cuda::kSuccess);
        const char* const symbol = gpu.missing.empty() ? "cuKernelSetAttribute" : "cuFuncSetAttribute";
        CHECK(fake.calls().back() == std::string(symbol) + " 8=100000");
    }
}

TEST_CASE("code is a library where the driver has them, else a module", "[cuda]") {
    FakeDriver fake;
    triad_life(fake, fake.make_caller_stream());
    CHECK(fake.count_of("cuLibraryLoadData") == 1);
    CHECK(fake.count_of("cuModuleLoadDataEx") == 0);
    FakeDriver old({.missing = {"cuKernelSetAttribute"}});
    triad_life(old, old.make_caller_stream());
    CHECK(old.count_of("cuLibraryLoadData") == 0);
    CHECK(old.count_of("cuModuleLoadDataEx") == 1);
}

TEST_CASE("arrays and launches without elements", "[cuda]") {
    FakeDriver fake;
    cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
    const auto executable = device.build(triad_kernel(), "fl_triad", nullptr);
    const auto none = device.allocate(0, nullptr);
    CHECK(none->pointer == nullptr);
    CHECK(none->bytes == 0);
    const size_t before = fake.calls().size();
    device.copy_to_device(none->pointer, nullptr, 0, nullptr);
    device.copy_to_host(nullptr, none->pointer, 0, nullptr);
    device.launch(*executable, {{nullptr, nullptr, nullptr}, {Scalar::of_f32(2)}, {0}}, nullptr);
    CHECK(fake.calls().size() == before);
    CHECK(device.timed_launch(*executable, {{nullptr, nullptr, nullptr}, {Scalar::of_f32(2)}, {0}},
                              nullptr) >= 0);
    CHECK(fake.count_of("cuLaunchKernel") == 0);
}

TEST_CASE("a launch is as large as its sizes, whatever was launched before", "[cuda]") {
    FakeDriver fake;
    std::vector<unsigned> blocks;
    fake.on_launch = [&](const FakeLaunch& launch) { blocks.push_back(launch.grid[0]); };
    cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
    const auto executable = device.build(triad_kernel(), "fl_triad", nullptr);
    const auto memory = device.allocate(size_t{1} << 20, nullptr);
    void* const p = memory->pointer;
    for (int64_t n : {4, 100000, 100000, 4})
        device.launch(*executable, {{p, p, p}, {Scalar::of_f32(2)}, {n}}, nullptr);
    REQUIRE(blocks.size() == 4);
    CHECK(blocks[0] == 1);
    CHECK(blocks[1] > 1);
    CHECK(blocks[2] == blocks[1]);
    CHECK(blocks[3] == 1);
}

TEST_CASE("a caller's stream waits for the own one, and the own one for it", "[cuda]") {
    FakeDriver fake;
    const Stream stream = fake.make_caller_stream();
    const std::string callers = fake.text_of(stream);
    cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
    /// The streams of the record and of the wait, if both name one event.
    const auto order = [&](const std::vector<std::string>& calls) {
        std::string record, wait;
        for (const std::string& call : calls) {
            if (call.starts_with("cuEventRecord ")) record = call;
            if (call.starts_with("cuStreamWaitEvent ")) wait = call;
        }
        const std::string event = record.substr(0, record.rfind(' ')).substr(14);
        CHECK(wait.substr(wait.rfind(' ') + 1) == event);
        return record.substr(record.rfind(' ') + 1) + " before " + wait.substr(18, wait.rfind(' ') - 18);
    };
    device.enter(stream);
    const std::vector<std::string> entered = fake.calls();
    const std::string enter = order(entered);
    CHECK_THAT(enter, Catch::EndsWith(" before " + callers));
    device.leave(stream);
    const std::vector<std::string> all = fake.calls();
    const std::string leave = order({all.begin() + static_cast<std::ptrdiff_t>(entered.size()), all.end()});
    const std::string own = enter.substr(0, enter.find(' '));
    CHECK(own != callers);
    CHECK(leave == callers + " before " + own);

    device.enter(nullptr);
    device.leave(nullptr);
    CHECK(fake.calls().size() == all.size());
}

TEST_CASE("memory of a call on a caller's stream goes back on the own one", "[cuda]") {
    FakeDriver fake;
    const Stream stream = fake.make_caller_stream();
    cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
    device.allocate(64, stream);
    const std::vector<std::string> calls = fake.calls();
    const auto begins = [&](const char* word) {
        return *std::find_if(calls.begin(), calls.end(),
                             [&](const std::string& call) { return call.starts_with(word); });
    };
    CHECK(begins("cuMemAllocFromPoolAsync") == "cuMemAllocFromPoolAsync " + fake.text_of(stream));
    CHECK(begins("cuMemFreeAsync") != "cuMemFreeAsync " + fake.text_of(stream));
}

TEST_CASE("a stream in capture is not spoilt", "[cuda]") {
    FakeDriver fake;
    const Stream stream = fake.make_caller_stream(true);
    {
        cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
        device.enter(stream);
        const auto executable = device.build(triad_kernel(), "fl_triad", nullptr);
        std::vector<void*> buffers;
        for (int k = 0; k < 3; ++k) buffers.push_back(device.allocate(20, stream)->pointer);
        device.launch(*executable, {buffers, {Scalar::of_f32(2)}, {5}}, stream);
        device.leave(stream);
        CHECK(fake.count_of("cuEventRecord") == 0);
        CHECK(fake.count_of("cuStreamWaitEvent") == 0);
        CHECK(fake.count_of("cuMemAllocFromPoolAsync") == 0);
        // The graph may run again, so its memory stays until the device goes.
        CHECK_THAT(fake.live(), Contains("3 memory"));
        float z = 0;
        CHECK_THAT(refusal([&] { device.copy_to_host(&z, buffers[2], 4, stream); }),
                   Contains("before the capture begins"));
        CHECK_THAT(refusal([&] { device.copy_to_device(buffers[0], &z, 4, stream); }),
                   Contains("arrays that are on the GPU"));
        CHECK_THAT(refusal([&] { device.synchronize(stream); }), Contains("synchronising waits"));
    }
    CHECK(fake.live() == "");
    CHECK(fake.faults() == std::vector<std::string>{});
}

TEST_CASE("memory and kernels outlive their device", "[cuda]") {
    FakeDriver fake;
    auto device = std::make_unique<cuda::CudaDevice>(fake.table(), 0, kFakeCompiler);
    auto memory = device->allocate(64, nullptr);
    auto executable = device->build(triad_kernel(), "fl_triad", nullptr);
    device.reset();
    CHECK(fake.live() == "1 context, 1 library, 1 stream, 1 pool, 1 memory");
    memory.reset();
    executable.reset();
    CHECK(fake.live() == "");
    CHECK(fake.faults() == std::vector<std::string>{});
}

TEST_CASE("a forked child gets a clear error and touches nothing", "[cuda]") {
    FakeDriver fake;
    auto device = std::make_unique<cuda::CudaDevice>(fake.table(), 0, kFakeCompiler);
    auto memory = device->allocate(64, nullptr);
    auto executable = device->build(triad_kernel(), "fl_triad", nullptr);
    const size_t before = fake.calls().size();
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const std::string message = refusal([&] { device->allocate(64, nullptr); });
        const bool clear =
            message.find("after fork") != std::string::npos && message.find("exec") != std::string::npos;
        memory.reset();
        executable.reset();
        device.reset();
        ::_exit(clear && fake.calls().size() == before ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    device->synchronize(nullptr);
}

TEST_CASE("threads share a device", "[cuda]") {
    FakeDriver fake;
    fake.on_launch = run_triad;
    {
        cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
        const auto executable = device.build(triad_kernel(), "fl_triad", nullptr);
        std::vector<int> good(4);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                for (int turn = 0; turn < 20; ++turn) {
                    const float in = static_cast<float>(t);
                    float out = -1;
                    const auto x = device.allocate(4, nullptr), z = device.allocate(4, nullptr);
                    device.copy_to_device(x->pointer, &in, 4, nullptr);
                    device.launch(*executable,
                                  {{x->pointer, x->pointer, z->pointer}, {Scalar::of_f32(2)}, {1}}, nullptr);
                    device.copy_to_host(&out, z->pointer, 4, nullptr);
                    good[static_cast<size_t>(t)] += out == 3 * in && fake.context_depth() == 0;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        CHECK(good == std::vector<int>(4, 20));
    }
    CHECK(fake.live() == "");
    CHECK(fake.faults() == std::vector<std::string>{});
}
