// Folds with states of several parts, over several axes, one after another; guarded and computed loads.
#include <cmath>
#include <limits>

#include "tests/unit/cpu/folds.h"

using namespace fuseline;
using namespace fuseline::tests;

namespace {

constexpr int64_t kLengths[] = {0, 1, 3, 33, 128, 129, 2047, 2049, 20003};
constexpr int64_t kOutputs[] = {1, 7, 200};

const auto plus = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };

struct Best {
    float value;
    int64_t index;
};

/// The first NaN, else the largest value; of equal ones the one with the lowest index.
Best better(Best a, Best b) {
    const bool na = std::isnan(a.value), nb = std::isnan(b.value);
    const bool equal = a.value == b.value || (na && nb);
    const bool wins = !na && (nb || b.value > a.value);
    return wins || (equal && b.index < a.index) ? b : a;
}

std::string argmax_text(std::string_view mapping, std::string_view at) {
    return fmt::format(R"(
kernel k(%x: read f32, %v: write f32, %p: write i64) sizes(n, m) schedule(reduce) index(64) {{
  %low = constant -inf : f32
  %last = constant 9223372036854775807 : i64
  nest (i: n) grid {{
    %best, %place = fold (k: m) {} %low, %last : f32, i64 {{
      %e = load %x [{}] : f32
      %q = index [k] : i64
      yield %e, %q
    }} combine (%a: f32, %ai: i64, %b: f32, %bi: i64) {{
      %na = isnan %a : bool
      %nb = isnan %b : bool
      %two = and %na, %nb : bool
      %eq = eq %a, %b : bool
      %equal = or %eq, %two : bool
      %gt = gt %b, %a : bool
      %up = or %gt, %nb : bool
      %kept = not %na : bool
      %wins = and %up, %kept : bool
      %lower = lt %bi, %ai : bool
      %tie = and %equal, %lower : bool
      %take = or %wins, %tie : bool
      %c = where %take, %b, %a : f32
      %ci = where %take, %bi, %ai : i64
      yield %c, %ci
    }}
    store %v [i], %best
    store %p [i], %place
  }}
}})",
                       mapping, at);
}

/// Sum and what its roundings lost.
struct Kahan {
    double sum, lost;
};

Kahan two_sum(Kahan a, Kahan b) {
    const double s = a.sum + b.sum, bb = s - a.sum;
    const double e = (a.sum - (s - bb)) + (b.sum - bb);
    return {s, (a.lost + b.lost) + e};
}

std::string kahan_text(std::string_view mapping, std::string_view at) {
    return fmt::format(R"(
kernel k(%x: read f64, %y: write f64) sizes(n, m) schedule(reduce) index(64) {{
  %none = constant -0.0 : f64
  %zero = constant 0.0 : f64
  nest (i: n) grid {{
    %sum, %lost = fold (k: m) {} %none, %zero : f64, f64 {{
      %e = load %x [{}] : f64
      yield %e, %zero
    }} combine (%a: f64, %al: f64, %b: f64, %bl: f64) {{
      %s = add %a, %b : f64
      %bb = sub %s, %a : f64
      %aa = sub %s, %bb : f64
      %ea = sub %a, %aa : f64
      %eb = sub %b, %bb : f64
      %err = add %ea, %eb : f64
      %l = add %al, %bl : f64
      %le = add %l, %err : f64
      yield %s, %le
    }}
    %all = add %sum, %lost : f64
    store %y [i], %all
  }}
}})",
                       mapping, at);
}

constexpr std::pair<std::string_view, std::string_view> kRowsAndColumns[] = {{"team", "m*i + k"},
                                                                             {"sequential", "n*k + i"}};

int64_t offset(std::string_view mapping, int64_t n, int64_t m, int64_t i, int64_t k) {
    return mapping == "team" ? m * i + k : n * k + i;
}

}  // namespace

