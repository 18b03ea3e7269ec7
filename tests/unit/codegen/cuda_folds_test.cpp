// Folds in emitted CUDA on the host shim, bit for bit against the order of compiler/ir/reduction_order.h.
#include <fmt/format.h>

#include <limits>

#include "tests/catch.h"
#include "tests/unit/codegen/cuda_on_host.h"
#include "tests/unit/reduction_order.h"

using namespace fuseline;
using namespace fuseline::tests;
using namespace fuseline::testing;

namespace {

constexpr int64_t kLengths[] = {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 2047, 2048, 2049, 100003};
constexpr int64_t kOutputs[] = {0, 1, 2, 7, 1000};
constexpr int64_t kMostElements = 250'000;

struct Layout {
    std::string_view mapping, at;
    int64_t (*offset)(int64_t n, int64_t m, int64_t i, int64_t k);
    int64_t spread;  ///< the buffer has n * m * spread elements
};
constexpr Layout kRows{"team", "m*i + k", [](auto, auto m, auto i, auto k) { return m * i + k; }, 1};
constexpr Layout kColumns{"sequential", "n*k + i", [](auto n, auto, auto i, auto k) { return n * k + i; }, 1};
constexpr Layout kOthers[] = {
    {"team", "2*m*i + 2*k + 1", [](auto, auto m, auto i, auto k) { return 2 * (m * i + k) + 1; }, 2},
    {"team", "m*i - k + m - 1", [](auto, auto m, auto i, auto k) { return m * i - k + m - 1; }, 1},
    {"sequential", "m*i + k", [](auto, auto m, auto i, auto k) { return m * i + k; }, 1},
};

std::string fold_text(std::string_view dtype, const Layout& layout, std::string_view identity,
                      std::string_view op) {
    return fmt::format(R"(
kernel sums(%x: read {0}, %y: write {0}) sizes(n, m) schedule(reduce) index(64) {{
  %none = constant {3} : {0}
  nest (i: n) grid {{
    %total = fold (k: m) {1} %none : {0} {{
      %e = load %x [{2}] : {0}
      yield %e
    }} combine (%a: {0}, %b: {0}) {{
      %c = {4} %a, %b : {0}
      yield %c
    }}
    store %y [i], %total
  }}
}})",
                       dtype, layout.mapping, layout.at, identity, op);
}

ir::Function narrowed(ir::Function kernel, int bits) {
    kernel.index_bits = bits;
    return kernel;
}

template <class T>
std::vector<T> values_of(const HostArray& a) {
    std::vector<T> values(a.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), a.bytes.data(), a.bytes.size());
    return values;
}

/// Runs a kernel of one input and one output and gives its output.
template <class T>
std::vector<T> outputs_of(HostCudaDevice& device, const ir::Function& kernel, HostArray x, int64_t n,
                          int64_t m) {
    HostArray y = filled(x.dtype, n, 9);
    launch_on_host(device, kernel, {&x, &y}, {{"n", n}, {"m", m}}, "fl_reduce_0123456789abcdef");
    return values_of<T>(y);
}

template <class T, class Combine>
std::vector<T> expected_of(const HostArray& x, const Layout& layout, int64_t n, int64_t m, T identity,
                           Combine combine) {
    const std::vector<T> all = values_of<T>(x);
    std::vector<T> results;
    for (int64_t i = 0; i < n; ++i) {
        results.push_back(in_order<T>(
            m, identity, [&](int64_t k) { return all[static_cast<size_t>(layout.offset(n, m, i, k))]; },
            combine));
    }
    return results;
}

