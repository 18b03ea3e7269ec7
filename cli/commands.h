// The subcommands of `fuseline`: each adds itself to the command line and runs when chosen.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace fuseline::cli {

/// Exit codes of the command.
enum ExitCode : int { kOk = 0, kUserError = 1, kUsage = 2, kToolchain = 3, kInternal = 4 };

/// A fault of the command line itself; ends with kUsage.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Adds a subcommand; `chosen` receives what to run when it is the one.
using Chosen = std::function<int()>;
void add_run(CLI::App& app, Chosen& chosen);
void add_check(CLI::App& app, Chosen& chosen);
void add_dump(CLI::App& app, Chosen& chosen);
void add_explain(CLI::App& app, Chosen& chosen);
void add_opt(CLI::App& app, Chosen& chosen);
void add_ops(CLI::App& app, Chosen& chosen);

/// The words for a command line that cannot be parsed, with a suggestion where a name is near.
std::string usage_fault(CLI::App& app, const CLI::ParseError& e);

/// All components with their versions, one a line; what is missing says so.
std::string version_text();

}  // namespace fuseline::cli