TEST_CASE("the largest element and its place") {
    for (const auto& [mapping, at] : kRowsAndColumns) {
        const Devices devices(argmax_text(mapping, at));
        for (int64_t m : kLengths) {
            for (int64_t n : kOutputs) {
                std::vector<float> x = filled<float>(n * m, 3);
                // Few different values, so that there are ties; a NaN in some outputs.
                for (float& e : x) e = std::remainder(e, 16.0f);
                for (size_t at_nan = 2000; at_nan < x.size(); at_nan += 3001) x[at_nan] = NAN;
                std::vector<float> values;
                std::vector<int64_t> places;
                for (int64_t i = 0; i < n; ++i) {
                    const auto element = [&, mapping = mapping](int64_t k) {
                        return Best{x[static_cast<size_t>(offset(mapping, n, m, i, k))], k};
                    };
                    const Best best = in_order(m, Best{-std::numeric_limits<float>::infinity(), INT64_MAX},
                                               element, better);
                    values.push_back(best.value);
                    places.push_back(best.index);
                }
                devices.run({x.data()}, {values.size() * 4, places.size() * 8}, {n, m},
                            [&](const auto& made) {
                                CHECK(same_bytes(values, made[0]));
                                CHECK(same_bytes(places, made[1]));
                            });
            }
        }
    }
}

TEST_CASE("compensated sums") {
    for (const auto& [mapping, at] : kRowsAndColumns) {
        const Devices devices(kahan_text(mapping, at));
        for (int64_t m : kLengths) {
            for (int64_t n : kOutputs) {
                const std::vector<double> x = filled<double>(n * m, 4);
                std::vector<double> expected;
                for (int64_t i = 0; i < n; ++i) {
                    const auto element = [&, mapping = mapping](int64_t k) {
                        return Kahan{x[static_cast<size_t>(offset(mapping, n, m, i, k))], 0.0};
                    };
                    const Kahan all = in_order(m, Kahan{-0.0, 0.0}, element, two_sum);
                    expected.push_back(all.sum + all.lost);
                }
                devices.run({x.data()}, {expected.size() * 8}, {n, m},
                            [&](const auto& made) { CHECK(same_bytes(expected, made[0])); });
            }
        }
    }
}

TEST_CASE("folds over several axes take them row by row") {
    for (std::string_view mapping : {"team", "sequential"}) {
        // Axes 0 and 2 of an array [p, n, m].
        const std::string text = fmt::format(
            "kernel k(%x: read f32, %y: write f32) sizes(p, n, m) schedule(reduce) index(64) {{\n"
            "%zero = constant -0.0 : f32\nnest (i: n) grid {{\n"
            "%s = fold (j: p, k: m) {} %zero : f32 {{\n%e = load %x [n*m*j + m*i + k] : f32\nyield %e\n}} "
            "combine (%a: f32, %b: f32) {{\n%c = add %a, %b : f32\nyield %c\n}}\nstore %y [i], %s\n}} }}",
            mapping);
        const Devices devices(text);
        for (const auto& [p, n, m] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{
                 {1, 3, 5}, {4, 1, 3}, {300, 7, 3}, {3, 40, 129}, {50, 2, 1000}, {5, 3, 128}, {0, 4, 5}}) {
            const std::vector<float> x = filled<float>(p * n * m, 8);
            std::vector<float> expected;
            for (int64_t i = 0; i < n; ++i) {
                const auto element = [&, n = n, m = m](int64_t r) {
                    return x[static_cast<size_t>(n * m * (r / m) + m * i + r % m)];
                };
                expected.push_back(in_order(p * m, -0.0f, element, plus));
            }
            devices.run({x.data()}, {expected.size() * 4}, {p, n, m},
                        [&](const auto& made) { CHECK(same_bytes(expected, made[0])); });
        }
    }
}

