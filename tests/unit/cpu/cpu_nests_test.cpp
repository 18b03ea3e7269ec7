// Nests, accesses and scalar regions on the CPU, against the execution of the same kernels one element at a
// time.
#include <cmath>

#include "tests/unit/cpu/cpu_kernels.h"
#include "tests/unit/schedule/plan_runner.h"

using namespace fuseline;
using namespace fuseline::tests;

namespace {

/// Elements that differ, with signs, fractions and zeros.
HostArray filled(DType d, int64_t count, uint64_t seed) {
    HostArray a;
    a.dtype = d;
    a.shape = {count};
    a.bytes.assign(static_cast<size_t>(count * byte_size(d)), std::byte{});
    for (int64_t i = 0; i < count; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const auto v = static_cast<int64_t>(seed >> 33) % 64 - 32;
        Scalar s = Scalar::of_i64(v);
        if (is_bool(d)) s = Scalar::of_bool(v > 0);
        if (d == DType::f32_) s = Scalar::of_f32(static_cast<float>(v) / 16);
        if (d == DType::f64_) s = Scalar::of_f64(static_cast<double>(v) / 16);
        store_scalar(d, s, a.bytes.data() + i * byte_size(d));
    }
    return a;
}

bool same(const HostArray& a, const HostArray& b) {
    for (int64_t i = 0; i < a.element_count(); ++i) {
        const Scalar x = load_scalar(a.dtype, a.bytes.data() + i * byte_size(a.dtype));
        const Scalar y = load_scalar(b.dtype, b.bytes.data() + i * byte_size(b.dtype));
        if (x == y) continue;
        if (a.dtype == DType::f32_ && std::isnan(x.as_f32()) && std::isnan(y.as_f32())) continue;
        if (a.dtype == DType::f64_ && std::isnan(x.as_f64()) && std::isnan(y.as_f64())) continue;
        return false;
    }
    return true;
}

/// Runs a kernel at every vector width, on one and on three threads; `elements` says how long each array is.
void check(const std::string& text, const std::vector<int64_t>& sizes, const std::vector<int64_t>& elements) {
    const ir::Function kernel = kernel_of(text);
    SizeMap named;
    for (size_t k = 0; k < sizes.size(); ++k) named[kernel.sizes[k]] = sizes[k];
    std::vector<HostArray> inputs;
    const auto& parameters = kernel.region(kernel.body()).parameters;
    for (size_t k = 0; k < parameters.size(); ++k) {
        const int64_t count = kernel.type(parameters[k]).scalar() ? 1 : elements[k];
        inputs.push_back(filled(kernel.type(parameters[k]).dtype, count, k + 1));
    }
    std::vector<HostArray> expected = inputs;
    std::vector<HostArray*> operands;
    for (HostArray& a : expected) operands.push_back(&a);
    testing::KernelRunner(kernel, named).run(operands);
    for (int bits : vector_widths()) {
        for (int threads : {1, 3}) {
            std::vector<HostArray> got = inputs;
            std::vector<void*> buffers;
            std::vector<Scalar> scalars;
            for (size_t k = 0; k < parameters.size(); ++k) {
                if (kernel.type(parameters[k]).scalar())
                    scalars.push_back(load_scalar(got[k].dtype, got[k].bytes.data()));
                else
                    buffers.push_back(got[k].bytes.data());
            }
            const auto device = make_cpu_device(threads, bits);
            CpuTestKernel(*device, text)(buffers, scalars, sizes);
            for (size_t k = 0; k < got.size(); ++k) {
                INFO(fmt::format("{} bits, {} threads, parameter {}", bits, threads, k));
                CHECK(same(got[k], expected[k]));
            }
        }
    }
}

/// A kernel `%x`, `%y` -> `%out` over n elements with %a and %b loaded from them; the body defines %r.
std::string elementwise(std::string_view dtype, std::string_view before, std::string_view body) {
    return fmt::format(
        "kernel k(%x: read {0}, %y: read {0}, %out: write {0}, %s: {0}) sizes(n) schedule(map) index(64) {{\n"
        "{1}\nnest (i: n) grid lanes(4) {{\n%a = load %x [i] : {0}\n%b = load %y [i] : {0}\n{2}\n"
        "store %out [i], %r\n}}\n}}\n",
        dtype, before, body);
}

void check_lengths(const std::string& text) {
    for (int64_t n : {0, 1, 5, 16, 33, 200}) check(text, {n}, {n, n, n, 1});
}

}  // namespace

