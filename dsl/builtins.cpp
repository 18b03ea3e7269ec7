// Tables of built-in names, and what a name is.
#include "dsl/builtins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "compiler/ops/op_table.h"
#include "dsl/creation.h"
#include "dsl/program.h"

namespace fuseline::dsl {

namespace {

constexpr Builtin kBuiltins[] = {
    {"shape", "a", run_shape},
    {"dtype", "a", run_dtype},
    {"zeros", "shape, dtype?", run_zeros},
    {"ones", "shape, dtype?", run_ones},
    {"full", "shape, fill_value, dtype?", run_full},
    {"zeros_like", "a, dtype?", run_zeros_like},
    {"ones_like", "a, dtype?", run_ones_like},
    {"full_like", "a, fill_value, dtype?", run_full_like},
    {"iota", "n", run_iota},
    {"arange", "start, stop?, step?, dtype?", run_arange},
    {"linspace", "start, stop, num?, endpoint?, dtype?", run_linspace},
    {"eye", "N, M?, k?, dtype?", run_eye},
    {"broadcast_to", "array, shape", run_broadcast_to},
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
const Builtin* find_builtin(std::string_view name) { return find_row(kBuiltins, name); }
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

}  // namespace fuseline::dsl
