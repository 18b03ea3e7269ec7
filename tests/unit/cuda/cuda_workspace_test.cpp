// The workspace of kernels whose blocks share an output: when it is made, cleared and freed.
#include <algorithm>
#include <cstring>

#include "tests/catch.h"
#include "tests/unit/cuda/fake_cuda.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

constexpr size_t kTickets = 4096;

ir::Function sum_kernel() {
    SourceMap sources;
    const size_t file = sources.add("kernel.ir", R"(
kernel sum(%x: read f32, %y: write f32) sizes(n) schedule(reduce) index(32) {
  %none = constant -0.0 : f32
  nest () grid {
    %total = fold (i: n) team %none : f32 {
      %e = load %x [i] : f32
      yield %e
    } combine (%a: f32, %b: f32) {
      %c = add %a, %b : f32
      yield %c
    }
    store %y [0], %total
  }
})");
    return ir::parse_functions(sources, file).at(0);
}

/// Launches the kernel for `n` elements that nothing reads.
void launch(cuda::CudaDevice& device, const Executable& kernel, int64_t n, Stream stream) {
    const auto x = device.allocate(4, stream), y = device.allocate(4, stream);
    device.launch(kernel, {{x->pointer, y->pointer}, {}, {n}}, stream);
}

/// Every launch finds its tickets cleared and leaves parts behind them.
void watch(FakeDriver& fake) {
    fake.on_launch = [](const FakeLaunch& l) {
        void* const work = *static_cast<void**>(l.parameters[3]);
        if (l.grid[1] == 1) {
            CHECK(work == nullptr);
            return;
        }
        auto* const bytes = static_cast<std::byte*>(work);
        CHECK(std::all_of(bytes, bytes + kTickets, [](std::byte b) { return b == std::byte{0}; }));
        std::memset(bytes + kTickets, 0xee, size_t{4} * l.grid[1]);
    };
}

}  // namespace

TEST_CASE("the own stream's launches share a workspace that grows", "[cuda]") {
    FakeDriver fake;
    {
        cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
        const auto kernel = device.build(sum_kernel(), "fl_sum", nullptr);
        watch(fake);
        launch(device, *kernel, 1000, nullptr);
        CHECK(fake.count_of("cuMemsetD8Async") == 0);
        for (int turn = 0; turn < 3; ++turn) launch(device, *kernel, 1 << 20, nullptr);
        CHECK(fake.count_of("cuMemsetD8Async") == 1);
        launch(device, *kernel, int64_t{1} << 28, nullptr);
        launch(device, *kernel, 1 << 20, nullptr);
        CHECK(fake.count_of("cuMemsetD8Async") == 2);
    }
    CHECK(fake.live() == "");
    CHECK(fake.faults() == std::vector<std::string>{});
}

TEST_CASE("a launch on a caller's stream has a workspace of its own", "[cuda]") {
    for (const FakeGpu& gpu : {FakeGpu{}, FakeGpu::old()}) {
        for (bool capturing : {false, true}) {
            FakeDriver fake(gpu);
            const auto stream = fake.make_caller_stream(capturing);
            {
                cuda::CudaDevice device(fake.table(), 0, kFakeCompiler);
                const auto kernel = device.build(sum_kernel(), "fl_sum", nullptr);
                watch(fake);
                launch(device, *kernel, 1 << 20, stream);
                launch(device, *kernel, 1 << 20, stream);
                CHECK(fake.count_of("cuMemsetD8Async") == 2);
            }
            CHECK(fake.live() == "");
            CHECK(fake.faults() == std::vector<std::string>{});
        }
    }
}
