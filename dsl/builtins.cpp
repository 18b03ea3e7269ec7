// Tables of built-in names, and what a name is.
#include "dsl/builtins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "compiler/ops/op_table.h"
#include "dsl/program.h"
#include "dsl/reductions.h"

namespace fuseline::dsl {

#define BUILTIN(name, ...) Value run_##name(Checker& c, Slots& slots, const Call& call);
#include "dsl/builtin_table.def"
#undef BUILTIN

namespace {

constexpr Builtin kBuiltins[] = {
#define BUILTIN(name, parameters, lists, doc) \
    {#name, parameters, run_##name, (lists) == 1, (lists) == 2, doc},
#include "dsl/builtin_table.def"
#undef BUILTIN
};

constexpr Feature kFeatures[] = {
#define FEATURE(name, what, hideable) {#name, what, (hideable) != 0},
#include "dsl/feature_table.def"
#undef FEATURE
};

struct Constant {
    std::string_view name;
    double value;
};
constexpr Constant kConstants[] = {
    {"pi", std::numbers::pi},
    {"e", std::numbers::e},
    {"inf", std::numeric_limits<double>::infinity()},
    {"nan", std::numeric_limits<double>::quiet_NaN()},
};

constexpr std::string_view kScriptFunctions[] = {"print", "save", "show", "load"};

template <typename Table>
auto find_row(const Table& table, std::string_view name) -> decltype(&table[0]) {
    for (const auto& row : table) {
        if (row.name == name) return &row;
    }
    return nullptr;
}

}  // namespace

std::span<const Builtin> builtin_table() { return kBuiltins; }
const Builtin* find_builtin(std::string_view name) {
    if (const Builtin* b = find_row(kBuiltins, name)) return b;
    // `min` and `max` are elementwise until a call shows one operand.
    const Reduction* r = elementwise_function(name) ? nullptr : find_reduction(name);
    return r ? &r->builtin : nullptr;
}
std::span<const Feature> feature_table() { return kFeatures; }
const Feature* find_feature(std::string_view name) { return find_row(kFeatures, name); }

bool is_script_function(std::string_view name) {
    return std::find(std::begin(kScriptFunctions), std::end(kScriptFunctions), name) !=
           std::end(kScriptFunctions);
}

std::optional<OpId> elementwise_function(std::string_view name) {
    const auto op = op_named(name);
    if (!op || row(*op).fixity != Fixity::function || row(*op).rule == TypeRule::cast) return std::nullopt;
    return op;
}

std::optional<double> named_constant(std::string_view name) {
    const Constant* c = find_row(kConstants, name);
    return c ? std::optional(c->value) : std::nullopt;
}

std::optional<std::string_view> builtin_kind(std::string_view name) {
    if (dtype_named(name)) return "an element type";
    if (is_script_function(name)) return "a statement of scripts";
    const Feature* feature = find_feature(name);
    if (find_builtin(name) || elementwise_function(name) || (feature && !feature->hideable))
        return "a built-in function";
    return std::nullopt;
}

std::string builtins_markdown() {
    std::string text =
        "\n## Functions of arrays\n\n"
        "Generated from `dsl/builtin_table.def`. Arguments in brackets may be left out.\n\n"
        "| function | meaning |\n|---|---|\n";
    for (const Builtin& b : kBuiltins) {
        std::string call, close;
        for (const std::string& p : parameter_list(b.parameters)) {
            const bool optional = p.back() == '?' || p == "*";
            if (optional && close.empty()) {
                call += "[";
                close = "]";
            }
            call += (call.empty() || call == "[" ? "" : ", ") + p.substr(0, p.find('?'));
        }
        text += fmt::format("| `{}({}{})` | {} |\n", b.name, call, close, b.doc);
    }
    return text;
}

}  // namespace fuseline::dsl
