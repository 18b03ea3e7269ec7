// The built-in functions that are no elementwise operators: rows of name, parameters and handler.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/checker.h"

namespace fuseline::dsl {

/// Arguments of a built-in, one slot a parameter; those of optional parameters may be empty.
using Slots = std::vector<std::optional<Argument>>;

struct Builtin {
    std::string_view name;
    std::string_view
        parameters;  ///< NumPy's names in NumPy's order; "?" after an optional one: "shape, dtype?"
    Value (*run)(Checker&, Slots&, const Call&);
    bool lists;            ///< an argument may be a list in brackets, which comes as a tuple
    bool scalar;           ///< may be called in elemental functions
    std::string_view doc;  ///< one line for docs/operators.md
};

struct Feature {
    std::string_view name;
    std::string_view what;
    bool hideable;
};

std::span<const Builtin> builtin_table();
const Builtin* find_builtin(std::string_view name);
std::span<const Feature> feature_table();
const Feature* find_feature(std::string_view name);
/// `print`, `save`, `show`, `load`: statements of a script.
bool is_script_function(std::string_view name);
/// An elementwise operator that is called like a function.
std::optional<OpId> elementwise_function(std::string_view name);
/// pi, e, inf, nan.
std::optional<double> named_constant(std::string_view name);

/// "a built-in function", "an element type": what a name is that no function may have; nullopt when it is
/// free.
std::optional<std::string_view> builtin_kind(std::string_view name);

/// Names with commas and marks as the rows spell them: "?" after an optional one (a default, "axis=none",
/// becomes the mark), and "*" before those that are given by name alone.
std::vector<std::string> parameter_list(std::string_view parameters);

/// The table of built-in functions for docs/operators.md.
std::string builtins_markdown();

/// Sorts arguments into the slots of named parameters. False after a report.
bool match_slots(Checker& c, const Call& call, std::vector<std::string> parameters, Slots& slots);

}  // namespace fuseline::dsl
