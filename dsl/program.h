// A checked program: the graphs of its entries, its parameters and the steps of its script.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/options.h"
#include "compiler/support/source.h"

namespace fuseline {

/// A parameter of an entry, in the order of the graph's body parameters. `type` lives in the graph's extent
/// pool.
struct EntryParameter {
    std::string name;
    ir::Type type;
    bool has_default = false;
    Scalar default_value;
    Span span;
};

/// A function whose parameters all have types. How the sizes of its graph (extent symbols) are bound at a
/// call: an integer rank-0 parameter named like a symbol gives that size (tested >= 0); then a dimension that
/// is a plain name; then a dimension c*n + d with one unknown is solved exactly; every other dimension is
/// tested.
struct Entry {
    std::string name;
    ir::Function graph;  ///< result_names: the names of the signature, or "result"
    std::vector<EntryParameter> parameters;
    Span span;
};

/// `param rate: f32 = 0.02`: a scalar that `--set rate=..` gives. Integer ones are sizes of the script too.
struct Param {
    std::string name;
    DType dtype{};
    Scalar default_value;
    Span span;
    uint32_t variable = 0;  ///< its place in Script::variables
};

/// A value that lives between steps. `type` lives in Script::extents.
struct ScriptVariable {
    std::string name;  ///< "" for a temporary (an argument of `print`)
    ir::Type type;
    Span span;
};

/// What a step takes: a variable, a typed literal, a size (over the script's sizes) or a text.
struct ScriptValue {
    struct Variable {
        uint32_t index;
    };
    struct Literal {
        DType dtype;
        Scalar value;
    };
    struct Size {
        ExtentId extent;
    };
    std::variant<Variable, Literal, Size, std::string> value;
    Span span;
};

/// Runs a graph: one argument for each body parameter, one variable for each result.
struct ComputeStep {
    ir::Function graph;
    std::vector<ScriptValue> arguments;
    std::vector<uint32_t> results;
};

/// Reads a file into `variable`, whose declared dimensions bind sizes that are not bound yet and test the
/// rest. `key`: member of an .npz or column of a .csv, "" when not given; `columns`: of a .csv.
struct LoadStep {
    uint32_t variable = 0;
    std::string path;  ///< relative to the script's file
    std::string key;
    std::vector<std::string> columns;
};

struct PrintStep {
    std::vector<ScriptValue> values;
};

struct SaveStep {
    std::string path;
    ScriptValue value;
};

struct ShowStep {
    std::string path;
    ScriptValue value;
    std::string colormap;
};

/// The value is a bool scalar; false stops the script with the message at the step's span.
struct AssertStep {
    ScriptValue value;
    std::string message;
};

/// A relation of sizes that must hold before the next step.
struct CheckStep {
    ir::Check check;  ///< over Script::extents
};

struct ScriptStep {
    std::variant<ComputeStep, LoadStep, PrintStep, SaveStep, ShowStep, AssertStep, CheckStep> action;
    Span span;
};

/// The top-level statements in order. Sizes (symbols of `extents`) are bound by integer params (before the
/// first step) and by loads; a script's graphs bind theirs as entries do, every size they use being bound by
/// an argument.
struct Script {
    ExtentPool extents;
    std::vector<ScriptVariable> variables;
    std::vector<ScriptStep> steps;
    bool empty() const { return steps.empty(); }
};

struct Program {
    std::vector<Entry> entries;  ///< in order of definition, those of imported files after the file's own
    std::vector<Param> params;
    Script script;
    Options options;
    const Entry* entry(std::string_view name) const;
};

/// Text of the file at a path (the importing file's folder joined with the path that was written,
/// normalised); nullopt where there is none. What it throws as UserError becomes a message at the import.
using ImportReader = std::function<std::optional<std::string>(const std::string& path)>;

/// Options by name that win over the file's `option` statements.
using OptionOverrides = std::vector<std::pair<std::string, bool>>;

/// Parses and checks a file with its imports and the prelude. Faults go to `diagnostics`, all of a file in
/// one run; entries that are wrong are left out, a script with a fault has no steps.
Program check_program(SourceMap& sources, const std::string& path, std::string text,
                      const ImportReader& reader, Diagnostics& diagnostics,
                      const OptionOverrides& overrides = {});

/// The names that are always there: elementwise operators, built-in functions and the functions of the
/// prelude, sorted.
std::vector<std::string> builtin_names();

}  // namespace fuseline
