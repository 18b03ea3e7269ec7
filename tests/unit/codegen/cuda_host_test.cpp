// Emitted CUDA on the host shim against the references: accesses, tails, alignment, axes, regions, names,
// literals.
#include "tests/catch.h"
#include "tests/unit/codegen/cuda_on_host.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

const char* const kTriad = R"(
kernel triad(%x: read f32, %y: read f32, %z: write f32, %below: write bool, %a: f32) sizes(n) schedule(map) index(32) {
  nest (i: n) grid lanes(4) {
    %x.1 = load %x [i] : f32
    %y.1 = load %y [i] : f32
    %0 = mul %a, %x.1 : f32
    %z.1 = add %0, %y.1 : f32
    %1 = lt %x.1, %y.1 : bool
    store %z [i], %z.1
    store %below [i], %1
  }
})";

const char* const kBroadcast = R"(
kernel broadcast(%a: read f32, %r: read f32, %c: read f32, %y: write f32) sizes(n, m) schedule(map) index(32) {
  nest (i: n, j: m) grid lanes(4) {
    %x = load %a [m*i + j] : f32
    %q = load %r [j] : f32
    %p = load %c [i] : f32
    %t = load %a [i + n*j] : f32
    %k = index [2*m*i + j - 3] : i64
    %kf = cast %k : f32
    %1 = mul %x, %q : f32
    %2 = add %1, %p : f32
    %3 = sub %2, %t : f32
    %4 = add %3, %kf : f32
    store %y [m*i + j], %4
  }
})";

const char* const kCube = R"(
kernel cube(%x: read f64, %d: write f64, %flag: write bool) sizes(p, q, r) schedule(map) index(32) {
  %small = constant 0.1 : f64
  nest (i: p, j: q, k: r - 1) grid lanes(2) {
    %1 = load %x [q*r*i + r*j + k + 1] : f64
    %2 = load %x [q*r*i + r*j + k] : f64
    %d.1 = sub %1, %2 : f64
    %b = lt %d.1, %small : bool
    store %d [q*(r - 1)*i + (r - 1)*j + k], %d.1
    store %flag [q*(r - 1)*i + (r - 1)*j + k], %b
  }
})";

ir::Function wide(ir::Function kernel, int bits) {
    kernel.index_bits = bits;
    return kernel;
}

}  // namespace

TEST_CASE("lanes, tails and alignment give the reference's bits and touch each element once", "[cuda]") {
    HostCudaDevice device;
    for (int bits : {32, 64}) {
        const ir::Function kernel = wide(kernel_of(kTriad), bits);
        for (int64_t n : {1, 2, 3, 4, 5, 127, 511, 512, 513, 2050}) {
            for (size_t skew : {0, 4}) {
                CAPTURE(bits, n, skew);
                device.set_skew(skew);
                CHECK(compare_on_host(device, kernel, {n, n, n, n}, {{"n", n}}) == "");
                const host_cuda::AccessCount& count = device.last_count();
                CHECK(count.written_bytes == static_cast<uint64_t>(5 * n));
                CHECK(count.wide_stores == static_cast<uint64_t>(skew == 0 ? n / 4 : 0));
                // Lanes behind the end repeat an element that is read anyway; of one block at most.
                CHECK(count.read_bytes <= static_cast<uint64_t>(8 * (n + 3 * std::min<int64_t>(n, 128))));
            }
        }
    }
    device.set_skew(0);
    CHECK(compare_on_host(device, kernel_of(kTriad), {0, 0, 0, 0}, {{"n", 0}}) == "");
    CHECK(device.last_count().written_bytes == 0);
}

TEST_CASE("rows of any length, broadcasts, transposed loads and indices", "[cuda]") {
    HostCudaDevice device;
    for (int bits : {32, 64}) {
        const ir::Function kernel = wide(kernel_of(kBroadcast), bits);
        for (int64_t m : {1, 3, 4, 6, 8, 131}) {
            for (int64_t n : {1, 5, 40}) {
                CAPTURE(bits, n, m);
                CHECK(compare_on_host(device, kernel, {n * m, m, n, n * m}, {{"n", n}, {"m", m}}) == "");
                CHECK(device.last_count().written_bytes == static_cast<uint64_t>(4 * n * m));
            }
        }
        const ir::Function cube = wide(kernel_of(kCube), bits);
        for (int64_t r : {2, 3, 9, 34}) {
            CAPTURE(bits, r);
            const int64_t results = 5 * 7 * (r - 1);
            CHECK(compare_on_host(device, cube, {5 * 7 * r, results, results},
                                  {{"p", 5}, {"q", 7}, {"r", r}}) == "");
        }
    }
}

