// `fuseline opt FILE`: passes alone on a text file of the IR.
#include <iostream>
#include <sstream>

#include "cli/commands.h"
#include "cli/common.h"
#include "compiler/pipeline/opt.h"
#include "compiler/support/diagnostics.h"
#include "runtime/io/program_file.h"

namespace fuseline::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  fuseline dump prices.dsl --stage graph > prices.ir\n"
    "  fuseline opt prices.ir --pass simplify --pass dce\n"
    "  fuseline opt prices.ir                                  only verify and print\n"
    "  fuseline ops --passes                                   the passes";

int opt(const std::string& file, const std::vector<std::string>& passes) {
    as_usage([&] { check_pass_names(passes); });
    SourceMap sources;
    const size_t index = sources.add(file, read_program(file));
    try {
        std::cout << run_opt(sources, index, passes, Target{});
    } catch (const UserError& e) {
        std::cerr << render(e.diagnostics(), sources);
        return kUserError;
    }
    return kOk;
}

}  // namespace

void add_opt(CLI::App& app, Chosen& chosen) {
    struct Arguments {
        std::string file;
        std::vector<std::string> passes;
    };
    auto a = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("opt", "Run passes on a text file of graphs, kernels or plans");
    command->footer(kFooter);
    command->add_option("file", a->file, "A file of functions in text form")->required();
    command->add_option("--pass", a->passes, "A pass to run; in order, may be repeated")
        ->expected(1)
        ->take_all();
    command->callback([a, &chosen] { chosen = [a] { return opt(a->file, a->passes); }; });
}

}  // namespace fuseline::cli
