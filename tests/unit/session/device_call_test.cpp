// Calls on a GPU with memory and a stream of the caller's: what reaches the launch, what is waited for, what
// is refused.
#include <array>
#include <cstring>

#include "fuseline/fuseline.h"
#include "runtime/session/session_impl.h"
#include "tests/catch.h"
#include "tests/unit/cuda/fake_cuda.h"
#include "tests/unit/session/session_errors.h"

using namespace fuseline;
using namespace fuseline::tests;
using namespace fuseline::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kProgram = "fn axpy(a: f32, x: f32[n], y: f32[n]) -> (z: f32[n]) { z = a * x + y }\n";

Session session_on(FakeDriver& fake) {
    Settings settings;
    settings.device = "cuda";
    return Session(std::make_shared<Session::Impl>(
        settings, std::make_shared<cuda::CudaDevice>(fake.table(), 0, kFakeCompiler)));
}

uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

DeviceSpan floats_at(const void* pointer, int64_t count) {
    return DeviceSpan{address(pointer), DType::f32_, {count}};
}

/// What a launch got, read while it lasts.
struct SeenLaunch {
    const void* stream = nullptr;
    std::array<uint64_t, 3> buffers{};
};

/// The kernel's parameters: two buffers that are read, one that is written, a, n.
SeenLaunch run_axpy(const FakeLaunch& launch) {
    SeenLaunch seen{launch.stream, {}};
    for (size_t k = 0; k < 3; ++k) std::memcpy(&seen.buffers[k], launch.parameters[k], 8);
    run_triad(launch);
    return seen;
}

struct Callers {
    alignas(16) std::array<float, 5> x{1, 2, 3, 4, 5};
    alignas(16) std::array<float, 5> y{10, 20, 30, 40, 50};
    alignas(16) std::array<float, 8> z{};

    std::map<std::string, Argument> arguments() const {
        return {{"a", 2.0}, {"x", floats_at(x.data(), 5)}, {"y", floats_at(y.data(), 5)}};
    }
};

}  // namespace

TEST_CASE("device memory and a caller's stream go straight to the launch", "[session][cuda]") {
    for (const FakeGpu& gpu : {FakeGpu{}, FakeGpu::old()}) {
        FakeDriver fake(gpu);
        const Stream stream = fake.make_caller_stream();
        const std::string name = fake.text_of(stream);
        std::vector<SeenLaunch> seen;
        fake.on_launch = [&](const FakeLaunch& launch) { seen.push_back(run_axpy(launch)); };
        Callers memory;
        {
            const Session session = session_on(fake);
            const Module module = session.load_text(kProgram);
            CallSettings settings;
            settings.stream = stream;
            settings.outputs["z"] = floats_at(memory.z.data(), 5);
            for (int call = 0; call < 2; ++call)
                CHECK(module.call("axpy", memory.arguments(), settings).size() == 0);
            // Work on the caller's stream is the caller's to wait for; no memory or copy is needed.
            for (const std::string& call : fake.calls()) CHECK(call != "cuStreamSynchronize " + name);
            CHECK(fake.count_of("cuCtxSynchronize") == 0);
            CHECK(fake.count_of("cuEventSynchronize") == 0);
            for (const std::string& call : fake.calls()) {
                CHECK(!call.starts_with("cuMemAlloc"));
                CHECK(!call.starts_with("cuMemcpy"));
            }
        }
        REQUIRE(seen.size() == 2);
        for (const SeenLaunch& launch : seen) {
            CHECK(launch.stream == stream);
            CHECK(launch.buffers ==
                  std::array{address(memory.x.data()), address(memory.y.data()), address(memory.z.data())});
        }
        CHECK(memory.z == std::array<float, 8>{12, 24, 36, 48, 60, 0, 0, 0});
        CHECK(fake.live() == "");
        CHECK(fake.context_depth() == 0);
        CHECK(fake.faults() == std::vector<std::string>{});
    }
}

