// Cases from the table of reductions.
#include <fmt/format.h>

#include "compiler/support/hash.h"
#include "dsl/reductions.h"
#include "tests/runner/array_cases.h"
#include "tests/runner/samples.h"
#include "tests/runner/scalar_writer.h"

namespace fuseline::testing {
namespace {

/// Which axes are reduced, in which rank; "" for all of them.
struct Axes {
    const char* name;
    size_t rank;
    const char* text;
    std::vector<std::vector<int64_t>> sizes;  ///< of k, l, p for each call, small ones first
};

/// Primes, so that neither lanes nor chunks divide them, and reduced axes of more than one chunk of 2048.
const std::vector<Axes>& axes() {
    static const std::vector<Axes> all = {
        {"all of one", 1, "", {{1}, {0}, {2}, {7}, {127}, {2053}, {6151}}},
        {"all of three", 3, "", {{1, 1, 1}, {2, 0, 3}, {3, 5, 7}, {13, 17, 19}}},
        {"first", 3, "axis=0", {{1, 1, 1}, {0, 2, 3}, {2, 0, 3}, {3, 5, 7}, {2053, 1, 3}}},
        {"middle", 3, "axis=1", {{1, 1, 1}, {2, 0, 3}, {3, 5, 7}, {1, 2053, 3}}},
        {"last", 3, "axis=-1", {{1, 1, 1}, {2, 3, 0}, {5, 3, 7}, {1, 3, 4099}}},
        {"last of two", 2, "axis=1", {{1, 1}, {3, 0}, {5, 131}, {3, 2053}}},
        {"first of two", 2, "axis=0", {{1, 1}, {0, 3}, {131, 37}, {2053, 5}}},
        {"all but one", 3, "axis=(0, 2)", {{1, 1, 1}, {0, 2, 3}, {3, 5, 7}, {47, 3, 53}}},
        {"a tuple", 3, "axis=(1, 2)", {{1, 1, 1}, {2, 0, 3}, {3, 5, 7}, {3, 47, 53}}},
    };
    return all;
}

/// Options beside the axes; each is tried where the row has the keyword and the type takes it.
struct Option {
    const char* keyword;
    const char* text;
    enum class Of { any, number, floating, boolean } of = Of::any;
};
constexpr Option kOptions[] = {
    {"", ""},
    {"keepdims", "keepdims=true"},
    {"where", "where=a > 0", Option::Of::number},
    {"where", "where=a", Option::Of::boolean},
    {"initial", "initial=3", Option::Of::number},
    {"initial", "initial=-0.0", Option::Of::floating},
    {"initial", "initial=true", Option::Of::boolean},
    {"ddof", "ddof=1"},
    {"accumulate", "accumulate=\"f64\"", Option::Of::floating},
    {"accumulate", "accumulate=\"kahan\"", Option::Of::floating},
    {"where", "where=a == a, keepdims=true"},
};

bool takes(const dsl::Reduction& r, DType dtype, const Option& o) {
    // The initial value of a sum or a product of bools is an integer.
    const bool number = !is_bool(dtype) ||
                        (std::string_view(o.keyword) == "initial" && r.types == dsl::ReductionTypes::widened);
    if (o.of == Option::Of::number && !number) return false;
    if (o.of == Option::Of::boolean && number) return false;
    if (o.of == Option::Of::floating && !is_float(dtype)) return false;
    return r.keywords.find(o.keyword) != std::string_view::npos;
}

/// Values whose sums neither vanish nor overflow, special ones among them every second time.
NamedArrays arguments(DType dtype, const Layout::Form& form, const std::vector<int64_t>& sizes,
                      Random& random) {
    const unsigned special = chance(random, 2) ? 7 : 0;
    NamedArrays all;
    all.emplace_back("x", random_array(dtype, extents_of(form.shape, sizes), {-9, 9}, special, random));
    return all;
}

/// What is reduced and what becomes of it: the prologue and epilogue may share the reduction's kernel.
std::string expression(const dsl::Reduction& r, DType dtype, const Axes& axes, const Option& option,
                       Random& random) {
    const char* array = chance(random, 2) ? "a" : is_bool(dtype) ? "not a" : "a * a - a";
    std::string text = fmt::format("{}({}", r.builtin.name, array);
    for (const char* part : {axes.text, option.text}) {
        if (*part != '\0') text += fmt::format(", {}", part);
    }
    text += ")";
    if (r.types == dsl::ReductionTypes::boolean) return chance(random, 2) ? text : "not " + text;
    const bool number = r.types != dsl::ReductionTypes::same || !is_bool(dtype);
    return number && chance(random, 2) ? text + " + 1" : text;
}

ArrayCase made(const dsl::Reduction& r, DType dtype, const Axes& axes, const std::string& title,
               Random& random) {
    const Layout* layout = nullptr;
    do layout = &layouts()[pick(random, layouts().size())];
    while (layout->of_rank(axes.rank).shape == nullptr);
    const Option* option = nullptr;
    do option = &kOptions[pick(random, std::size(kOptions))];
    while (!takes(r, dtype, *option));
    const Layout::Form& form = layout->of_rank(axes.rank);
    constexpr const char* kRanks[] = {"[n]", "[n, m]", "[n, m, q]"};
    ArrayCase test;
    test.title =
        fmt::format("{}, {}{}{}", title, layout->name, *option->text == '\0' ? "" : ", ", option->text);
    test.program =
        fmt::format("fn reduced(a: t{}) = {}\nfn f(x: {}{}) = reduced({})\n", kRanks[axes.rank - 1],
                    expression(r, dtype, axes, *option, random), name(dtype), form.shape, form.expression);
    for (std::vector<int64_t> sizes : axes.sizes) {
        sizes.resize(3, 1);
        test.calls.push_back(arguments(dtype, form, sizes, random));
    }
    return test;
}

}  // namespace

std::vector<ArrayCase> reduction_cases(const Sample& sample, const std::string& filter) {
    std::vector<ArrayCase> all;
    for (const dsl::Reduction& r : dsl::reduction_table()) {
        const bool one_axis = r.types == dsl::ReductionTypes::index;
        for (const DType dtype : built_types()) {
            for (const Axes& a : axes()) {
                const std::string title = fmt::format("{} {}, {}", r.builtin.name, name(dtype), a.name);
                if (one_axis && std::string_view(a.text).find('(') != std::string_view::npos) continue;
                if (title.find(filter) == std::string::npos || !sample.takes(title)) continue;
                Random random(hash128(fmt::format("{} {}", sample.seed, title)).low);
                all.push_back(made(r, dtype, a, title, random));
            }
        }
    }
    return all;
}

}  // namespace fuseline::testing
