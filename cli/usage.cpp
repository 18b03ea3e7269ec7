// What is wrong with a command line: the word that nothing knows, and what is near it.
#include <algorithm>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/common.h"
#include "compiler/support/diagnostics.h"

namespace fuseline::cli {
namespace {

std::string no_option(const CLI::App& app, const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& own : option->get_lnames()) names.push_back("--" + own);
    }
    const std::string near = nearest_name(name, names);
    return near.empty() ? fmt::format("there is no option `{}`", name)
                        : fmt::format("there is no option `{}`; did you mean `{}`?", name, near);
}

std::vector<std::string> subcommands(CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

/// The words that the command did not take: an option where there is one, as what follows may be its value.
std::string first_unknown(const CLI::App& app) {
    const std::vector<std::string> words = app.remaining();
    const auto option =
        std::find_if(words.begin(), words.end(), [](const std::string& w) { return w.starts_with('-'); });
    if (option != words.end()) return *option;
    return words.empty() ? "" : words.front();
}

std::string fault_text(CLI::App& app, const CLI::ParseError& e) {
    const std::vector<CLI::App*> given = app.get_subcommands();
    const std::string first = first_unknown(app);
    if (first.starts_with('-')) return no_option(app, first);
    if (!first.empty()) return no_such("subcommand", "subcommands", first, subcommands(app));
    if (given.empty()) {
        const bool missing = dynamic_cast<const CLI::RequiredError*>(&e) != nullptr;
        return missing ? fmt::format("a subcommand is required: {}", fmt::join(subcommands(app), ", "))
                       : e.what();
    }
    const std::string word = first_unknown(*given.front());
    if (word.starts_with('-')) return no_option(*given.front(), word);
    return word.empty() ? e.what() : fmt::format("`{}` is one argument too many", word);
}

}  // namespace

std::string usage_fault(CLI::App& app, const CLI::ParseError& e) {
    return fault_text(app, e) + "\nRun with --help for more information.";
}

}  // namespace fuseline::cli
