// Throughput of emitted CPU kernels beside loops written by hand in C++ (bench/cpu_by_hand.cpp), on one
// thread.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/cpu_by_hand.h"
#include "compiler/ir/ir.h"
#include "runtime/device/device.h"

namespace fuseline {
namespace {

constexpr const char* kTriad = R"(kernel triad(%x: read f32, %y: read f32, %out: write f32, %a: f32)
    sizes(n) schedule(map) index(64) {
  nest (i: n) grid {
    %u = load %x [i] : f32
    %v = load %y [i] : f32
    %m = mul %a, %u : f32
    %r = add %m, %v : f32
    store %out [i], %r
  }
})";

constexpr const char* kBlackScholes =
    R"(kernel black_scholes(%spot: read f32, %strike: read f32, %years: read f32,
    %call: write f32, %put: write f32, %rate: f32, %sigma: f32) sizes(n) schedule(map) index(64) {
  %half = constant 0.5 : f32
  %one = constant 1.0 : f32
  %root = constant 0.70710678 : f32
  %variance = mul %sigma, %sigma : f32
  %half_variance = mul %half, %variance : f32
  %drift = add %rate, %half_variance : f32
  %discount = neg %rate : f32
  nest (i: n) grid {
    %s = load %spot [i] : f32
    %k = load %strike [i] : f32
    %t = load %years [i] : f32
    %sq = sqrt %t : f32
    %vs = mul %sigma, %sq : f32
    %q = div %s, %k : f32
    %l = log %q : f32
    %dt = mul %drift, %t : f32
    %top = add %l, %dt : f32
    %d1 = div %top, %vs : f32
    %d2 = sub %d1, %vs : f32
    %m1 = mul %d1, %root : f32
    %m2 = mul %d2, %root : f32
    %e1 = erf %m1 : f32
    %e2 = erf %m2 : f32
    %o1 = add %one, %e1 : f32
    %o2 = add %one, %e2 : f32
    %n1 = mul %half, %o1 : f32
    %n2 = mul %half, %o2 : f32
    %rt = mul %discount, %t : f32
    %ex = exp %rt : f32
    %ke = mul %k, %ex : f32
    %a = mul %s, %n1 : f32
    %b = mul %ke, %n2 : f32
    %c = sub %a, %b : f32
    %c1 = sub %c, %s : f32
    %p = add %c1, %ke : f32
    store %call [i], %c
    store %put [i], %p
  }
})";

constexpr float kScale = 2, kRate = 0.05f, kSigma = 0.2f;

ir::Function kernel_of(const char* text) {
    SourceMap sources;
    return std::move(ir::parse_functions(sources, sources.add("bench.ir", text))[0]);
}

/// Arrays of options near the money, and room for results.
struct Arrays {
    std::vector<std::vector<float>> all;
    explicit Arrays(size_t n) : all(5, std::vector<float>(n)) {
        for (size_t i = 0; i < n; ++i) {
            all[0][i] = 90 + static_cast<float>(i % 20);
            all[1][i] = 100;
            all[2][i] = 0.5f + 0.1f * static_cast<float>(i % 7);
        }
    }
    float* operator[](size_t k) { return all[k].data(); }
};

void count(benchmark::State& state, int64_t bytes) {
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetBytesProcessed(state.iterations() * state.range(0) * bytes);
}

void triad_emitted(benchmark::State& state) {
    const auto device = make_cpu_device(1, static_cast<int>(state.range(1)));
    const auto kernel = device->build(kernel_of(kTriad), "triad", nullptr);
    Arrays a(static_cast<size_t>(state.range(0)));
    const LaunchArguments arguments{{a[0], a[1], a[3]}, {Scalar::of_f32(kScale)}, {state.range(0)}};
    for (auto _ : state) device->launch(*kernel, arguments, nullptr);
    count(state, 12);
}

void triad_by_hand(benchmark::State& state) {
    Arrays a(static_cast<size_t>(state.range(0)));
    for (auto _ : state) by_hand::triad(a[3], a[0], a[1], kScale, state.range(0));
    count(state, 12);
}

void black_scholes_emitted(benchmark::State& state) {
    const auto device = make_cpu_device(1, static_cast<int>(state.range(1)));
    const auto kernel = device->build(kernel_of(kBlackScholes), "black_scholes", nullptr);
    Arrays a(static_cast<size_t>(state.range(0)));
    const LaunchArguments arguments{
        {a[0], a[1], a[2], a[3], a[4]}, {Scalar::of_f32(kRate), Scalar::of_f32(kSigma)}, {state.range(0)}};
    for (auto _ : state) device->launch(*kernel, arguments, nullptr);
    count(state, 20);
}

void black_scholes_by_hand(benchmark::State& state) {
    Arrays a(static_cast<size_t>(state.range(0)));
    for (auto _ : state) {
        by_hand::black_scholes({a[0], a[1], a[2]}, a[3], a[4], kRate, kSigma, state.range(0));
    }
    count(state, 20);
}

void build_kernel(benchmark::State& state, const char* text) {
    const auto device = make_cpu_device(1);
    const ir::Function kernel = kernel_of(text);
    for (auto _ : state) benchmark::DoNotOptimize(device->build(kernel, "kernel", nullptr));
}

/// Elements, and bits of the vectors (0: those of the machine).
void sizes(benchmark::internal::Benchmark* b) {
    for (int64_t n : {1000, 100000, 4000000}) b->Args({n, 0});
    b->Args({100000, 128})->Args({100000, 256});
}

BENCHMARK(triad_emitted)->Apply(sizes);
BENCHMARK(triad_by_hand)->Arg(1000)->Arg(100000)->Arg(4000000);
BENCHMARK(black_scholes_emitted)->Apply(sizes);
BENCHMARK(black_scholes_by_hand)->Arg(1000)->Arg(100000)->Arg(4000000);
BENCHMARK_CAPTURE(build_kernel, triad, kTriad)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build_kernel, black_scholes, kBlackScholes)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fuseline
