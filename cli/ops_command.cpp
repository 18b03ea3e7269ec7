// `fuseline ops`: the operators, passes and options of this build, from their tables.
#include <iostream>

#include <fmt/format.h>

#include "cli/commands.h"
#include "compiler/ops/op_table.h"
#include "compiler/passes/pass.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/options.h"

namespace fuseline::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  fuseline ops                 every elementwise operator and function\n"
    "  fuseline ops erf             one row, all columns\n"
    "  fuseline ops --passes        the passes in order\n"
    "  fuseline ops --options       the numeric and safety options";

void print_row(const OpRow& r) {
    std::cout << fmt::format("{:<10} {:<5} {}{}\n", r.name, r.spelling, r.doc,
                             r.has(kBuilt) || r.rule == TypeRule::contraction ? "" : " (not yet)");
}

void print_columns(const OpRow& r) {
    print_row(r);
    std::cout << fmt::format("  parameters  {}\n  cuda        {}\n  llvm        {}\n  derivative  {}\n",
                             r.parameters, r.cuda.floating, r.llvm.floating, r.derivative);
    std::cout << fmt::format("  ulp bounds  cpu f32 {}, f64 {}; cuda f32 {}, f64 {}\n", r.ulp.cpu_f32,
                             r.ulp.cpu_f64, r.ulp.cuda_f32, r.ulp.cuda_f64);
}

UsageError no_operator(const std::string& name) {
    std::vector<std::string> names;
    for (size_t i = 0; i < op_count(); ++i) names.emplace_back(row(static_cast<OpId>(i)).name);
    const std::string near = nearest_name(name, names);
    const std::string fix =
        near.empty() ? "`fuseline ops` lists them" : fmt::format("did you mean `{}`?", near);
    return UsageError(fmt::format("there is no operator `{}`; {}", name, fix));
}

int ops(const std::string& name, bool passes, bool options) {
    if (passes) {
        for (const PassRow& p : pass_table()) std::cout << fmt::format("{:<12} {}\n", p.name, p.doc);
    } else if (options) {
        for (const OptionRow& o : kOptionTable)
            std::cout << fmt::format("{:<14} {}{}\n", o.name, o.doc, o.built ? "" : " (not yet)");
    } else if (!name.empty()) {
        const auto op = op_named(name);
        if (!op) throw no_operator(name);
        print_columns(row(*op));
    } else {
        for (size_t i = 0; i < op_count(); ++i) print_row(row(static_cast<OpId>(i)));
    }
    return kOk;
}

}  // namespace

void add_ops(CLI::App& app, Chosen& chosen) {
    struct Arguments {
        std::string name;
        bool passes = false, options = false;
    };
    auto a = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("ops", "List operators, passes and options");
    command->footer(kFooter);
    command->add_option("name", a->name, "Show all columns of one operator");
    command->add_flag("--passes", a->passes, "List the passes");
    command->add_flag("--options", a->options, "List the options");
    command->callback([a, &chosen] { chosen = [a] { return ops(a->name, a->passes, a->options); }; });
}

}  // namespace fuseline::cli
