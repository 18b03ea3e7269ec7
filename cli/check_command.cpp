// `fuseline check FILE`: all messages of a file, as text or JSON.
#include <iostream>

#include "cli/commands.h"
#include "compiler/support/diagnostics.h"
#include "dsl/program.h"
#include "runtime/io/program_file.h"

namespace fuseline::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  fuseline check prices.dsl\n"
    "  fuseline check prices.dsl --json      a JSON array on standard output";

int check(const std::string& file, bool json) {
    SourceMap sources;
    Diagnostics diagnostics;
    bool unreadable = false;
    std::vector<Diagnostic> messages;
    try {
        check_program(sources, file, read_program(file), read_imported, diagnostics);
        messages = diagnostics.sorted();
    } catch (const UserError& e) {
        unreadable = true;
        messages = e.diagnostics();
    }
    if (json) {
        std::cout << render_json(messages, sources) << '\n';
    } else {
        std::cerr << render(messages, sources);
    }
    return unreadable || diagnostics.has_errors() ? kUserError : kOk;
}

}  // namespace

void add_check(CLI::App& app, Chosen& chosen) {
    struct Arguments {
        std::string file;
        bool json = false;
    };
    auto a = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("check", "Report a file's errors without running it");
    command->footer(kFooter);
    command->add_option("file", a->file, "A .dsl file")->required();
    command->add_flag("--json", a->json, "Messages as a JSON array on standard output");
    command->callback([a, &chosen] { chosen = [a] { return check(a->file, a->json); }; });
}

}  // namespace fuseline::cli
