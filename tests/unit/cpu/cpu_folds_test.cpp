// Folds on the CPU, bit for bit against the order of compiler/ir/reduction_order.h written plainly.
#include "tests/unit/cpu/folds.h"

using namespace fuseline;
using namespace fuseline::tests;

namespace {

/// `at`: the offset of element %k of output %i, over n outputs of m elements.
std::string sum_text(std::string_view dtype, std::string_view mapping, std::string_view at,
                     std::string_view identity, std::string_view op) {
    return fmt::format(
        "kernel k(%x: read {0}, %y: write {0}) sizes(n, m) schedule(reduce) index(64) {{\n"
        "%zero = constant {3} : {0}\n"
        "nest (i: n) grid {{\n"
        "%s = fold (k: m) {1} %zero : {0} {{\n%e = load %x [{2}] : {0}\nyield %e\n}} combine (%a: {0}, %b: "
        "{0}) {{\n%c = {4} %a, %b : {0}\nyield %c\n}}\n"
        "store %y [i], %s\n}} }}",
        dtype, mapping, at, identity, op);
}

struct Layout {
    std::string_view mapping, at;
    int64_t (*offset)(int64_t n, int64_t m, int64_t i, int64_t k);
    int64_t spread;  ///< the buffer has n * m * spread elements
};

constexpr Layout kRows{"team", "m*i + k", [](int64_t, int64_t m, int64_t i, int64_t k) { return m * i + k; },
                       1};
constexpr Layout kColumns{"sequential", "n*k + i",
                          [](int64_t n, int64_t, int64_t i, int64_t k) { return n * k + i; }, 1};
constexpr Layout kLayouts[] = {
    kRows,
    kColumns,
    {"team", "2*m*i + 2*k + 1", [](int64_t, int64_t m, int64_t i, int64_t k) { return 2 * (m * i + k) + 1; },
     2},
    {"team", "m*i - k + m - 1", [](int64_t, int64_t m, int64_t i, int64_t k) { return m * i - k + m - 1; },
     1},
    {"team", "n*k + i", [](int64_t n, int64_t, int64_t i, int64_t k) { return n * k + i; }, 1},
    {"sequential", "m*i + k", [](int64_t, int64_t m, int64_t i, int64_t k) { return m * i + k; }, 1},
    {"sequential", "n*k - i + n - 1",
     [](int64_t n, int64_t, int64_t i, int64_t k) { return n * k - i + n - 1; }, 1},
};

constexpr int64_t kLengths[] = {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 300, 2047, 2048, 2049, 100003};
constexpr int64_t kOutputs[] = {0, 1, 2, 7, 130, 1000};
constexpr int64_t kMostElements = 800'000;

template <typename T, typename Combine>
void check_sums(const Layout& layout, T identity, std::string_view identity_text, std::string_view op,
                Combine combine) {
    const Devices devices(sum_text(kName<T>, layout.mapping, layout.at, identity_text, op));
    for (int64_t m : kLengths) {
        for (int64_t n : kOutputs) {
            if (n * m > kMostElements) continue;
            const std::vector<T> x = filled<T>(n * m * layout.spread, static_cast<uint32_t>(n + m));
            std::vector<T> expected;
            for (int64_t i = 0; i < n; ++i) {
                const auto element = [&](int64_t k) {
                    return x[static_cast<size_t>(layout.offset(n, m, i, k))];
                };
                expected.push_back(in_order(m, identity, element, combine));
            }
            devices.run({x.data()}, {expected.size() * sizeof(T)}, {n, m},
                        [&](const auto& made) { CHECK(same_bytes(expected, made[0])); });
        }
    }
}

const auto plus = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };

}  // namespace

TEST_CASE("sums have the order of reductions, in every layout") {
    for (const Layout& layout : kLayouts) {
        CAPTURE(layout.mapping, layout.at);
        check_sums<float>(layout, -0.0f, "-0.0", "add", plus);
    }
}

TEST_CASE("sums of every kind of element, along rows and columns") {
    for (const Layout& layout : {kRows, kColumns}) {
        CAPTURE(layout.mapping);
        check_sums<double>(layout, -0.0, "-0.0", "add", plus);
        check_sums<int64_t>(layout, 0, "0", "add", [](int64_t a, int64_t b) {
            return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
        });
        check_sums<uint8_t>(layout, 0, "false", "or",
                            [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a | b); });
    }
}

TEST_CASE("few outputs: chunks are computed by all threads, with the same bits") {
    for (const Layout& layout : {kRows, kColumns}) {
        const Devices devices(sum_text("f32", layout.mapping, layout.at, "-0.0", "add"));
        for (const auto& [n, m] : std::vector<std::pair<int64_t, int64_t>>{{1, 1'000'003}, {3, 400'001}}) {
            const std::vector<float> x = filled<float>(n * m, 5);
            std::vector<float> expected;
            for (int64_t i = 0; i < n; ++i) {
                const auto element = [&, n = n, m = m](int64_t k) {
                    return x[static_cast<size_t>(layout.offset(n, m, i, k))];
                };
                expected.push_back(in_order(m, -0.0f, element, plus));
            }
            devices.run({x.data()}, {expected.size() * 4}, {n, m},
                        [&](const auto& made) { CHECK(same_bytes(expected, made[0])); });
        }
    }
}
