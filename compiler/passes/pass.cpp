// The pass table and the loop that runs it.
#include "compiler/passes/pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/passes/passes.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

constexpr PassRow kPassTable[] = {
#define PASS(name, form, required, doc) {#name, ir::Form::form, pass_##name, doc, required},
#include "compiler/passes/pass_table.def"
#undef PASS
};

}  // namespace

std::span<const PassRow> pass_table() { return kPassTable; }

const PassRow* pass_named(std::string_view name) {
    const auto* found = std::ranges::find(kPassTable, name, &PassRow::name);
    return found == std::end(kPassTable) ? nullptr : found;
}

void check_disabled(const std::vector<std::string>& disabled) {
    for (const std::string& name : disabled) {
        const PassRow* row = pass_named(name);
        if (row != nullptr && !row->required) continue;
        if (row != nullptr) throw UserError(fmt::format("the pass `{}` cannot be switched off", name));
        std::vector<std::string> names;
        for (const PassRow& r : kPassTable) names.emplace_back(r.name);
        const std::string near = nearest_name(name, names);
        throw UserError(fmt::format("there is no pass `{}`{}", name,
                                    near.empty() ? "" : "; did you mean `" + near + "`?"));
    }
}

ir::Function run_passes(ir::Function graph, PassContext& context, const PassSettings& settings) {
    check_disabled(settings.disabled);
    for (const PassRow& row : kPassTable) {
        if (std::ranges::find(settings.disabled, row.name) != settings.disabled.end()) continue;
        if (auto changed = row.run(graph, context)) graph = std::move(*changed);
        if (settings.verify) ir::verify_or_throw(graph, row.name);
        if (settings.after_pass) settings.after_pass(row.name, graph);
    }
    return graph;
}

std::string passes_markdown() {
    std::string text =
        "# Passes\n\n"
        "Generated from `compiler/passes/pass_table.def`. A graph runs through them in this order; `fuseline "
        "opt` runs\n"
        "any of them on a text, and `--disable-pass NAME` leaves one out.\n\n"
        "| pass | what it does | may be left out |\n|---|---|---|\n";
    for (const PassRow& row : kPassTable) {
        text += fmt::format("| `{}` | {} | {} |\n", row.name, row.doc, row.required ? "no" : "yes");
    }
    return text;
}

}  // namespace fuseline
