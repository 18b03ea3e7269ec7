// Guarded loads, loads at computed offsets, and stores with strides: no access where the guard is false.
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/cpu/folds.h"

using namespace fuseline;
using namespace fuseline::tests;

namespace {

/// Elements between pages that cannot be touched.
template <typename T>
class Fenced {
public:
    explicit Fenced(const std::vector<T>& elements) {
        const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        inside_ = (elements.size() * sizeof(T) + page - 1) / page * page;
        all_ = inside_ + 2 * page;
        void* map = mmap(nullptr, all_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(map != MAP_FAILED);
        base_ = static_cast<std::byte*>(map);
        if (inside_ != 0) REQUIRE(mprotect(base_ + page, inside_, PROT_READ | PROT_WRITE) == 0);
        start_ = base_ + page;
        std::memcpy(start_, elements.data(), elements.size() * sizeof(T));
        // A second copy ends where the fence begins.
        end_ = start_ + inside_ - elements.size() * sizeof(T);
    }
    ~Fenced() { munmap(base_, all_); }
    Fenced(const Fenced&) = delete;
    Fenced& operator=(const Fenced&) = delete;
    const T* at_start() const { return reinterpret_cast<const T*>(start_); }
    const T* at_end(const std::vector<T>& elements) {
        std::memmove(end_, elements.data(), elements.size() * sizeof(T));
        return reinterpret_cast<const T*>(end_);
    }

private:
    size_t inside_ = 0, all_ = 0;
    std::byte *base_ = nullptr, *start_ = nullptr, *end_ = nullptr;
};

/// %y[j] = load(j) where %ok, else the fill; `body` defines %ok and %v.
template <typename T, typename Expected>
void check_guarded(std::string_view body, std::string_view fill, int64_t elements, Expected expected) {
    const std::string text = fmt::format(
        "kernel k(%x: read {0}, %y: write {0}) sizes(n, m) schedule(map) index(64) {{\n"
        "%fill = constant {1} : {0}\n%zero = constant 0 : i64\n%length = extent n : i64\n"
        "nest (i: m) grid {{\n{2}\nstore %y [i], %v\n}} }}",
        kName<T>, fill, body);
    const Devices devices(text);
    const std::vector<T> x = filled<T>(elements, 11);
    Fenced<T> fenced(x);
    for (int64_t m : {0, 1, 5, 16, 37, 64, 100}) {
        std::vector<T> wanted;
        for (int64_t i = 0; i < m; ++i) wanted.push_back(expected(x, i));
        const auto compare = [&](const auto& made) { CHECK(same_bytes(wanted, made[0])); };
        devices.run({fenced.at_start()}, {wanted.size() * sizeof(T)}, {elements, m}, compare);
        devices.run({fenced.at_end(x)}, {wanted.size() * sizeof(T)}, {elements, m}, compare);
    }
}

template <typename T>
T at(const std::vector<T>& x, int64_t i, T fill) {
    return i >= 0 && i < static_cast<int64_t>(x.size()) ? x[static_cast<size_t>(i)] : fill;
}

constexpr std::string_view kInside =
    "%low = ge %q, %zero : bool\n%high = lt %q, %length : bool\n%ok = and %low, %high : bool\n";

template <typename T>
void check_kinds(std::string_view fill_text, T fill) {
    const std::string_view type = kName<T>;
    check_guarded<T>(
        fmt::format("%q = index [i - 3] : i64\n{}%v = load %x [i - 3], %ok, %fill : {}", kInside, type),
        fill_text, 20, [&](const auto& x, int64_t i) { return at(x, i - 3, fill); });
    check_guarded<T>(
        fmt::format("%q = index [17 - i] : i64\n{}%v = load %x [17 - i], %ok, %fill : {}", kInside, type),
        fill_text, 20, [&](const auto& x, int64_t i) { return at(x, 17 - i, fill); });
    check_guarded<T>(
        fmt::format("%q = index [3*i - 7] : i64\n{}%v = load %x [3*i - 7], %ok, %fill : {}", kInside, type),
        fill_text, 50, [&](const auto& x, int64_t i) { return at(x, 3 * i - 7, fill); });
    // The address is the same in all lanes, the guard is not.
    check_guarded<T>(
        fmt::format("%q = index [i - 3] : i64\n{}%v = load %x [2], %ok, %fill : {}", kInside, type),
        fill_text, 20, [&](const auto& x, int64_t i) { return i >= 3 && i < 23 ? x[2] : fill; });
    // A scalar guard.
    check_guarded<T>(
        fmt::format("%q = index [-1] : i64\n{}%v = load %x [-1], %ok, %fill : {}", kInside, type), fill_text,
        20, [&](const auto&, int64_t) { return fill; });
    check_guarded<T>(
        fmt::format("%q = index [i - 3] : i64\n{}%v = load_at %x, %q, %ok, %fill : {}", kInside, type),
        fill_text, 20, [&](const auto& x, int64_t i) { return at(x, i - 3, fill); });
    check_guarded<T>(
        fmt::format("%r = index [5*i + 2] : i64\n%q = mod %r, %length : i64\n%v = load_at %x, %q : {}", type),
        fill_text, 13, [&](const auto& x, int64_t i) { return x[static_cast<size_t>((5 * i + 2) % 13)]; });
    check_guarded<T>(
        fmt::format(
            "%q = sub %length, %length : i64\n%one = constant 1 : i64\n%last = sub %length, %one : i64\n"
            "%a = load_at %x, %last : {0}\n%b = load_at %x, %length, %low, %fill : {0}\n%low0 = not %low : "
            "bool\n%v = where %low0, %a, %b : {0}",
            type)
            .insert(0, "%low = lt %length, %zero : bool\n"),
        fill_text, 13, [&](const auto& x, int64_t) { return x[12]; });
}

}  // namespace

TEST_CASE("a guarded load reads nothing where its guard is false") {
    check_kinds<float>("0.5", 0.5f);
    check_kinds<double>("-2.5", -2.5);
    check_kinds<int64_t>("-7", -7);
    check_kinds<uint8_t>("true", 1);
}

TEST_CASE("guarded loads of scalar nests and of folds") {
    // Sums of windows that begin before the array and end after it.
    for (std::string_view mapping : {"team", "sequential"}) {
        const std::string text = fmt::format(R"(
kernel k(%x: read f32, %y: write f32) sizes(n, m) schedule(reduce) index(64) {{
  %zero = constant -0.0 : f32
  %none = constant 0 : i64
  %length = extent n : i64
  nest (i: n) grid {{
    %s = fold (k: m) {} %zero : f32 {{
      %q = index [i + k - m//2] : i64
      %low = ge %q, %none : bool
      %high = lt %q, %length : bool
      %ok = and %low, %high : bool
      %e = load %x [i + k - m//2], %ok, %zero : f32
      yield %e
    }} combine (%a: f32, %b: f32) {{
      %c = add %a, %b : f32
      yield %c
    }}
    store %y [i], %s
  }}
}})",
                                             mapping);
        const Devices devices(text);
        for (const auto& [n, m] :
             std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {30, 5}, {200, 33}, {40, 300}, {3, 5000}}) {
            const std::vector<float> x = filled<float>(n, 12);
            Fenced<float> fenced(x);
            std::vector<float> expected;
            for (int64_t i = 0; i < n; ++i) {
                const auto element = [&, m = m](int64_t k) { return at(x, i + k - m / 2, -0.0f); };
                expected.push_back(in_order(m, -0.0f, element, [](float a, float b) { return a + b; }));
            }
            const auto compare = [&](const auto& made) { CHECK(same_bytes(expected, made[0])); };
            devices.run({fenced.at_start()}, {expected.size() * 4}, {n, m}, compare);
            devices.run({fenced.at_end(x)}, {expected.size() * 4}, {n, m}, compare);
        }
    }
}

TEST_CASE("updates store at the places of a slice and nowhere else") {
    const std::string text = R"(
kernel k(%e: read f64, %x: write f64) sizes(n, m) schedule(update) index(64) {
  nest (i: n, j: m) grid {
    %v = load %e [m*i + j] : f64
    store %x [6*m*i - 2*j + 2*m - 1], %v
  }
})";
    for (int bits : vector_widths()) {
        for (int threads : {1, 4}) {
            const auto device = make_cpu_device(threads, bits);
            const CpuTestKernel kernel(*device, text);
            for (const auto& [n, m] :
                 std::vector<std::pair<int64_t, int64_t>>{{0, 3}, {1, 1}, {3, 37}, {50, 16}}) {
                std::vector<double> e = filled<double>(n * m, 13), x = filled<double>(6 * n * m, 14);
                std::vector<double> expected = x;
                for (int64_t i = 0; i < n; ++i) {
                    for (int64_t j = 0; j < m; ++j) {
                        expected[static_cast<size_t>(6 * m * i - 2 * j + 2 * m - 1)] =
                            e[static_cast<size_t>(m * i + j)];
                    }
                }
                kernel({e.data(), x.data()}, {}, {n, m});
                CHECK(x == expected);
            }
        }
    }
}
