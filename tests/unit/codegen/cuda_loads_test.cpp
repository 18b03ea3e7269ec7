// Loads with guards and computed offsets, and stores with gaps, in emitted CUDA on the host shim.
#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/unit/codegen/cuda_on_host.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

ir::Function narrowed(ir::Function kernel, int bits) {
    kernel.index_bits = bits;
    return kernel;
}

float float_at(const HostArray& a, int64_t i) {
    return load_scalar(a.dtype, a.bytes.data() + 4 * i).as_f32();
}
int64_t i64_at(const HostArray& a, int64_t i) {
    return load_scalar(a.dtype, a.bytes.data() + 8 * i).as_i64();
}
void set(HostArray& a, int64_t i, float value) {
    store_scalar(a.dtype, Scalar::of_f32(value), a.bytes.data() + 4 * i);
}

// A mean of three neighbours with a fill beyond the ends, and the element two to the left where there is one.
const char* const kStencil = R"(
kernel stencil(%x: read f32, %y: write f32, %z: write f32, %fill: f32) sizes(n) schedule(map) index(32) {{
  %zero = constant 0 : i64
  %n = extent n : i64
  nest (i: n) grid{} {{
    %0 = index [i - 1] : i64
    %1 = ge %0, %zero : bool
    %left = load %x [i - 1], %1, %fill : f32
    %here = load %x [i] : f32
    %2 = index [i + 1] : i64
    %3 = lt %2, %n : bool
    %right = load %x [i + 1], %3, %fill : f32
    %4 = add %left, %here : f32
    %5 = add %4, %right : f32
    %6 = index [i - 2] : i64
    %7 = ge %6, %zero : bool
    %far = load_at %x, %6, %7, %here : f32
    store %y [i], %5
    store %z [i], %far
  }}
}})";

}  // namespace

TEST_CASE("guarded loads read nothing where the guard is false", "[cuda]") {
    HostCudaDevice device;
    for (const char* lanes : {"", " lanes(4)"}) {
        for (int bits : {32, 64}) {
            const ir::Function kernel = narrowed(kernel_of(fmt::format(fmt::runtime(kStencil), lanes)), bits);
            for (int64_t n : {1, 2, 3, 4, 5, 511, 512, 700}) {
                for (size_t skew : {0, 4}) {
                    CAPTURE(lanes, bits, n, skew);
                    device.set_skew(skew);
                    HostArray x = filled(DType::f32_, n, 1), y = x, z = x, expected_y = x, expected_z = x;
                    HostArray fill = scalar_of(DType::f32_, Scalar::of_f32(2.5F));
                    launch_on_host(device, kernel, {&x, &y, &z, &fill}, {{"n", n}});
                    for (int64_t i = 0; i < n; ++i) {
                        const auto at = [&](int64_t k) { return k < 0 || k >= n ? 2.5F : float_at(x, k); };
                        set(expected_y, i, at(i - 1) + at(i) + at(i + 1));
                        set(expected_z, i, i < 2 ? at(i) : at(i - 2));
                    }
                    CHECK(differences(y, expected_y).empty());
                    CHECK(differences(z, expected_z).empty());
                }
            }
        }
    }
}