TEST_CASE("rows that are never aligned, reversed and shifted accesses", "[cuda]") {
    HostCudaDevice device;
    const ir::Function odd = kernel_of(R"(
kernel odd(%x: read f64, %y: write f64) sizes(n) schedule(map) index(32) {
  nest (i: n, j: 3) grid lanes(2) {
    %a = load %x [i + 2*j] : f64
    store %y [3*i + j], %a
  }
})");
    CHECK(compare_on_host(device, odd, {24, 60}, {{"n", 20}}) == "");
    const ir::Function shifted = kernel_of(R"(
kernel shifted(%x: read f32, %y: write f32) sizes(n, k) schedule(map) index(64) {
  nest (i: n) grid lanes(4) {
    %a = load %x [i + 1] : f32
    %b = load %x [n - 1 - i] : f32
    %c = load %x [i + k] : f32
    %d = load %x [2*i] : f32
    %0 = sub %a, %b : f32
    %1 = mul %0, %c : f32
    %2 = add %1, %d : f32
    store %y [i], %2
  }
})");
    for (int bits : {32, 64}) {
        for (int64_t k : {0, 3, 4}) {
            CAPTURE(bits, k);
            CHECK(compare_on_host(device, wide(shifted, bits), {600, 299}, {{"n", 299}, {"k", k}}) == "");
            CHECK(device.last_count().wide_stores == static_cast<uint64_t>(k % 4 == 0 ? 74 : 0));
        }
    }
}

TEST_CASE("blocks in rows of a grid are the same blocks", "[cuda]") {
    HostCudaDevice device;
    const ir::Function kernel = wide(kernel_of(kTriad), 64);
    for (uint32_t width : {1u, 3u, 100u}) {
        device.set_grid_width(width);
        CAPTURE(width);
        CHECK(compare_on_host(device, kernel, {5000, 5000, 5000, 5000}, {{"n", 5000}}) == "");
    }
}

TEST_CASE("an access outside a buffer is a fault", "[cuda]") {
    HostCudaDevice device;
    const ir::Function kernel = kernel_of(kTriad);
    HostArray x = filled(DType::f32_, 99, 1), y = filled(DType::f32_, 100, 2), z = y,
              below = filled(DType::bool_, 100, 3);
    HostArray a = scalar_of(DType::f32_, Scalar::of_f32(2));
    std::string fault;
    try {
        launch_on_host(device, kernel, {&x, &y, &z, &below, &a}, {{"n", 100}});
    } catch (const InternalError& error) {
        fault = error.what();
    }
    CHECK(contains(fault, "a read of"));
    CHECK(contains(fault, "behind the end of a buffer of 396 bytes"));
}

