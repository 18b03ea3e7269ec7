// The CPU as a device: errors in words, threads, floating-point mode, large programs.
#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "compiler/codegen/emitters.h"
#include "compiler/support/errors.h"
#include "runtime/cpu/orc_engine.h"
#include "runtime/cpu/parallel_for.h"
#include "tests/unit/cpu/cpu_kernels.h"

using namespace fuseline;
using namespace fuseline::tests;

namespace {

constexpr const char* kTwice =
    "kernel k(%x: read f32, %y: write f32) sizes(n) schedule(map) index(64) { nest (i: n) grid {\n"
    "%a = load %x [i] : f32\n%b = add %a, %a : f32\nstore %y [i], %b } }";

template <class Error, class F>
std::string message(F f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a range is covered once, on any number of threads") {
    for (int threads : {1, 2, 5}) {
        ParallelFor workers(threads);
        for (const auto& [extent, work] : std::vector<std::pair<int64_t, int64_t>>{
                 {0, 1}, {1, 1}, {63, 1000}, {100000, 1}, {100001, 3}, {7, 1 << 20}, {1000, 0}}) {
            std::vector<std::atomic<int>> seen(static_cast<size_t>(extent));
            workers.run(extent, work, 100, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
            });
            CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& count) { return count == 1; }));
        }
    }
}

TEST_CASE("small ranges stay on the calling thread and exceptions come back") {
    ParallelFor workers(4);
    const auto caller = std::this_thread::get_id();
    std::thread::id ran;
    workers.run(1000, 1, 5, [&](int64_t, int64_t) { ran = std::this_thread::get_id(); });
    CHECK(ran == caller);
    const auto fail = [](int64_t begin, int64_t) {
        if (begin == 0) throw std::runtime_error("piece");
    };
    CHECK(message<std::runtime_error>([&] { workers.run(1 << 20, 100, 1, fail); }) == "piece");
    CHECK(message<std::runtime_error>([&] { workers.run(10, 1, 1, fail); }) == "piece");
}

#if defined(__SSE2__)
TEST_CASE("kernels run in the default floating-point mode and give the caller's back") {
    constexpr unsigned kFlushToZeroUpward = 0x1F80 | 0x8040 | 0x4000;
    const auto device = make_cpu_device(2);
    const CpuTestKernel twice(*device, kTwice);
    std::vector<float> x(300000, 0x1p-140f), y(x.size());
    const unsigned before = _mm_getcsr();
    _mm_setcsr(kFlushToZeroUpward);
    twice({x.data(), y.data()}, {}, {static_cast<int64_t>(x.size())});
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    CHECK(after == kFlushToZeroUpward);
    CHECK(std::all_of(y.begin(), y.end(), [](float v) { return v == 0x1p-139f; }));
}
#endif

TEST_CASE("a device describes itself and its errors say what is wrong") {
    const auto device = make_cpu_device(1);
    CHECK(device->name() == "cpu");
    CHECK(contains(device->description(), device->target().arch + ", "));
    CHECK(contains(device->description(), ", 1 thread"));
    CHECK(contains(device->compiler(), "llvm 19.1"));
    CHECK(contains(message<UserError>([] { make_cpu_device(1, 64); }), "128, 256 or 512"));
    CHECK(contains(message<UserError>([&] { device->allocate(size_t{1} << 60, nullptr); }), "1.0 EiB"));
    CHECK(contains(message<UserError>([&] { device->allocate(SIZE_MAX, nullptr); }), "out of memory"));
    CHECK(device->allocate(0, nullptr)->pointer != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(device->allocate(100, nullptr)->pointer) % 64 == 0);
    const auto executable = device->build(kernel_of(kTwice), "kernel", nullptr);
    CHECK(contains(device->stage_text(*executable, "llvm"), "define void @kernel"));
    CHECK(contains(device->stage_text(*executable, "asm"), "kernel:"));
    CHECK(contains(message<UserError>([&] { device->stage_text(*executable, "ptx"); }), "llvm and asm"));
}

TEST_CASE("what LLVM refuses is our fault and is shown with numbered lines") {
    OrcEngine engine;
    const std::string refused =
        message<InternalError>([&] { engine.compile("define void @k() {\n  frob\n}\n", "k"); });
    CHECK(contains(refused, "LLVM refuses line 2"));
    CHECK(contains(refused, "    2   frob"));
    const std::string missing =
        "declare void @no_such_function()\ndefine void @k() {\n"
        "  call void @no_such_function()\n  ret void\n}\n";
    CHECK(contains(message<ToolchainError>([&] { engine.compile(missing, "k"); }), "no_such_function"));
    CHECK(engine.compile("define void @k() {\n  ret void\n}\n", "k")->entry != nullptr);
}

TEST_CASE("threads build and run at the same time") {
    const auto device = make_cpu_device(2);
    std::atomic<int> right{0};
    const auto work = [&](int number) {
        for (int round = 0; round < 5; ++round) {
            const auto executable = device->build(kernel_of(kTwice), "kernel", nullptr);
            std::vector<float> x(50000), y(x.size());
            std::iota(x.begin(), x.end(), static_cast<float>(number));
            device->launch(*executable, {{x.data(), y.data()}, {}, {50000}}, nullptr);
            right += y[777] == 2 * x[777] && y[49999] == 2 * x[49999] ? 1 : 0;
        }
    };
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) threads.emplace_back(work, k);
    for (std::thread& t : threads) t.join();
    CHECK(right == 20);
}

TEST_CASE("ten thousand operators compile and run") {
    std::string text =
        "kernel k(%x: read f32, %y: write f32) sizes(n) schedule(map) index(64) { nest (i: n) grid {\n"
        "%a = load %x [i] : f32\n%c = constant 1.0 : f32\n%v0 = add %a, %c : f32\n";
    for (int k = 1; k < 10000; ++k) text += fmt::format("%v{} = add %v{}, %c : f32\n", k, k - 1);
    const auto device = make_cpu_device(1);
    const CpuTestKernel chain(*device, text + "store %y [i], %v9999 } }");
    std::vector<float> x(37, 5), y(x.size());
    chain({x.data(), y.data()}, {}, {37});
    CHECK(std::all_of(y.begin(), y.end(), [](float v) { return v == 10005; }));
}

TEST_CASE("the range of a launch is that of the outermost axis") {
    const auto range = [](std::string_view nest, std::string_view sizes, std::vector<int64_t> values) {
        const CpuRange r = cpu_range(
            kernel_of(fmt::format("kernel k() sizes({}) schedule(map) index(64) {{ nest ({}) grid {{ }} }}",
                                  sizes, nest)),
            values);
        return std::array<int64_t, 2>{r.extent, r.work_per_step};
    };
    CHECK(range("i: n", "n", {7}) == std::array<int64_t, 2>{7, 1});
    CHECK(range("i: n//2 + 1, j: m, k: 4", "n, m", {7, 5}) == std::array<int64_t, 2>{4, 20});
    CHECK(range("i: n, j: m", "n, m", {7, 0}) == std::array<int64_t, 2>{7, 0});
    CHECK(range("", "", {}) == std::array<int64_t, 2>{1, 1});
}