TEST_CASE("a later fold uses the result of an earlier one; a scalar epilogue") {
    for (const auto& [mapping, at] : kRowsAndColumns) {
        const std::string text = fmt::format(R"(
kernel k(%x: read f64, %w: read f64, %mean: write f64, %var: write f64, %scale: f64) sizes(n, m) schedule(reduce) index(64) {{
  %zero = constant -0.0 : f64
  %count = extent m : i64
  %f = cast %count : f64
  nest (i: n) grid {{
    %sum = fold (k: m) {0} %zero : f64 {{
      %e = load %x [{1}] : f64
      yield %e
    }} combine (%a: f64, %b: f64) {{
      %c = add %a, %b : f64
      yield %c
    }}
    %mu = div %sum, %f : f64
    %g = load %w [i] : f64
    %sq = fold (k: m) {0} %zero : f64 {{
      %h = load %x [{1}] : f64
      %d = sub %h, %mu : f64
      %s = mul %d, %d : f64
      %t = mul %s, %scale : f64
      yield %t
    }} combine (%p: f64, %q: f64) {{
      %u = add %p, %q : f64
      yield %u
    }}
    %v = mul %sq, %g : f64
    store %mean [i], %mu
    store %var [i], %v
  }}
}})",
                                             mapping, at);
        for (const auto& [n, m] : std::vector<std::pair<int64_t, int64_t>>{
                 {1, 5}, {40, 33}, {200, 129}, {7, 5000}, {1, 300'007}, {2, 200'003}}) {
            const std::vector<double> x = filled<double>(n * m, 6), w = filled<double>(n, 7);
            std::vector<double> means, vars;
            for (int64_t i = 0; i < n; ++i) {
                const auto element = [&, n = n, m = m, mapping = mapping](int64_t k) {
                    return x[static_cast<size_t>(offset(mapping, n, m, i, k))];
                };
                const double mu = in_order(m, -0.0, element, plus) / static_cast<double>(m);
                const auto square = [&](int64_t k) { return ((element(k) - mu) * (element(k) - mu)) * 0.5; };
                means.push_back(mu);
                vars.push_back(in_order(m, -0.0, square, plus) * w[static_cast<size_t>(i)]);
            }
            for (int bits : vector_widths()) {
                for (int threads : {1, 4}) {
                    const auto device = make_cpu_device(threads, bits);
                    std::vector<double> mean(means.size()), var(vars.size());
                    CpuTestKernel(*device, text)({const_cast<double*>(x.data()),
                                                  const_cast<double*>(w.data()), mean.data(), var.data()},
                                                 {Scalar::of_f64(0.5)}, {n, m});
                    INFO(fmt::format("{} x {}, {} bits, {} threads, {}", n, m, bits, threads, mapping));
                    CHECK(mean == means);
                    CHECK(var == vars);
                }
            }
        }
    }
}

TEST_CASE("a fold of a row before the elements of the row") {
    const Devices devices(R"(
kernel k(%x: read f32, %y: write f32) sizes(n, m) schedule(reduce) index(64) {
  %zero = constant -0.0 : f32
  nest (i: n, j: m) grid {
    %sum = fold (k: m) team %zero : f32 {
      %e = load %x [m*i + k] : f32
      yield %e
    } combine (%a: f32, %b: f32) {
      %c = add %a, %b : f32
      yield %c
    }
    %h = load %x [m*i + j] : f32
    %r = div %h, %sum : f32
    store %y [m*i + j], %r
  }
})");
    for (const auto& [n, m] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {5, 33}, {3, 4099}, {0, 4}, {4, 0}}) {
        const std::vector<float> x = filled<float>(n * m, 9);
        std::vector<float> expected;
        for (int64_t i = 0; i < n; ++i) {
            const auto element = [&, m = m](int64_t k) { return x[static_cast<size_t>(m * i + k)]; };
            const float sum = in_order(m, -0.0f, element, plus);
            for (int64_t j = 0; j < m; ++j) expected.push_back(element(j) / sum);
        }
        devices.run({x.data()}, {expected.size() * 4}, {n, m},
                    [&](const auto& made) { CHECK(same_bytes(expected, made[0])); });
    }
}

TEST_CASE("folds of many operations, of functions and of branches") {
    // More than a hundred operations an element: no second body.
    std::string chain = "%e0 = load %x [{at}] : f32\n";
    for (int k = 1; k <= 120; ++k) {
        chain += fmt::format("%e{} = {} %e{}, %half : f32\n", k, k % 2 == 0 ? "sub" : "mul", k - 1);
    }
    const std::string branch = R"(%e0 = load %x [{at}] : f32
      %pos = gt %e0, %half : bool
      %e120 = if %pos : f32 {
        %root = sqrt %e0 : f32
        yield %root
      } else {
        %w = while %e0 : f32 (%p: f32) {
          %on = lt %p, %low : bool
          yield %on
        } do (%q: f32) {
          %t = mul %q, %half : f32
          yield %t
        }
        yield %w
      })";
    const auto chained = [](float e) {
        for (int k = 1; k <= 120; ++k) e = k % 2 == 0 ? e - 0.5f : e * 0.5f;
        return e;
    };
    const auto branched = [](float e) {
        if (e > 0.5f) return std::sqrt(e);
        while (e < -100.0f) e *= 0.5f;
        return e;
    };
    for (bool long_one : {true, false}) {
        for (const auto& [mapping, at] : kRowsAndColumns) {
            std::string body = long_one ? chain : branch;
            body.replace(body.find("{at}"), 4, at);
            const Devices devices(fmt::format(
                "kernel k(%x: read f32, %y: write f32) sizes(n, m) schedule(reduce) index(64) {{\n"
                "%zero = constant -0.0 : f32\n%half = constant 0.5 : f32\n%low = constant -100.0 : f32\n"
                "nest (i: n) grid {{\n%s = fold (k: m) {} %zero : f32 {{\n{}\nyield %e120\n}} combine (%a: "
                "f32, %b: f32) {{\n%c = add %a, %b : f32\nyield %c\n}}\nstore %y [i], %s\n}} }}",
                mapping, body));
            for (int64_t m : {0, 1, 33, 128, 300, 5000}) {
                for (int64_t n : {1, 9, 150}) {
                    const std::vector<float> x = filled<float>(n * m, 10);
                    std::vector<float> expected;
                    for (int64_t i = 0; i < n; ++i) {
                        const auto element = [&, mapping = mapping](int64_t k) {
                            const float e = x[static_cast<size_t>(offset(mapping, n, m, i, k))];
                            return long_one ? chained(e) : branched(e);
                        };
                        expected.push_back(in_order(m, -0.0f, element, plus));
                    }
                    devices.run({x.data()}, {expected.size() * 4}, {n, m},
                                [&](const auto& made) { CHECK(same_bytes(expected, made[0])); });
                }
            }
        }
    }
}