TEST_CASE("if, while and for with carried values", "[cuda]") {
    HostCudaDevice device;
    const ir::Function kernel = kernel_of(R"(
kernel escape(%cx: read f32, %cy: read f32, %out: write i64, %limit: i64) sizes(n) schedule(map) index(32) {
  %four = constant 4 : f32
  %two = constant 2 : f32
  %zero = constant 0 : f32
  %none = constant 0 : i64
  %one = constant 1 : i64
  %ten = constant 10 : i64
  nest (i: n) grid lanes(2) {
    %x = load %cx [i] : f32
    %y = load %cy [i] : f32
    %zx, %zy, %k = while %zero, %zero, %none : f32, f32, i64 (%a: f32, %b: f32, %c: i64) {
      %1 = mul %a, %a : f32
      %2 = mul %b, %b : f32
      %3 = add %1, %2 : f32
      %4 = lt %3, %four : bool
      %5 = lt %c, %ten : bool
      %6 = and %4, %5 : bool
      yield %6
    } do (%zx.1: f32, %zy.1: f32, %k.1: i64) {
      %7 = mul %zx.1, %zx.1 : f32
      %8 = mul %zy.1, %zy.1 : f32
      %9 = sub %7, %8 : f32
      %10 = add %9, %x : f32
      %11 = mul %two, %zx.1 : f32
      %12 = mul %11, %zy.1 : f32
      %13 = add %12, %y : f32
      %14 = add %k.1, %one : i64
      yield %10, %13, %14
    }
    %positive = gt %zx, %zero : bool
    %w = if %positive : i64 {
      %15 = mul %k, %k : i64
      yield %15
    } else {
      yield %k
    }
    %big, %small = if %positive : i64, i64 {
      %16 = add %w, %k : i64
      %17 = if %positive : i64 {
        yield %16
      } else {
        yield %limit
      }
      yield %17, %k
    } else {
      %18 = add %w, %one : i64
      yield %18, %w
    }
    %p, %q = for %none, %big, %small, %one : i64, i64 (%it: i64, %p.1: i64, %q.1: i64) {
      %19 = add %p.1, %it : i64
      %20, %21 = if %positive : i64, i64 {
        yield %q.1, %19
      } else {
        yield %19, %q.1
      }
      yield %21, %20
    }
    %22 = sub %p, %q : i64
    store %out [i], %22
  }
})");
    CHECK(compare_on_host(device, kernel, {301, 301, 301}, {{"n", 301}}) == "");
    const std::string text = emit_cuda(kernel, "fl", nullptr);
    CHECK(contains(text, "while (zx * zx + zy * zy < 4.0f && k < 10ll) {"));
    CHECK(contains(text, "w = positive ? fl_mul(k, k) : k;"));
    // The old zx and zy are both needed until the end of a turn.
    CHECK(contains(text, "const float next_zx = zx * zx - zy * zy + x;"));
}

TEST_CASE("carried values that change places", "[cuda]") {
    HostCudaDevice device;
    CHECK(compare_on_host(device, kernel_of(R"(
kernel turn(%x: read i64, %y: write i64) sizes(n) schedule(map) index(64) {
  %0 = constant 0 : i64
  %7 = constant 7 : i64
  %3 = constant 3 : i64
  nest (i: n) grid {
    %a = load %x [i] : i64
    %p, %q, %r = for %0, %7, %a, %3, %0 : i64, i64, i64 (%k: i64, %p.1: i64, %q.1: i64, %r.1: i64) {
      %b = add %p.1, %q.1 : i64
      %c = sub %r.1, %p.1 : i64
      yield %q.1, %c, %b
    }
    %d = mul %p, %q : i64
    %e = sub %d, %r : i64
    store %y [i], %e
  }
})"),
                          {17, 17}, {{"n", 17}}) == "");
}

TEST_CASE("kernels without axes and loops of one thread", "[cuda]") {
    HostCudaDevice device;
    CHECK(compare_on_host(device, kernel_of(R"(
kernel point(%x: read f64, %y: write f64, %s: f64) sizes() schedule(map) index(64) {
  %0 = load %x [0] : f64
  %1 = mul %0, %s : f64
  nest () grid {
    %2 = load %x [1] : f64
    %3 = add %1, %2 : f64
    store %y [0], %3
  }
})"),
                          {2, 1}, {}) == "");
    CHECK(compare_on_host(device, kernel_of(R"(
kernel line(%x: read f64, %y: write f64) sizes(n, m) schedule(map) index(32) {
  nest (i: n, j: m//2 + 1) sequential {
    %1 = load %x [i + 2*j] : f64
    %2 = extent min(n, m//2) : i64
    %3 = cast %2 : f64
    %4 = add %1, %3 : f64
    store %y [(m//2 + 1)*i + j], %4
  }
})"),
                          {40, 25}, {{"n", 5}, {"m", 9}}) == "");
}

TEST_CASE("names that C++ or CUDA have taken", "[cuda]") {
    HostCudaDevice device;
    CHECK(compare_on_host(device, kernel_of(R"(
kernel "map of float"(%float: read f32, %"two  words": read f32, %threadIdx: write f32, %step: f32, %expf: f32) sizes(i, n) schedule(map) index(32) {
  %groups = mul %step, %expf : f32
  nest (lane: i) grid lanes(4) {
    %__x = load %float [lane] : f32
    %fl_load = load %"two  words" [lane] : f32
    %v1 = add %__x, %fl_load : f32
    %abs = abs %v1 : f32
    %fabsf = mul %abs, %groups : f32
    %count = add %fabsf, %abs : f32
    %whole = mul %count, %v1 : f32
    store %threadIdx [lane], %whole
  }
})"),
                          {33, 33, 33}, {{"i", 33}, {"n", 1}}) == "");
}
