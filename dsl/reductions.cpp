// The table of reductions, and how a call becomes one of them.
#include "dsl/reductions.h"

#include <fmt/format.h>

#include <algorithm>

namespace fuseline::dsl {

// reduction_kinds.cpp
std::optional<ir::ValueId> build_fold(ReductionCall& r);
std::optional<ir::ValueId> build_mean(ReductionCall& r);
std::optional<ir::ValueId> build_var(ReductionCall& r);
std::optional<ir::ValueId> build_std(ReductionCall& r);
std::optional<ir::ValueId> build_arg(ReductionCall& r);
std::optional<ir::ValueId> build_logsumexp(ReductionCall& r);

namespace {

Value run_row(Checker& c, const Reduction& row, Slots& slots, const Call& call) {
    auto r = read_reduction(c, row, slots, call);
    if (!r) return {};
    const auto result = row.build(*r);
    if (!result) return {};
    return Value(TypedValue{r->keepdims ? with_unit_axes(c, *result, r->axes) : *result});
}

#define REDUCTION(name, ...) Value run_##name(Checker& c, Slots& slots, const Call& call);
#include "dsl/reduction_table.def"
#undef REDUCTION

constexpr Reduction kReductions[] = {
#define REDUCTION(name, keywords, types, identity, combine, empty, build, doc) \
    {{#name, "a, *, " keywords, run_##name, false, true, doc},                 \
     keywords,                                                                 \
     ReductionTypes::types,                                                    \
     ReductionIdentity::identity,                                              \
     OpId::combine##_,                                                         \
     ReductionEmpty::empty,                                                    \
     build_##build},
#include "dsl/reduction_table.def"
#undef REDUCTION
};

#define REDUCTION(name, ...)                                       \
    Value run_##name(Checker& c, Slots& slots, const Call& call) { \
        return run_row(c, *find_reduction(#name), slots, call);    \
    }
#include "dsl/reduction_table.def"
#undef REDUCTION

std::string_view types_text(ReductionTypes types) {
    switch (types) {
        case ReductionTypes::widened: return "bools and signed integers give i64, unsigned u64";
        case ReductionTypes::floating: return "bools and integers give f64";
        case ReductionTypes::same: return "the array's";
        case ReductionTypes::boolean: return "bool";
        case ReductionTypes::count:
        case ReductionTypes::index: return "i64";
    }
    return "";
}

std::string_view empty_text(const Reduction& row) {
    switch (row.empty) {
        case ReductionEmpty::nan: return "NaN";
        case ReductionEmpty::minus_infinity: return "-inf";
        case ReductionEmpty::error: return "an error";
        case ReductionEmpty::identity: break;
    }
    switch (row.identity) {
        case ReductionIdentity::zero: return "0";
        case ReductionIdentity::one: return "1";
        case ReductionIdentity::no: return "false";
        case ReductionIdentity::yes: return "true";
        default: return "";
    }
}

}  // namespace

std::span<const Reduction> reduction_table() { return kReductions; }

const Reduction* find_reduction(std::string_view name) {
    const auto* at = std::find_if(std::begin(kReductions), std::end(kReductions),
                                  [&](const Reduction& r) { return r.builtin.name == name; });
    return at == std::end(kReductions) ? nullptr : at;
}

const Builtin* reduction_of(OpId op, const Call& call) {
    const auto first = parameter_list(row(op).parameters);
    size_t operands = 0;
    for (const Argument& a : call.arguments) {
        const bool named = std::find(first.begin(), first.end(), a.name) != first.end();
        operands += a.name.empty() || named ? 1 : 0;
    }
    const Reduction* r = operands == 1 ? find_reduction(name(op)) : nullptr;
    return r ? &r->builtin : nullptr;
}

std::string reductions_markdown() {
    std::string text =
        "\n## Reductions\n\n"
        "Generated from `dsl/reduction_table.def`. The array comes first, by position; the other arguments\n"
        "are named. `axis` is an integer, a tuple of integers or `none` for all axes; negative axes count\n"
        "from the last. `initial` takes part in each result; `where` selects the elements that do.\n"
        "`accumulate` is `\"f64\"` or `\"kahan\"`; without it sums of f16, bf16 and f32 are formed in f32.\n"
        "A reduction that gives an error over nothing gives none with `initial`.\n\n"
        "| reduction | meaning | type of the result | over nothing |\n|---|---|---|---|\n";
    for (const Reduction& r : kReductions) {
        text += fmt::format("| `{}(a, {})` | {} | {} | {} |\n", r.builtin.name, r.keywords, r.builtin.doc,
                            types_text(r.types), empty_text(r));
    }
    return text;
}

}  // namespace fuseline::dsl
