// Cases from the table of built-in functions: views, shapes, creation; slices and updates beside them.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "compiler/support/hash.h"
#include "dsl/builtins.h"
#include "tests/runner/array_cases.h"
#include "tests/runner/samples.h"
#include "tests/runner/scalar_writer.h"

namespace fuseline::testing {
namespace {

enum class Of : uint8_t { any, number, integer };

/// An expression over `a: t[n, m]`, or a body in braces; `$` is a literal of the type.
struct Use {
    const char* name;  ///< of the built-in; "slice" and "update" beside them
    const char* text;
    Of of = Of::any;
};

constexpr Use kUses[] = {
    {"shape", "zeros(shape(a))"},
    {"dtype", "ones(n, dtype=dtype(a))"},
    {"zeros", "zeros((n, 2, m), dtype=t)"},
    {"ones", "ones((m, n), dtype=t)"},
    {"full", "full((n, m), $, dtype=t)"},
    {"zeros_like", "zeros_like(a)"},
    {"ones_like", "ones_like(a)"},
    {"full_like", "full_like(a, $)"},
    {"iota", "iota(m)[::-1]"},
    {"arange", "arange(n)[:, newaxis] * arange(2, m + 2)"},
    {"arange", "arange(3, 3 + 2*n, 2)"},
    {"linspace", "linspace(-1, 1, m)"},
    {"linspace", "linspace(0, n, 17, endpoint=false)"},
    {"eye", "eye(n, m, 1)"},
    {"eye", "eye(n, m, -1, dtype=t)"},
    {"broadcast_to", "broadcast_to(a, (3, n, m))"},
    {"broadcast_to", "broadcast_to(a[:, newaxis], (n, 2, m))"},
    {"matmul", "matmul(a, a.T)", Of::integer},
    {"dot", "dot(a.T, a)", Of::integer},
    {"outer", "outer(reshape(a, -1), reshape(a, -1))", Of::number},
    {"reduce", "reduce(larger, 0, a * a, axis=0)", Of::integer},
    {"reduce", "reduce(larger, 0, a.T * a.T, axis=0, keepdims=true)", Of::integer},
    {"reshape", "reshape(a, (m, n))"},
    {"reshape", "reshape(a, -1)"},
    {"reshape", "reshape(a.T, (1, n, m, 1))"},
    {"reshape", "reshape(reshape(a, -1)[::-1], (n, m)).T"},
    {"transpose", "transpose(a)"},
    {"transpose", "transpose(a[:, newaxis], (2, 0, 1))"},
    {"swapaxes", "swapaxes(a, 0, -1)"},
    {"flip", "flip(a)"},
    {"flip", "flip(a, 1)"},
    {"squeeze", "squeeze(a[newaxis, :, newaxis])"},
    {"squeeze", "squeeze(a[:, newaxis], axis=1)"},
    {"diagonal", "diagonal(a)"},
    {"diagonal", "diagonal(a, 1)"},
    {"diagonal", "diagonal(a, -1, 1, 0)"},
    {"triu", "triu(a)"},
    {"triu", "triu(a, -2)"},
    {"tril", "tril(a)"},
    {"tril", "tril(a, 1)"},
    {"concat", "concat([a, a[::-1]])"},
    {"concat", "concat([a[:, ::2], a, a[:, 1:]], axis=1)"},
    {"concat", "concat([a[:1], flip(a), a, a[1:]])[::3]"},
    {"stack", "stack([a, flip(a)])"},
    {"stack", "stack([a, a[::-1], a], axis=-1)"},
    {"stack", "stack([a.T, a[:, ::-1].T], axis=1)"},
    {"split", "{ (u, v) = split(a, [1])\n    return concat([v, u]) }"},
    {"split", "{ (u, v, w) = split(a, (1, 2), axis=1)\n    return concat([w, u, v], axis=1) }"},
    {"split", "{ (u, v) = split(concat([a, a]), 2)\n    return flip(v) }"},
    {"repeat", "repeat(a, 3)"},
    {"repeat", "repeat(a, 2, axis=0)"},
    {"repeat", "repeat(a.T, 3, axis=1)[1:]"},
    {"tile", "tile(a, 3)"},
    {"tile", "tile(a, (3, 2))"},
    {"tile", "tile(a.T, (2, 1, 2))"},
    {"pad", "pad(a, 2)"},
    {"pad", "pad(a, ((1, 0), (0, 3)), constant_values=$)"},
    {"pad", "pad(a, 3, \"edge\")"},
    {"pad", "pad(a, ((4, 1), (0, 9)), mode=\"wrap\")"},
    {"pad", "pad(a, ((3, 5), (2, 0)), mode=\"reflect\")"},
    {"pad", "pad(pad(a, 1), 1)[1:-1, ::2]"},
    {"roll", "roll(a, 2)"},
    {"roll", "roll(a, -1, axis=0)"},
    {"roll", "roll(a.T, 5, axis=0)"},
    {"shift", "shift(a, 1, axis=0)"},
    {"shift", "shift(a, -2, axis=1, fill=$)"},
    {"shift", "shift(shift(a, 1, axis=1), -1, axis=1)"},
    {"slice", "a[1:-1, ::-1]"},
    {"slice", "a[::-2, 1::3]"},
    {"slice", "a[-3:, :2]"},
    {"slice", "a[..., ::2][::-1]"},
    {"slice", "a[5:1:-2, newaxis]"},
    {"slice", "a[n // 2:, :m // 2]"},
    {"slice", "a[0]"},
    {"slice", "a[:, -1]"},
    {"slice", "a[n - 1, ::-3]"},
    {"update", "{ a[1:] = a[:-1]\n    return a }"},
    {"update", "{ a[:-1] = a[1:]\n    return a }"},
    {"update", "{ a[::-1] = a\n    return a }"},
    {"update", "{ a[:, ::2] = $\n    return a }"},
    {"update", "{ a[:, 0] = a[:, -1]\n    a[0] = $\n    return a }"},
    {"update", "{ a[1:-1, 1:-1] += a[:-2, 1:-1] + a[2:, 1:-1]\n    return a }", Of::number},
    {"update", "{ a[::2] *= 2\n    a[1::2] -= a[1::2]\n    return a }", Of::number},
    {"update", "{ b = a\n    a[:, ::-2] = b[:, ::-2][::-1]\n    return where(a == b, a, b) }"},
    {"update", "{ a[n // 2:] = flip(a[n // 2:])\n    return pad(a, 1) }"},
    {"update", "{ b = a.T\n    b[2:] = $\n    a[:, :2] = b[:2].T\n    return a }"},
    {"update", "{ for i in 1..n {\n        a[i] = a[i - 1]\n    }\n    return a }"},
    {"update", "{ for i in 0..m {\n        a[:, i] += a[:, m - 1 - i]\n    }\n    return a }", Of::number},
    {"update", "{ a[a == a[::-1]] = $\n    return a }"},
};

/// Tested with the operators: it is one, spelt as a function.
constexpr std::string_view kElsewhere[] = {"bitcast"};

const std::vector<std::vector<int64_t>>& sizes_of_calls() {
    static const std::vector<std::vector<int64_t>> all = {{1, 1, 1},  {1, 3, 1},  {3, 1, 1}, {2, 3, 1},
                                                          {0, 0, 1},  {0, 3, 1},  {3, 0, 1}, {4, 4, 1},
                                                          {7, 11, 1}, {37, 67, 1}};
    return all;
}

bool takes(DType dtype, Of of) {
    return of == Of::any || (of == Of::number ? !is_bool(dtype) : !is_bool(dtype) && !is_float(dtype));
}

std::string with_literal(std::string text, DType dtype) {
    for (size_t at = text.find('$'); at != std::string::npos; at = text.find('$'))
        text.replace(at, 1, is_bool(dtype) ? "true" : "3");
    return text;
}

/// A slice of two axes: steps of either sign, bounds of either kind.
std::string random_slice(Random& random) {
    constexpr const char* kBounds[] = {"", "", "0", "1", "2", "5", "-1", "-3", "40"};
    constexpr const char* kSteps[] = {"", ":", ":1", ":2", ":3", ":7", ":-1", ":-2", ":-5"};
    std::string text;
    for (int axis = 0; axis < 2; ++axis) {
        if (axis == 1) text += chance(random, 4) ? ", newaxis, " : ", ";
        text +=
            fmt::format("{}:{}{}", kBounds[pick(random, std::size(kBounds))],
                        kBounds[pick(random, std::size(kBounds))], kSteps[pick(random, std::size(kSteps))]);
    }
    return text;
}

ArrayCase made(const Use& use, DType dtype, const std::string& title, Random& random) {
    const Layout& layout = layouts()[pick(random, layouts().size())];
    const Layout::Form& form = layout.of_rank(2);
    std::string text = with_literal(use.text, dtype);
    ArrayCase test;
    if (std::string_view(use.text).find("larger") != std::string_view::npos)
        test.program = "elemental fn larger(u, v) = u if u > v else v\n";
    const bool body = text.front() == '{';
    if (!body && chance(random, 3)) text = fmt::format("flip({})", text);
    test.title = fmt::format("{}, {}: {}", title, layout.name, text);
    std::replace(test.title.begin(), test.title.end(), '\n', ';');
    test.program += fmt::format("fn viewed(a: t[n, m]) {}{}\nfn f(x: {}{}) = viewed({})\n", body ? "" : "= ",
                                text, name(dtype), form.shape, form.expression);
    for (const std::vector<int64_t>& sizes : sizes_of_calls()) {
        NamedArrays arguments;
        arguments.emplace_back("x", random_array(dtype, extents_of(form.shape, sizes), {-20, 20}, 6, random));
        test.calls.push_back(std::move(arguments));
    }
    return test;
}

/// A function of the table without a case is a fault of this file.
void expect_all() {
    for (const dsl::Builtin& b : dsl::builtin_table()) {
        const auto known = [&](std::string_view name) { return name == b.name; };
        const bool used =
            std::any_of(std::begin(kUses), std::end(kUses), [&](const Use& u) { return known(u.name); });
        if (!used && std::none_of(std::begin(kElsewhere), std::end(kElsewhere), known))
            throw UserError(fmt::format("view_cases.cpp has no case of {}", b.name));
    }
}

}  // namespace

std::vector<ArrayCase> view_cases(const Sample& sample, const std::string& filter) {
    expect_all();
    std::vector<ArrayCase> all;
    const auto add = [&](const Use& use, DType dtype, const std::string& title) {
        if (!takes(dtype, use.of) || title.find(filter) == std::string::npos || !sample.takes(title)) return;
        Random random(hash128(fmt::format("{} {}", sample.seed, title)).low);
        all.push_back(made(use, dtype, title, random));
    };
    for (const DType dtype : built_types()) {
        for (size_t k = 0; k < std::size(kUses); ++k)
            add(kUses[k], dtype, fmt::format("{} {} {}", kUses[k].name, name(dtype), k));
        for (size_t k = 0; k < 6; ++k) {
            Random random(hash128(fmt::format("slice {} {} {}", sample.seed, name(dtype), k)).low);
            const std::string slice = random_slice(random);
            const std::string read = fmt::format("a[{}]", slice);
            add({"slice", read.c_str()}, dtype, fmt::format("slice {} random {}", name(dtype), k));
            if (slice.find("newaxis") != std::string::npos) continue;
            const std::string write = fmt::format("{{ a[{}] = flip(a)[{}]\n    return a }}", slice, slice);
            add({"update", write.c_str()}, dtype, fmt::format("update {} random {}", name(dtype), k));
        }
    }
    return all;
}

}  // namespace fuseline::testing
