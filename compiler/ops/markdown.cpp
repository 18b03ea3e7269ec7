// Prints docs/operators.md from the table.
#include <fmt/format.h>

#include "compiler/ops/op_table.h"

namespace fuseline {
namespace {

/// "|" would end a cell of a Markdown table.
std::string escaped(std::string_view text) {
    std::string out;
    for (char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

std::string code(std::string_view text) { return text.empty() ? "" : "`" + escaped(text) + "`"; }

std::string spelled(const OpRow& r) {
    if (r.fixity == Fixity::infix) return code(fmt::format("x {} y", r.spelling));
    if (r.fixity == Fixity::prefix) {
        return code(fmt::format("{}{}x", r.spelling, r.spelling.size() > 1 ? " " : ""));
    }
    return code(fmt::format("{}({})", r.name, r.parameters));
}

std::string_view types(const OpRow& r) {
    const bool bools = !r.cuda.boolean.empty();
    switch (r.rule) {
        case TypeRule::arithmetic:
        case TypeRule::power: return "numbers; the promoted type";
        case TypeRule::number: return bools ? "any; the promoted type" : "numbers; the promoted type";
        case TypeRule::true_divide: return "numbers; integers give f64";
        case TypeRule::bitwise: return bools ? "bools, integers" : "integers";
        case TypeRule::shift: return "integers; the left type";
        case TypeRule::comparison:
        case TypeRule::equality: return "any; bool";
        case TypeRule::logical: return "bools";
        case TypeRule::float_function: return "floats; others give f64";
        case TypeRule::predicate: return "any; bool";
        case TypeRule::select: return "bool, any, any; the promoted type";
        case TypeRule::cast: return "any; the named type";
        case TypeRule::contraction: return "numbers";
    }
    return "";
}

std::string bounds(const OpRow& r) {
    if (!r.has(kBuilt)) return "";
    if (r.has(kExact)) return "exact";
    const UlpBound& u = r.ulp;
    return fmt::format("{}, {}; {}, {}", u.cpu_f32, u.cpu_f64, u.cuda_f32, u.cuda_f64);
}

std::string line(const OpRow& r) {
    // A contraction has a node of its own, so its row has no cells that could be built.
    const bool built = r.has(kBuilt) || r.rule == TypeRule::contraction;
    return fmt::format("| {} | {} | {}{} | {} | {} | {} |\n", r.name, spelled(r), built ? "" : "*Not yet.* ",
                       escaped(r.doc), types(r), bounds(r), code(r.derivative));
}

constexpr std::string_view kIntroduction =
    R"(<!-- Generated from compiler/ops/op_table.def by `./dev docs`: do not edit. -->
# Elementwise operators and functions

Each row is one row of `compiler/ops/op_table.def`. *Not yet* marks what the language has and this version
answers with an error. A function's parameter names are NumPy's where NumPy has the function.

**Error** is the largest distance from the exact value in units in the last place: f32, f64 on the CPU;
f32, f64 on CUDA. *exact* means the same bits on every back end: the correctly rounded result, or the one
that section 7 of `language.md` defines. Bounds of the CPU are measured against MPFR by the tests; those of
CUDA are of CUDA's device functions, from the tables of standard functions in NVIDIA's CUDA C++ Programming
Guide, which state the distance from the correctly rounded result: half an ulp is added here. `digamma`,
which CUDA lacks, is measured on the host. The bounds of `lgamma` and `digamma` do not hold near their zeros
below 0. Functions of f16 and bf16 are those of f32, rounded once more: half an ulp of theirs, and the bound
of f32 divided by 8 192 or 65 536. The reference interpreter computes a function of f32 in f64, and one of
f64 in `long double`, and rounds once.

**Derivatives** are by operand over the operands x, y, z and the result r, separated by `;`.

)";

}  // namespace

std::string operators_markdown() {
    std::string text(kIntroduction);
    for (Fixity fixity : {Fixity::infix, Fixity::prefix, Fixity::function}) {
        text += fixity == Fixity::infix    ? "## Infix operators, by row\n\n"
                : fixity == Fixity::prefix ? "\n## Prefix operators\n\n"
                                           : "\n## Functions\n\n";
        text +=
            "| name | spelling | meaning | types | error (ulp) | derivatives |\n|---|---|---|---|---|---|\n";
        for (size_t i = 0; i < op_count(); ++i) {
            const OpRow& r = row(static_cast<OpId>(i));
            if (r.fixity == fixity) text += line(r);
        }
    }
    return text;
}

}  // namespace fuseline