TEST_CASE("computed offsets in rows, in branches and in folds", "[cuda]") {
    HostCudaDevice device;
    const ir::Function kernel = kernel_of(R"(
kernel picked(%x: read f32, %at: read i64, %y: write f32) sizes(n, m) schedule(map) index(32) {
  %m = extent m : i64
  nest (i: n, j: m) grid lanes(4) {
    %k = load %at [j] : i64
    %row = index [m*i] : i64
    %0 = add %row, %k : i64
    %1 = load_at %x, %0 : f32
    %2 = lt %1, %1 : bool
    %3 = if %2 : f32 {
      yield %1
    } else {
      %4 = load_at %x, %row : f32
      %5 = add %1, %4 : f32
      yield %5
    }
    store %y [m*i + j], %3
  }
})");
    const ir::Function fold = kernel_of(R"(
kernel shifted(%x: read f32, %y: write f32, %w: f32) sizes(n, m) schedule(reduce) index(32) {
  %none = constant -0.0 : f32
  %zero = constant 0 : i64
  nest (i: n) grid {
    %sum = fold (k: m) team %none : f32 {
      %0 = index [k - 1] : i64
      %1 = ge %0, %zero : bool
      %e = load %x [m*i + k - 1], %1, %w : f32
      yield %e
    } combine (%a: f32, %b: f32) {
      %c = add %a, %b : f32
      yield %c
    }
    store %y [i], %sum
  }
})");
    for (int bits : {32, 64}) {
        const int64_t n = 5, m = 37;
        HostArray x = filled(DType::f32_, n * m, 1), y = x, expected = x, at = filled(DType::i64_, m, 2);
        for (int64_t j = 0; j < m; ++j)
            store_scalar(DType::i64_, Scalar::of_i64(j * 7 % m), at.bytes.data() + 8 * j);
        launch_on_host(device, narrowed(kernel, bits), {&x, &at, &y}, {{"n", n}, {"m", m}});
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j < m; ++j)
                set(expected, m * i + j, float_at(x, m * i + i64_at(at, j)) + float_at(x, m * i));
        }
        CHECK(differences(y, expected).empty());

        HostArray sums = filled(DType::f32_, n, 1), expected_sums = sums;
        HostArray w = scalar_of(DType::f32_, Scalar::of_f32(0.5F));
        launch_on_host(device, narrowed(fold, bits), {&x, &sums, &w}, {{"n", n}, {"m", m}});
        // 37 lanes of one element: a tree over neighbours.
        for (int64_t i = 0; i < n; ++i) {
            std::vector<float> lanes{0.5F};
            for (int64_t k = 1; k < m; ++k) lanes.push_back(float_at(x, m * i + k - 1));
            for (size_t s = 1; s < lanes.size(); s *= 2) {
                for (size_t l = 0; l + s < lanes.size(); l += 2 * s) lanes[l] += lanes[l + s];
            }
            set(expected_sums, i, lanes[0]);
        }
        CHECK(differences(sums, expected_sums).empty());
    }
}

TEST_CASE("updates store with gaps, backwards and in columns", "[cuda]") {
    HostCudaDevice device;
    const ir::Function kernel = kernel_of(R"(
kernel scattered(%e: read f32, %odd: write f32, %back: write f32, %column: write f32) sizes(n, m)
  schedule(update) index(32) {
  nest (i: n) grid lanes(4) {
    %0 = load %e [i] : f32
    %1 = add %0, %0 : f32
    store %odd [2*i + 1], %0
    store %back [n - 1 - i], %1
    store %column [m*i + m - 1], %0
  }
})");
    for (int bits : {32, 64}) {
        for (const auto& [n, m] :
             std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {3, 4}, {130, 3}, {1025, 1}}) {
            CAPTURE(bits, n, m);
            HostArray e = filled(DType::f32_, n, 1), odd = filled(DType::f32_, 2 * n, 2),
                      back = filled(DType::f32_, n, 3), column = filled(DType::f32_, n * m, 4);
            HostArray expected_odd = odd, expected_back = back, expected_column = column;
            for (int64_t i = 0; i < n; ++i) {
                set(expected_odd, 2 * i + 1, float_at(e, i));
                set(expected_back, n - 1 - i, float_at(e, i) + float_at(e, i));
                set(expected_column, m * i + m - 1, float_at(e, i));
            }
            launch_on_host(device, narrowed(kernel, bits), {&e, &odd, &back, &column}, {{"n", n}, {"m", m}});
            CHECK(differences(odd, expected_odd).empty());
            CHECK(differences(back, expected_back).empty());
            CHECK(differences(column, expected_column).empty());
            CHECK(device.last_count().written_bytes == static_cast<uint64_t>(12 * n));
        }
    }
}