TEST_CASE("functions in folds give the same bits along rows and columns, at every width") {
    std::vector<std::vector<std::byte>> seen;
    const int64_t n = 50, m = 3000;
    const std::vector<float> rows = filled<float>(n * m, 15);
    std::vector<float> columns(rows.size());
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t k = 0; k < m; ++k)
            columns[static_cast<size_t>(n * k + i)] = rows[static_cast<size_t>(m * i + k)];
    }
    for (const auto& [mapping, at] : kRowsAndColumns) {
        const Devices devices(fmt::format(
            "kernel k(%x: read f32, %y: write f32) sizes(n, m) schedule(reduce) index(64) {{\n"
            "%zero = constant -0.0 : f32\nnest (i: n) grid {{\n%s = fold (k: m) {} %zero : f32 {{\n"
            "%e = load %x [{}] : f32\n%f = sin %e : f32\n%g = exp %f : f32\nyield %g\n}} combine (%a: f32, "
            "%b: f32) {{\n%c = add %a, %b : f32\nyield %c\n}}\nstore %y [i], %s\n}} }}",
            mapping, at));
        devices.run({mapping == "team" ? rows.data() : columns.data()}, {static_cast<size_t>(n) * 4}, {n, m},
                    [&](const auto& made) { seen.push_back(made[0]); });
    }
    for (const auto& one : seen) CHECK(one == seen[0]);
}

TEST_CASE("branches and loops where states combine") {
    // max(a, b), halved while it is above 1e6.
    for (const auto& [mapping, at] : kRowsAndColumns) {
        const Devices devices(fmt::format(R"(
kernel k(%x: read f32, %y: write f32) sizes(n, m) schedule(reduce) index(64) {{
  %low = constant -inf : f32
  %half = constant 0.5 : f32
  %high = constant 1000000.0 : f32
  nest (i: n) grid {{
    %s = fold (k: m) {} %low : f32 {{
      %e = load %x [{}] : f32
      yield %e
    }} combine (%a: f32, %b: f32) {{
      %gt = gt %b, %a : bool
      %c = if %gt : f32 {{
        %w = while %b : f32 (%p: f32) {{
          %on = gt %p, %high : bool
          yield %on
        }} do (%q: f32) {{
          %t = mul %q, %half : f32
          yield %t
        }}
        yield %w
      }} else {{
        yield %a
      }}
      yield %c
    }}
    store %y [i], %s
  }}
}})",
                                          mapping, at));
        const auto combine = [](float a, float b) {
            if (!(b > a)) return a;
            while (b > 1e6f) b *= 0.5f;
            return b;
        };
        for (int64_t m : kLengths) {
            for (int64_t n : kOutputs) {
                const std::vector<float> x = filled<float>(n * m, 16);
                std::vector<float> expected;
                for (int64_t i = 0; i < n; ++i) {
                    const auto element = [&, mapping = mapping](int64_t k) {
                        return x[static_cast<size_t>(offset(mapping, n, m, i, k))];
                    };
                    expected.push_back(
                        in_order(m, -std::numeric_limits<float>::infinity(), element, combine));
                }
                devices.run({x.data()}, {expected.size() * 4}, {n, m},
                            [&](const auto& made) { CHECK(same_bytes(expected, made[0])); });
            }
        }
    }
}
