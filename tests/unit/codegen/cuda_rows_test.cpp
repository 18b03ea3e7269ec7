// Rows that stay on chip from one phase to the next, in emitted CUDA on the host shim, bit for bit against
// plain loops in the order of compiler/ir/reduction_order.h.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/unit/codegen/cuda_on_host.h"
#include "tests/unit/reduction_order.h"

using namespace fuseline;
using namespace fuseline::tests;
using namespace fuseline::testing;

namespace {

constexpr int64_t kLengths[] = {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 2047, 2048, 2049, 10'005};
constexpr int64_t kRows[] = {0, 1, 2, 7, 300};
constexpr int64_t kMostElements = 40'000;
constexpr const char* kSymbol = "fl_rows_0123456789abcdef";

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

std::string softmax_text(std::string_view dtype) {
    return fmt::format(R"(
kernel softmax(%x: read {0}, %y: write {0}, %most: write {0}) sizes(n, m) schedule(rows) index(64) {{
  %low = constant -inf : {0}
  %zero = constant -0.0 : {0}
  nest (i: n) grid {{
    %v = hold (r: m) team : held {0} {{
      %0 = load %x [m*i + r] : {0}
      yield %0
    }}
    %top = fold (r: m) team %low : {0} {{
      %1 = load %v [r] : {0}
      yield %1
    }} combine (%a: {0}, %b: {0}) {{
      %2 = max %a, %b : {0}
      yield %2
    }}
    %e = hold (r: m) team : held {0} {{
      %3 = load %v [r] : {0}
      %4 = sub %3, %top : {0}
      %5 = exp %4 : {0}
      yield %5
    }}
    %sum = fold (r: m) team %zero : {0} {{
      %6 = load %e [r] : {0}
      yield %6
    }} combine (%a.1: {0}, %b.1: {0}) {{
      %7 = add %a.1, %b.1 : {0}
      yield %7
    }}
    nest (r: m) team {{
      %8 = load %e [r] : {0}
      %9 = div %8, %sum : {0}
      store %y [m*i + r], %9
    }}
    store %most [i], %top
  }}
}})",
                       dtype);
}

/// The softmax of rows and, behind it, their largest elements.
template <class T>
std::vector<T> softmax_of(const HostArray& x, int64_t n, int64_t m) {
    const std::vector<T> all = values_of<T>(x);
    std::vector<T> results, most;
    for (int64_t i = 0; i < n; ++i) {
        const T* const row = all.data() + i * m;
        const T top = in_order<T>(
            m, -std::numeric_limits<T>::infinity(), [&](int64_t k) { return row[k]; },
            [](T a, T b) { return std::max(a, b); });
        const auto e = [&](int64_t k) { return std::exp(row[k] - top); };
        const T sum = in_order<T>(m, T(-0.0), e, [](T a, T b) { return a + b; });
        for (int64_t k = 0; k < m; ++k) results.push_back(e(k) / sum);
        most.push_back(top);
    }
    results.insert(results.end(), most.begin(), most.end());
    return results;
}

template <class T>
std::vector<T> softmax_on_host(HostCudaDevice& device, const ir::Function& kernel, HostArray x, int64_t n,
                               int64_t m) {
    HostArray y = filled(x.dtype, n * m, 9), most = filled(x.dtype, n, 9);
    launch_on_host(device, kernel, {&x, &y, &most}, {{"n", n}, {"m", m}}, kSymbol);
    std::vector<T> results = values_of<T>(y);
    for (T value : values_of<T>(most)) results.push_back(value);
    return results;
}

template <class T>
void check_softmax(DType dtype, std::vector<size_t> skews) {
    HostCudaDevice device;
    const ir::Function kernel = kernel_of(softmax_text(name(dtype)));
    for (int bits : {32, 64}) {
        const ir::Function variant = narrowed(kernel, bits);
        for (int64_t n : kRows) {
            for (int64_t m : kLengths) {
                if (n * m > kMostElements) continue;
                const HostArray x = filled(dtype, n * m, static_cast<unsigned>(n + m));
                const auto expected = softmax_of<T>(x, n, m);
                for (size_t skew : skews) {
                    CAPTURE(name(dtype), bits, n, m, skew);
                    device.set_skew(skew);
                    CHECK(softmax_on_host<T>(device, variant, x, n, m) == expected);
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("softmax in one kernel has the order's bits in every length, alignment and index width", "[cuda]") {
    check_softmax<float>(DType::f32_, {0, 4});
    check_softmax<double>(DType::f64_, {0, 8});
}

TEST_CASE("any geometry of threads and warps gives the same rows", "[cuda]") {
    HostCudaDevice device;
    const ir::Function kernel = kernel_of(softmax_text("f32"));
    struct Block {
        uint32_t x, y, z;
    };
    const auto check = [&](int64_t n, int64_t m, Block b) {
        CAPTURE(n, m, b.x, b.y, b.z);
        const HostArray x = filled(DType::f32_, n * m, 5);
        device.set_adjustment([&](CudaGeometry& geometry) {
            const uint32_t row = geometry.shared_bytes / geometry.block[1];
            geometry = {{static_cast<uint32_t>((n + b.y - 1) / b.y), 1, 1}, {b.x, b.y, b.z}, row * b.y};
        });
        CHECK(softmax_on_host<float>(device, kernel, x, n, m) == softmax_of<float>(x, n, m));
    };
    for (int64_t m : {8192, 8193}) {
        for (const Block b : {Block{32, 1, 1}, {32, 2, 1}, {32, 1, 2}, {32, 1, 8}, {32, 1, 16}, {32, 3, 1}})
            check(3, m, b);
    }
    for (int64_t m : {5, 8}) {
        for (const Block b : {Block{2, 16, 1}, {4, 8, 1}, {8, 32, 1}, {32, 4, 1}}) check(50, m, b);
    }
}

TEST_CASE("the place of what is read for the last time serves what is made of it", "[cuda]") {
    const ir::Function kernel = kernel_of(softmax_text("f32"));
    CHECK(contains(emit_cuda(kernel, "fl", nullptr), "float* const e = v;"));
    const CudaGeometry g = cuda_geometry(kernel, {8192, 8192});
    CHECK(g.shared_bytes == 4 * 8192 * g.block[1]);
    CHECK(!g.takes_workspace);
    CHECK(g.grid[0] * g.block[1] == 8192);
    const CudaGeometry odd = cuda_geometry(kernel, {1000, 33});
    CHECK(odd.shared_bytes == 4 * 48 * odd.block[1]);
}

namespace {

/// Rows of every element type: what is held is x itself, of its own width.
std::string centred_text(std::string_view dtype, std::string_view sum) {
    return fmt::format(R"(
kernel centred(%x: read {0}, %y: write {0}) sizes(n, m) schedule(rows) index(32) {{
  %zero = constant {2} : {1}
  nest (i: n) grid {{
    %v = hold (r: m) team : held {0} {{
      %0 = load %x [m*i + r] : {0}
      yield %0
    }}
    %sum = fold (r: m) team %zero : {1} {{
      %1 = load %v [r] : {0}
      %2 = cast %1 : {1}
      yield %2
    }} combine (%a: {1}, %b: {1}) {{
      %3 = add %a, %b : {1}
      yield %3
    }}
    nest (r: m) team {{
      %4 = load %v [r] : {0}
      %5 = cast %4 : {1}
      %6 = sub %5, %sum : {1}
      %7 = cast %6 : {0}
      store %y [m*i + r], %7
    }}
  }}
}})",
                       dtype, sum, sum == "i64" ? "0" : "-0.0");
}

HostArray small_numbers(DType dtype, int64_t count) {
    HostArray a = filled(dtype, count, 0);
    for (int64_t k = 0; k < count; ++k)
        store_scalar(dtype, scalar_from_f64(dtype, static_cast<double>(k * 7 % 23) - 5),
                     a.bytes.data() + k * byte_size(dtype));
    return a;
}

Scalar computed(OpId op, DType dtype, Scalar a, Scalar b) {
    const Scalar both[] = {a, b};
    return evaluate(op, dtype, dtype, both);
}

}  // namespace

TEST_CASE("rows of every element type, aligned and not", "[cuda]") {
    HostCudaDevice device;
    for (DType dtype : {DType::bool_, DType::i8_, DType::u8_, DType::i16_, DType::u16_, DType::i32_,
                        DType::u32_, DType::i64_, DType::u64_, DType::f16_, DType::bf16_}) {
        const bool half = is_half(dtype);
        const ir::Function kernel = kernel_of(centred_text(name(dtype), half ? "f32" : "i64"));
        const DType wide = half ? DType::f32_ : DType::i64_;
        for (const auto& [n, m] :
             std::vector<std::pair<int64_t, int64_t>>{{9, 3}, {5, 64}, {3, 133}, {2, 4096}, {2, 4099}}) {
            HostArray x = small_numbers(dtype, n * m), expected = x;
            const auto cast = [](Scalar s, DType from, DType to) {
                return evaluate(OpId::cast_, from, to, &s);
            };
            for (int64_t i = 0; i < n; ++i) {
                const auto at = [&](int64_t k) { return cast(x.at(i * m + k), dtype, wide); };
                const auto add = [&](Scalar a, Scalar b) { return computed(OpId::add_, wide, a, b); };
                const Scalar zero = half ? Scalar::of_f32(-0.0F) : Scalar::of_i64(0);
                const Scalar sum = in_order<Scalar>(m, zero, at, add);
                for (int64_t k = 0; k < m; ++k) {
                    const Scalar d = cast(computed(OpId::sub_, wide, at(k), sum), wide, dtype);
                    store_scalar(dtype, d, expected.bytes.data() + (i * m + k) * byte_size(dtype));
                }
            }
            for (size_t skew : {size_t{0}, static_cast<size_t>(byte_size(dtype))}) {
                CAPTURE(name(dtype), n, m, skew);
                device.set_skew(skew);
                HostArray y = filled(dtype, n * m, 2);
                launch_on_host(device, kernel, {&x, &y}, {{"n", n}, {"m", m}}, kSymbol);
                CHECK(y.bytes == expected.bytes);
            }
        }
    }
}

TEST_CASE("several holds, rows of several axes, guards, indices, weights and two nests", "[cuda]") {
    HostCudaDevice device;
    const ir::Function kernel = kernel_of(R"(
kernel mixed(%x: read f32, %w: read f32, %b: read f32, %y: write f32, %z: write f64, %s: write f32)
  sizes(n, p, q) schedule(rows) index(32) {
  %none = constant -0.0 : f32
  %low = constant -inf : f32
  %two = constant 2.0 : f32
  %0 = extent q : i64
  nest (i: n) grid {
    %bias = load %b [i] : f32
    %d, %e, %f = hold (j: p, k: q) team : held f32, held f64, held f32 {
      %1 = load %x [n*q*j + q*i + k] : f32
      %2 = load %w [q*j + k] : f32
      %3 = mul %1, %2 : f32
      %4 = cast %1 : f64
      %5 = add %3, %bias : f32
      yield %3, %4, %5
    }
    %sum = fold (j: p, k: q) team %none : f32 {
      %6 = load %d [q*j + k] : f32
      yield %6
    } combine (%l: f32, %r: f32) {
      %7 = add %l, %r : f32
      yield %7
    }
    nest (j: p, k: q) team {
      %8 = load %e [q*j + k] : f64
      %9 = cast %sum : f64
      %10 = mul %8, %9 : f64
      store %z [p*q*i + q*j + k], %10
    }
    %g, %h = hold (j: p, k: q) team : held f32, held f32 {
      %11 = load %d [q*j + k] : f32
      %12 = load %f [q*j + k] : f32
      %13 = sub %11, %sum : f32
      %14 = mul %12, %two : f32
      yield %13, %14
    }
    %most = fold (j: p, k: q) team %low : f32 {
      %15 = load %g [q*j + k] : f32
      yield %15
    } combine (%l.1: f32, %r.1: f32) {
      %16 = max %l.1, %r.1 : f32
      yield %16
    }
    nest (j: p, k: q) team {
      %17 = load %g [q*j + k] : f32
      %18 = load %h [q*j + k] : f32
      %19 = index [k] : i64
      %one = constant 1 : i64
      %20 = gt %0, %one : bool
      %21 = load %x [n*q*j + q*i + k], %20, %two : f32
      %22 = cast %19 : f32
      %23 = add %17, %18 : f32
      %24 = add %23, %21 : f32
      %25 = add %24, %22 : f32
      %26 = mul %25, %most : f32
      store %y [p*q*i + q*j + k], %26
    }
    store %s [i], %most
  }
})");
    const auto add = [](float a, float b) { return a + b; };
    for (const auto& [n, p, q] : std::vector<std::array<int64_t, 3>>{{3, 5, 7},
                                                                     {3, 5, 8},
                                                                     {2, 40, 100},
                                                                     {1, 3, 4},
                                                                     {5, 1, 2049},
                                                                     {20, 2, 1},
                                                                     {4, 6, 700},
                                                                     {2, 0, 5}}) {
        for (int bits : {32, 64}) {
            CAPTURE(n, p, q, bits);
            HostArray x = filled(DType::f32_, n * p * q, 4), w = filled(DType::f32_, p * q, 5),
                      b = filled(DType::f32_, n, 6);
            HostArray y = filled(DType::f32_, n * p * q, 1), z = filled(DType::f64_, n * p * q, 1),
                      s = filled(DType::f32_, n, 1);
            launch_on_host(device, narrowed(kernel, bits), {&x, &w, &b, &y, &z, &s},
                           {{"n", n}, {"p", p}, {"q", q}}, kSymbol);
            const std::vector<float> xs = values_of<float>(x), ws = values_of<float>(w),
                                     bs = values_of<float>(b);
            std::vector<float> ys, ss;
            std::vector<double> zs;
            for (int64_t i = 0; i < n; ++i) {
                const auto at = [&](int64_t r) {
                    return xs[static_cast<size_t>(n * q * (r / q) + q * i + r % q)];
                };
                const auto d = [&](int64_t r) { return at(r) * ws[static_cast<size_t>(r)]; };
                const float bias = bs[static_cast<size_t>(i)], sum = in_order<float>(p * q, -0.0F, d, add);
                const float most = in_order<float>(
                    p * q, -std::numeric_limits<float>::infinity(), [&](int64_t r) { return d(r) - sum; },
                    [](float a, float c) { return std::max(a, c); });
                for (int64_t r = 0; r < p * q; ++r) {
                    zs.push_back(static_cast<double>(at(r)) * static_cast<double>(sum));
                    const float both = (d(r) - sum) + (d(r) + bias) * 2.0F;
                    ys.push_back(((both + (q > 1 ? at(r) : 2.0F)) + static_cast<float>(r % q)) * most);
                }
                ss.push_back(most);
            }
            CHECK(values_of<float>(y) == ys);
            CHECK(values_of<double>(z) == zs);
            CHECK(values_of<float>(s) == ss);
        }
    }
}

TEST_CASE("long elements of rows are compiled once and keep their wide stores", "[cuda]") {
    HostCudaDevice device;
    std::string body;
    for (int k = 0; k < 60; ++k)
        body += fmt::format("      %v{} = {} %v{}, %x.1 : f32\n", k + 1, k % 2 == 0 ? "sub" : "mul", k);
    const ir::Function kernel = kernel_of(fmt::format(R"(
kernel long(%x: read f32, %y: write f32) sizes(n, m) schedule(rows) index(32) {{
  %none = constant -0.0 : f32
  %half = constant 0.5 : f32
  nest (i: n) grid {{
    %e = hold (r: m) team : held f32 {{
      %x.1 = load %x [m*i + r] : f32
      %v0 = add %x.1, %half : f32
{}      yield %v60
    }}
    %sum = fold (r: m) team %none : f32 {{
      %0 = load %e [r] : f32
      yield %0
    }} combine (%a: f32, %b: f32) {{
      %c = add %a, %b : f32
      yield %c
    }}
    nest (r: m) team {{
      %1 = load %e [r] : f32
      %2 = sub %1, %sum : f32
      store %y [m*i + r], %2
    }}
  }}
}})",
                                                      body));
    CHECK(contains(emit_cuda(kernel, "fl", nullptr), "fl_turn("));
    for (const auto& [n, m] :
         std::vector<std::pair<int64_t, int64_t>>{{3, 1}, {5, 100}, {2, 2052}, {70, 26}, {2, 4501}}) {
        CAPTURE(n, m);
        HostArray x = filled(DType::f32_, n * m, 3), y = filled(DType::f32_, n * m, 1);
        for (std::byte* p = x.bytes.data(); p != x.bytes.data() + x.bytes.size(); p += 4)
            store_scalar(DType::f32_, Scalar::of_f32(load_scalar(DType::f32_, p).as_f32() / 8), p);
        launch_on_host(device, kernel, {&x, &y}, {{"n", n}, {"m", m}}, kSymbol);
        const std::vector<float> xs = values_of<float>(x);
        std::vector<float> ys;
        for (int64_t i = 0; i < n; ++i) {
            const auto e = [&](int64_t k) {
                const float value = xs[static_cast<size_t>(i * m + k)];
                float v = value + 0.5F;
                for (int s = 0; s < 60; ++s) v = s % 2 == 0 ? v - value : v * value;
                return v;
            };
            const float sum = in_order<float>(m, -0.0F, e, [](float a, float b) { return a + b; });
            for (int64_t k = 0; k < m; ++k) ys.push_back(e(k) - sum);
        }
        CHECK(values_of<float>(y) == ys);
    }
    device.set_skew(0);
    HostArray x = filled(DType::f32_, 4096, 3), y = filled(DType::f32_, 4096, 1);
    launch_on_host(device, kernel, {&x, &y}, {{"n", 1}, {"m", 4096}}, kSymbol);
    CHECK(device.last_count().wide_stores == 1024);
}