TEST_CASE("a vector loop runs while a lane is active") {
    // Mandelbrot's shape: lanes leave at different rounds and keep what they carry.
    check_lengths(elementwise("f32", "", R"(
        %four = constant 4.0 : f32
        %zero = constant 0.0 : f32
        %one = constant 1.0 : f32
        %limit = constant 40.0 : f32
        %u, %v, %r = while %zero, %zero, %zero : f32, f32, f32 (%p: f32, %q: f32, %count: f32) {
          %pp = mul %p, %p : f32
          %qq = mul %q, %q : f32
          %size = add %pp, %qq : f32
          %in = le %size, %four : bool
          %few = lt %count, %limit : bool
          %go = and %in, %few : bool
          yield %go
        } do (%g: f32, %h: f32, %seen: f32) {
          %p_p = mul %g, %g : f32
          %q_q = mul %h, %h : f32
          %re = sub %p_p, %q_q : f32
          %p2 = add %re, %a : f32
          %pq = mul %g, %h : f32
          %two = add %pq, %pq : f32
          %q2 = add %two, %b : f32
          %next = add %seen, %one : f32
          yield %p2, %q2, %next
        })"));
}

TEST_CASE("loops inside the sides of an if run in the lanes that take the side") {
    // The loop of the first side has no end in lanes where a <= 0.
    check_lengths(elementwise("f64", "", R"(
        %zero = constant 0.0 : f64
        %two = constant 2.0 : f64
        %big = constant 1000.0 : f64
        %c = gt %a, %zero : bool
        %r = if %c : f64 {
          %g = while %a : f64 (%p: f64) {
            %more = lt %p, %big : bool
            yield %more
          } do (%q: f64) {
            %t = mul %q, %two : f64
            yield %t
          }
          yield %g
        } else {
          %lo = constant 0 : i64
          %hi0 = cast %b : i64
          %h = for %lo, %hi0, %b : f64 (%k: i64, %acc: f64) {
            %kf = cast %k : f64
            %n = add %acc, %kf : f64
            yield %n
          }
          %d = lt %b, %zero : bool
          %e = if %d : f64 {
            %w = mul %h, %s : f64
            yield %w
          } else {
            yield %s
          }
          yield %e
        })"));
}

TEST_CASE("loops whose rounds all lanes share stay scalar") {
    const std::string text = elementwise("f32", "", R"(
        %lo = constant 2 : i64
        %hi = constant 9 : i64
        %zero = constant 0.0 : f32
        %r, %t = for %lo, %hi, %a, %zero : f32, f32 (%k: i64, %acc: f32, %sum: f32) {
          %kf = cast %k : f32
          %m = mul %acc, %b : f32
          %n = add %m, %kf : f32
          %sum2 = add %sum, %kf : f32
          %odd = gt %sum2, %s : bool
          %o = if %odd : f32 {
            %q = sub %n, %a : f32
            yield %q
          } else {
            yield %kf
          }
          yield %o, %sum2
        })");
    check_lengths(text);
    const auto device = make_cpu_device(1, vector_widths().back());
    const std::string llvm = device->build(kernel_of(text), "kernel", nullptr)->source;
    CHECK(llvm.find("phi i64 [ 2, ") != std::string::npos);
    CHECK(llvm.find("x i1> [") == std::string::npos);
}

TEST_CASE("code before the nest is computed once, with branches and loops") {
    check_lengths(elementwise("f64", R"(
        %zero = constant 0.0 : f64
        %one = constant 1.0 : f64
        %neg = lt %s, %zero : bool
        %c = if %neg : f64 {
          %m = neg %s : f64
          yield %m
        } else {
          yield %s
        }
        %lim = constant 50.0 : f64
        %p = while %one : f64 (%w: f64) {
          %g = lt %w, %lim : bool
          yield %g
        } do (%v: f64) {
          %w1 = add %v, %c : f64
          %w2 = add %w1, %one : f64
          yield %w2
        })",
                              "%m1 = mul %a, %p : f64\n%r = add %m1, %c : f64"));
}

TEST_CASE("bools are bytes in memory") {
    for (int64_t n : {0, 1, 7, 64, 65, 150, 300}) {
        check(
            "kernel k(%x: read bool, %y: read bool, %o: write bool, %s: bool) sizes(n) schedule(map) "
            "index(64) {\n"
            "nest (i: n) grid {\n%a = load %x [i] : bool\n%b = load %y [i] : bool\n%c = bitxor %a, %b : "
            "bool\n"
            "%d = or %c, %s : bool\nstore %o [i], %d\n} }",
            {n}, {n, n, n, 1});
    }
}

TEST_CASE("accesses of every kind: rows, columns, broadcasts, reverses, offsets") {
    const std::string text =
        "kernel k(%x: read f32, %col: read f32, %row: read f32, %one: read f32, %o: write f32, %t: write "
        "f32, "
        "%i: write i64) sizes(n, m) schedule(map) index(64) {\n"
        "nest (i: n, j: m) grid {\n"
        "%a = load %x [m*i + j] : f32\n"
        "%b = load %col [i] : f32\n"
        "%c = load %row [j] : f32\n"
        "%d = load %one [0] : f32\n"
        "%e = load %x [-m*i - j + m*n - 1] : f32\n"
        "%f = load %x [n*j + i] : f32\n"
        "%g = load %row [-j + m - 1] : f32\n"
        "%h = index [3*j - 2*i + n//2 + max(0, m - n)] : i64\n"
        "%h1 = cast %h : f32\n"
        "%rows = index [i] : i64\n%rf = cast %rows : f32\n"
        "%1 = mul %a, %b : f32\n%2 = add %1, %c : f32\n%3 = mul %2, %d : f32\n%4 = sub %3, %e : f32\n"
        "%5 = add %4, %f : f32\n%6 = mul %5, %g : f32\n%7 = add %6, %h1 : f32\n%8 = add %7, %rf : f32\n"
        "store %o [m*i + j], %8\nstore %t [n*j + i], %7\nstore %i [-m*i - j + m*n - 1], %h\n} }";
    for (const auto& [n, m] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {3, 40}, {40, 3}, {17, 33}, {0, 5}, {5, 0}}) {
        check(text, {n, m}, {n * m, n, m, 1, n * m, n * m, n * m});
    }
}

