// The pass table: named functions from one graph to another, verified, switchable and dumpable by name.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/target.h"

namespace fuseline {

/// A decision of the compiler with its reason and numbers, for `explain` and tests.
struct Remark {
    std::string pass;     ///< "fuse", "schedule"
    Span span;            ///< the consumer or the node decided upon
    std::string subject;  ///< "edge %a -> %b", "group of 14 nodes"
    std::string reason;   ///< "different domains: [n] and [m]"
};

struct PassContext {
    const Target& target;
    const Options& options;
    std::vector<Remark>& remarks;
};

/// Gives a new function, or nullopt for "unchanged".
using PassFunction = std::optional<ir::Function> (*)(const ir::Function&, PassContext&);

struct PassRow {
    std::string_view name;
    ir::Form form;
    PassFunction run;
    std::string_view doc;
    bool required;  ///< cannot be switched off by --disable-pass
};

/// In the order of running; rows of pass_table.def.
std::span<const PassRow> pass_table();
const PassRow* pass_named(std::string_view name);

/// What to run and whom to tell.
struct PassSettings {
    std::vector<std::string> disabled;                                           ///< pass names
    bool verify = true;                                                          ///< after each pass
    std::function<void(std::string_view pass, const ir::Function&)> after_pass;  ///< for dumps
};

/// Throws UserError, with a suggestion, for a name that is no pass or of one that is required.
void check_disabled(const std::vector<std::string>& disabled);

/// Runs the whole table on a graph; as check_disabled for the settings' names.
ir::Function run_passes(ir::Function graph, PassContext& context, const PassSettings& settings);

/// docs/passes.md, generated.
std::string passes_markdown();

}  // namespace fuseline