template <class T, class Combine>
void check_lengths(DType dtype, const Layout& layout, T identity, std::string_view identity_text,
                   std::string_view op, Combine combine, std::vector<size_t> skews) {
    HostCudaDevice device;
    const ir::Function kernel = kernel_of(fold_text(name(dtype), layout, identity_text, op));
    for (int bits : {32, 64}) {
        const ir::Function variant = narrowed(kernel, bits);
        for (int64_t n : kOutputs) {
            for (int64_t m : kLengths) {
                if (n * m > kMostElements) continue;
                const HostArray x = filled(dtype, n * m * layout.spread, static_cast<unsigned>(n + m));
                const auto expected = expected_of<T>(x, layout, n, m, identity, combine);
                for (size_t skew : skews) {
                    CAPTURE(name(dtype), layout.mapping, layout.at, bits, n, m, skew);
                    device.set_skew(skew);
                    CHECK(outputs_of<T>(device, variant, x, n, m) == expected);
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("sums of floats have the order's bits in every length, alignment and index width", "[cuda]") {
    for (const Layout& layout : {kRows, kColumns}) {
        check_lengths<float>(DType::f32_, layout, -0.0F, "-0.0", "add",
                             [](float a, float b) { return a + b; }, {0, 4});
    }
    check_lengths<double>(DType::f64_, kRows, -0.0, "-0.0", "add", [](double a, double b) { return a + b; },
                          {0, 8});
}

TEST_CASE("folds of integers and bools, strided and reversed rows", "[cuda]") {
    const auto sum = [](int64_t a, int64_t b) {
        return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    };
    check_lengths<int64_t>(DType::i64_, kRows, 0, "0", "add", sum, {0, 8});
    check_lengths<int64_t>(DType::i64_, kColumns, 0, "0", "add", sum, {0});
    const auto either = [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a | b); };
    check_lengths<uint8_t>(DType::bool_, kRows, 0, "false", "or", either, {0, 1});
    for (const Layout& layout : kOthers) {
        check_lengths<float>(DType::f32_, layout, -0.0F, "-0.0", "add",
                             [](float a, float b) { return a + b; }, {0});
    }
}

TEST_CASE("any geometry of threads, warps and blocks gives the same bits", "[cuda]") {
    HostCudaDevice device;
    const ir::Function rows = kernel_of(fold_text("f32", kRows, "-0.0", "add"));
    const ir::Function columns = kernel_of(fold_text("f32", kColumns, "-0.0", "add"));
    const auto add = [](float a, float b) { return a + b; };
    struct Grid {
        uint32_t x, y, z, blocks;
    };
    for (int64_t m : {5000, 20481, 40960}) {
        const int64_t n = 3;
        const HostArray x = filled(DType::f32_, n * m, 5);
        for (const Grid g : {Grid{32, 1, 1, 1},
                             {32, 2, 1, 1},
                             {32, 1, 4, 1},
                             {32, 1, 2, 3},
                             {32, 1, 4, 5},
                             {32, 1, 8, 2},
                             {32, 8, 1, 1}}) {
            CAPTURE(m, g.y, g.z, g.blocks);
            device.set_adjustment([&](CudaGeometry& geometry) {
                geometry = {{static_cast<uint32_t>((n + g.y - 1) / g.y), g.blocks, 1},
                            {g.x, g.y, g.z},
                            0,
                            true,
                            1 << 16,
                            4096};
            });
            CHECK(outputs_of<float>(device, rows, x, n, m) == expected_of<float>(x, kRows, n, m, -0.0F, add));
        }
        for (const Grid g :
             {Grid{4, 1, 1, 1}, {8, 4, 1, 1}, {2, 16, 1, 1}, {8, 8, 1, 3}, {32, 1, 1, 7}, {1, 2, 1, 20}}) {
            CAPTURE(m, g.x, g.y, g.blocks);
            device.set_adjustment([&](CudaGeometry& geometry) {
                geometry = {{static_cast<uint32_t>((n + g.x - 1) / g.x), g.blocks, 1},
                            {g.x, g.y, g.z},
                            0,
                            true,
                            1 << 16,
                            4096};
            });
            CHECK(outputs_of<float>(device, columns, x, n, m) ==
                  expected_of<float>(x, kColumns, n, m, -0.0F, add));
        }
    }
}

namespace {

struct Most {
    float value;
    int64_t at;
    bool operator==(const Most&) const = default;
};
Most most_of(const Most& a, const Most& b) {
    const bool second = b.value > a.value || (b.value == a.value && b.at < a.at);
    return second ? b : a;
}

std::string argmax_text(std::string_view mapping, std::string_view at) {
    return fmt::format(R"(
kernel argmax(%x: read f32, %value: write f32, %index: write i64) sizes(n, m) schedule(reduce) index(32) {{
  %low = constant -inf : f32
  %last = constant 9223372036854775807 : i64
  nest (i: n) grid {{
    %most, %where = fold (k: m) {} %low, %last : f32, i64 {{
      %e = load %x [{}] : f32
      %r = index [k] : i64
      yield %e, %r
    }} combine (%a: f32, %ai: i64, %b: f32, %bi: i64) {{
      %0 = gt %b, %a : bool
      %1 = eq %b, %a : bool
      %2 = lt %bi, %ai : bool
      %3 = and %1, %2 : bool
      %4 = or %0, %3 : bool
      %5 = where %4, %b, %a : f32
      %6 = where %4, %bi, %ai : i64
      yield %5, %6
    }}
    store %value [i], %most
    store %index [i], %where
  }}
}})",
                       mapping, at);
}

struct Kahan {
    float sum, rest;
};
Kahan two_sum(const Kahan& a, const Kahan& b) {
    const float sum = a.sum + b.sum, part = sum - a.sum;
    const float lost = (a.sum - (sum - part)) + (b.sum - part);
    return {sum, (a.rest + b.rest) + lost};
}

std::string kahan_text(std::string_view mapping, std::string_view at) {
    return fmt::format(R"(
kernel kahan(%x: read f32, %y: write f32) sizes(n, m) schedule(reduce) index(32) {{
  %none = constant -0.0 : f32
  %zero = constant 0.0 : f32
  nest (i: n) grid {{
    %s, %c = fold (k: m) {} %none, %zero : f32, f32 {{
      %e = load %x [{}] : f32
      yield %e, %zero
    }} combine (%a: f32, %ac: f32, %b: f32, %bc: f32) {{
      %sum = add %a, %b : f32
      %part = sub %sum, %a : f32
      %0 = sub %sum, %part : f32
      %1 = sub %a, %0 : f32
      %2 = sub %b, %part : f32
      %lost = add %1, %2 : f32
      %3 = add %ac, %bc : f32
      %rest = add %3, %lost : f32
      yield %sum, %rest
    }}
    %r = add %s, %c : f32
    store %y [i], %r
  }}
}})",
                       mapping, at);
}

}  // namespace

TEST_CASE("states of several values: argmax and compensated sums", "[cuda]") {
    HostCudaDevice device;
    for (const Layout& layout : {kRows, kColumns}) {
        const ir::Function argmax = kernel_of(argmax_text(layout.mapping, layout.at));
        const ir::Function kahan = kernel_of(kahan_text(layout.mapping, layout.at));
        for (const auto& [n, m] : std::vector<std::pair<int64_t, int64_t>>{
                 {1, 100003}, {2, 0}, {7, 33}, {1000, 3}, {3, 2049}, {40, 128}, {1, 40000}}) {
            CAPTURE(layout.mapping, n, m);
            HostArray x = filled(DType::f32_, n * m, 3);
            const std::vector<float> all = values_of<float>(x);
            const auto element = [&](int64_t i, int64_t k) {
                return all[static_cast<size_t>(layout.offset(n, m, i, k))];
            };
            HostArray value = filled(DType::f32_, n, 1), index = filled(DType::i64_, n, 2);
            launch_on_host(device, argmax, {&x, &value, &index}, {{"n", n}, {"m", m}});
            HostArray sum = filled(DType::f32_, n, 1);
            launch_on_host(device, kahan, {&x, &sum}, {{"n", n}, {"m", m}});
            std::vector<float> values, sums;
            std::vector<int64_t> indices;
            for (int64_t i = 0; i < n; ++i) {
                const Most most = in_order<Most>(
                    m, {-std::numeric_limits<float>::infinity(), INT64_MAX},
                    [&](int64_t k) { return Most{element(i, k), k}; }, most_of);
                values.push_back(most.value);
                indices.push_back(most.at);
                const Kahan kept = in_order<Kahan>(
                    m, {-0.0F, 0.0F}, [&](int64_t k) { return Kahan{element(i, k), 0.0F}; }, two_sum);
                sums.push_back(kept.sum + kept.rest);
            }
            CHECK(values_of<float>(value) == values);
            CHECK(values_of<int64_t>(index) == indices);
            CHECK(values_of<float>(sum) == sums);
        }
    }
}

TEST_CASE("folds over several axes, folds side by side, folds that use others", "[cuda]") {
    HostCudaDevice device;
    const ir::Function several = kernel_of(R"(
kernel several(%x: read f32, %w: read f32, %total: write f32, %longest: write f32) sizes(n, p, q)
  schedule(reduce) index(32) {
  %none = constant -0.0 : f32
  %low = constant -inf : f32
  nest (i: n) grid {
    %scale = load %w [i] : f32
    %sum = fold (j: p, k: q) team %none : f32 {
      %e = load %x [n*q*j + q*i + k] : f32
      %s = mul %e, %scale : f32
      yield %s
    } combine (%a: f32, %b: f32) {
      %c = add %a, %b : f32
      yield %c
    }
    %most = fold (k: q) team %low : f32 {
      %f = load %x [q*i + k] : f32
      yield %f
    } combine (%d: f32, %g: f32) {
      %h = max %d, %g : f32
      yield %h
    }
    store %total [i], %sum
    store %longest [i], %most
  }
})");
    const auto add = [](float a, float b) { return a + b; };
    const auto larger = [](float a, float b) { return std::max(a, b); };
    for (const auto& [n, p, q] : std::vector<std::array<int64_t, 3>>{
             {3, 5, 7}, {2, 40, 1000}, {1, 3, 4}, {5, 1, 2049}, {1, 300, 129}, {1, 600, 128}}) {
        for (int bits : {32, 64}) {
            CAPTURE(n, p, q, bits);
            HostArray x = filled(DType::f32_, n * p * q, 4), w = filled(DType::f32_, n, 5);
            HostArray total = filled(DType::f32_, n, 1), longest = filled(DType::f32_, n, 1);
            launch_on_host(device, narrowed(several, bits), {&x, &w, &total, &longest},
                           {{"n", n}, {"p", p}, {"q", q}});
            const std::vector<float> all = values_of<float>(x), scale = values_of<float>(w);
            std::vector<float> sums, most;
            for (int64_t i = 0; i < n; ++i) {
                sums.push_back(in_order<float>(
                    p * q, -0.0F,
                    [&](int64_t r) {
                        return all[static_cast<size_t>(n * q * (r / q) + q * i + r % q)] *
                               scale[static_cast<size_t>(i)];
                    },
                    add));
                most.push_back(in_order<float>(
                    q, -std::numeric_limits<float>::infinity(),
                    [&](int64_t k) { return all[static_cast<size_t>(q * i + k)]; }, larger));
            }
            CHECK(values_of<float>(total) == sums);
            CHECK(values_of<float>(longest) == most);
        }
    }
}

TEST_CASE("a fold over what another one gave, in rows and columns", "[cuda]") {
    HostCudaDevice device;
    for (const Layout& layout : {kRows, kColumns}) {
        const ir::Function kernel = kernel_of(fmt::format(R"(
kernel spread(%x: read f64, %y: write f64, %count: f64) sizes(n, m) schedule(reduce) index(32) {{
  %none = constant -0.0 : f64
  nest (i: n) grid {{
    %sum = fold (k: m) {0} %none : f64 {{
      %e = load %x [{1}] : f64
      yield %e
    }} combine (%a: f64, %b: f64) {{
      %c = add %a, %b : f64
      yield %c
    }}
    %mean = div %sum, %count : f64
    %squares = fold (k: m) {0} %none : f64 {{
      %f = load %x [{1}] : f64
      %d = sub %f, %mean : f64
      %s = mul %d, %d : f64
      yield %s
    }} combine (%p: f64, %q: f64) {{
      %t = add %p, %q : f64
      yield %t
    }}
    %r = div %squares, %count : f64
    store %y [i], %r
  }}
}})",
                                                          layout.mapping, layout.at));
        const auto add = [](double a, double b) { return a + b; };
        for (const auto& [n, m] : std::vector<std::pair<int64_t, int64_t>>{
                 {1, 100003}, {7, 3}, {300, 40}, {5, 2049}, {1, 0}, {2, 9000}}) {
            CAPTURE(layout.mapping, n, m);
            HostArray x = filled(DType::f64_, n * m, 3), y = filled(DType::f64_, n, 1);
            HostArray count = scalar_of(DType::f64_, Scalar::of_f64(static_cast<double>(m)));
            launch_on_host(device, kernel, {&x, &y, &count}, {{"n", n}, {"m", m}});
            const std::vector<double> all = values_of<double>(x);
            HostArray expected = y;
            for (int64_t i = 0; i < n; ++i) {
                const auto at = [&](int64_t k) {
                    return all[static_cast<size_t>(layout.offset(n, m, i, k))];
                };
                const double mean = in_order<double>(m, -0.0, at, add) / static_cast<double>(m);
                const double squares = in_order<double>(
                    m, -0.0, [&](int64_t k) { return (at(k) - mean) * (at(k) - mean); }, add);
                store_scalar(DType::f64_, Scalar::of_f64(squares / static_cast<double>(m)),
                             expected.bytes.data() + 8 * i);
            }
            CHECK(differences(y, expected).empty());
        }
    }
}

TEST_CASE("long elements and loops are compiled once and give the same bits", "[cuda]") {
    HostCudaDevice device;
    for (const Layout& layout : {kRows, kColumns}) {
        for (int steps : {20, 60}) {
            std::string body;
            for (int k = 0; k < steps; ++k)
                body += fmt::format("      %v{} = {} %v{}, %e : f64\n", k + 1, k % 2 == 0 ? "sub" : "mul", k);
            const ir::Function kernel = kernel_of(fmt::format(R"(
kernel long(%x: read f64, %y: write f64) sizes(n, m) schedule(reduce) index(32) {{
  %none = constant -0.0 : f64
  %half = constant 0.5 : f64
  nest (i: n) grid {{
    %total = fold (k: m) {} %none : f64 {{
      %x.1 = load %x [{}] : f64
      %e = tanh %x.1 : f64
      %v0 = add %e, %half : f64
{}      yield %v{}
    }} combine (%a: f64, %b: f64) {{
      %c = add %a, %b : f64
      yield %c
    }}
    store %y [i], %total
  }}
}})",
                                                              layout.mapping, layout.at, body, steps));
            CHECK(contains(emit_cuda(kernel, "fl", nullptr),
                           steps == 20
                               ? (layout.mapping == "team" ? "fl_fold_team<2>(" : "fl_fold_column<4>(")
                               : (layout.mapping == "team" ? "fl_fold_team<0>(" : "fl_fold_column<1>(")));
            for (const auto& [n, m] : std::vector<std::pair<int64_t, int64_t>>{
                     {3, 1}, {5, 100}, {2, 2049}, {1, 40001}, {70, 260}}) {
                CAPTURE(layout.mapping, steps, n, m);
                const HostArray x = filled(DType::f64_, n * m, 3);
                HostArray elements = x;
                for (int64_t i = 0; i < n * m; ++i) {
                    const double e = std::tanh(load_scalar(DType::f64_, x.bytes.data() + 8 * i).as_f64());
                    double v = e + 0.5;
                    for (int k = 0; k < steps; ++k) v = k % 2 == 0 ? v - e : v * e;
                    store_scalar(DType::f64_, Scalar::of_f64(v), elements.bytes.data() + 8 * i);
                }
                CHECK(outputs_of<double>(device, kernel, x, n, m) ==
                      expected_of<double>(elements, layout, n, m, -0.0,
                                          [](double a, double b) { return a + b; }));
            }
        }
    }
}