TEST_CASE("without a stream the session's own one runs the call", "[session][cuda]") {
    FakeDriver fake;
    const Stream stream = fake.make_caller_stream();
    std::vector<SeenLaunch> seen;
    fake.on_launch = [&](const FakeLaunch& launch) { seen.push_back(run_axpy(launch)); };
    Callers memory;
    {
        const Session session = session_on(fake);
        const Module module = session.load_text(kProgram);
        // An owned result on the caller's stream, read once that is waited for; then device memory on the own
        // one.
        CallSettings settings;
        settings.stream = stream;
        const Results results = module.call("axpy", memory.arguments(), settings);
        const auto z = results["z"].values<float>();
        CHECK(std::vector<float>(z.begin(), z.end()) == std::vector<float>{12, 24, 36, 48, 60});
        CallSettings own;
        own.outputs["z"] = floats_at(memory.z.data(), 5);
        module.call("axpy", memory.arguments(), own);
        session.synchronize();
    }
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].stream == stream);
    CHECK(seen[1].stream != stream);
    CHECK(memory.z[4] == 60);
    CHECK(fake.live() == "");
    CHECK(fake.faults() == std::vector<std::string>{});
}

TEST_CASE("device memory that cannot serve is refused before any work, with the fix", "[session][cuda]") {
    FakeDriver fake;
    int launches = 0;
    fake.on_launch = [&](const FakeLaunch&) { ++launches; };
    Callers memory;
    {
        const Session session = session_on(fake);
        const Module module = session.load_text(kProgram);
        const auto with_x = [&](const DeviceSpan& x) {
            auto arguments = memory.arguments();
            arguments["x"] = x;
            return message([&] { module.call("axpy", arguments); });
        };
        const auto with_z = [&](const DeviceSpan& z) {
            CallSettings settings;
            settings.outputs["z"] = z;
            return message([&] { module.call("axpy", memory.arguments(), settings); });
        };
        const auto* odd = reinterpret_cast<const std::byte*>(memory.x.data()) + 2;
        const auto* odd_z = reinterpret_cast<const std::byte*>(memory.z.data()) + 2;
        CHECK_THAT(with_x(floats_at(odd, 5)),
                   Contains("argument `x`") && Contains("align it to 4 bytes, the size of an element"));
        CHECK_THAT(with_x(floats_at(nullptr, 5)), Contains("a null pointer"));
        CHECK_THAT(with_x(floats_at(memory.x.data(), 4)), Contains("n is "));
        CHECK_THAT(with_x(DeviceSpan{address(memory.x.data()), DType::f64_, {5}}),
                   Contains("must be an array of f32: found f64[5]"));
        CHECK_THAT(with_z(floats_at(odd_z, 5)),
                   Contains("result `z`") && Contains("align it to 4 bytes, the size of an element"));
        CHECK_THAT(with_z(floats_at(memory.z.data(), 4)),
                   Contains("result `z` must be f32[5]: found f32[4]"));
        CHECK_THAT(with_z(floats_at(nullptr, 5)), Contains("a null pointer"));
        CHECK_THAT(with_z(floats_at(memory.x.data(), 5)),
                   Contains("overlaps argument `x`; give it memory of its own"));
    }
    CHECK(launches == 0);
    CHECK(fake.live() == "");

    Settings settings;
    settings.device = "cpu";
    const Module module = Session(settings).load_text(kProgram);
    CHECK_THAT(
        message([&] { module.call("axpy", memory.arguments()); }),
        Contains("argument `x`") && Contains("give host memory, or open the session with device `cuda`"));
    CallSettings outputs;
    outputs.outputs["z"] = floats_at(memory.z.data(), 5);
    const std::map<std::string, Argument> hosts = {{"a", 2.0},
                                                   {"x", HostSpan{memory.x.data(), DType::f32_, {5}}},
                                                   {"y", HostSpan{memory.y.data(), DType::f32_, {5}}}};
    CHECK_THAT(
        message([&] { module.call("axpy", hosts, outputs); }),
        Contains("result `z`") && Contains("give host memory, or open the session with device `cuda`"));
}