TEST_CASE("nests of three axes and of none") {
    check(
        "kernel k(%x: read i64, %y: read i64, %o: write i64) sizes(n, m, p) schedule(map) index(64) {\n"
        "nest (i: n, j: m, k: p) grid {\n%a = load %x [m*p*i + p*j + k] : i64\n%b = load %y [p*j + k] : i64\n"
        "%c = load %y [m*0 + i] : i64\n%d = mul %a, %b : i64\n%e = add %d, %c : i64\n"
        "store %o [m*p*i + p*j + k], %e\n} }",
        {4, 5, 19}, {4 * 5 * 19, 5 * 19, 4 * 5 * 19});
    check(
        "kernel k(%x: read f64, %o: write f64, %s: f64) sizes() schedule(map) index(64) {\n"
        "%c = add %s, %s : f64\nnest () grid {\n%a = load %x [3] : f64\n%r = mul %a, %c : f64\nstore %o [0], "
        "%r\n} }",
        {}, {5, 1, 1});
}

TEST_CASE("many threads share a long range") {
    const std::string text = elementwise("f32", "", "%m = mul %a, %s : f32\n%r = add %m, %b : f32");
    check(text, {300001}, {300001, 300001, 300001, 1});
}

TEST_CASE("a kernel of many operations has one masked body") {
    std::string body = "%v0 = add %a, %b : f32\n";
    for (int k = 1; k < 200; ++k)
        body += fmt::format("%v{} = {} %v{}, {} : f32\n", k,
                            k % 3 == 0   ? "sub"
                            : k % 3 == 1 ? "min"
                                         : "add",
                            k - 1, k % 2 == 0 ? "%a" : "%b");
    body += "%r = add %v199, %s : f32";
    const std::string text = elementwise("f32", "", body);
    check_lengths(text);
    const auto device = make_cpu_device(1, 128);
    const std::string llvm = device->build(kernel_of(text), "kernel", nullptr)->source;
    CHECK(llvm.find("tail:") == std::string::npos);
}

TEST_CASE("names and literals are safe text") {
    check_lengths(
        "kernel k(%\"a\\\"b\": read f32, %entry: read f32, %tail: write f32, %\"\xC3\xA9\\\\\": f32) "
        "sizes(n) "
        "schedule(map) index(64) {\nnest (vector: n) grid {\n%buffers = load %\"a\\\"b\" [vector] : f32\n"
        "%axis0 = load %entry [vector] : f32\n%c = constant bits(0x7fc12345) : f32\n%d = constant -0.0 : "
        "f32\n"
        "%e = constant 1e-45 : f32\n%f = constant inf : f32\n%begin = mul %buffers, %axis0 : f32\n"
        "%1 = lt %begin, %d : bool\n%2 = where %1, %c, %e : f32\n%3 = lt %axis0, %\"\xC3\xA9\\\\\" : bool\n"
        "%4 = where %3, %2, %f : f32\nstore %tail [vector], %4\n} }");
}
