// What several subcommands share: device and option flags, key=value arguments, dumping.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "compiler/support/diagnostics.h"
#include "fuseline/fuseline.h"

namespace fuseline {
struct Entry;
}

namespace fuseline::cli {

/// --device, --threads, --option, --no-fuse, --disable-pass.
struct DeviceFlags {
    std::string device = "auto";
    std::string threads;
    std::vector<std::string> options;
    std::vector<std::string> disabled_passes;
    bool no_fuse = false;

    void add(CLI::App& app);
    /// Throws UsageError for a wrong number of threads, an --option that is neither NAME nor NAME=true|false,
    /// or a pass that cannot be left out.
    Settings settings() const;
};

/// Calls `body`; what it finds wrong is a name on the command line, so it ends as UsageError.
template <class Body>
decltype(auto) as_usage(Body&& body) {
    try {
        return std::forward<Body>(body)();
    } catch (const UserError& e) {
        throw UsageError(render(e.diagnostics(), SourceMap()));
    } catch (const Error& e) {
        if (e.kind() != Error::Kind::user) throw;
        throw UsageError(e.what());
    }
}

/// Throws UsageError for an unknown device or option, Error for a device that is not there.
Session open_session(const Settings& settings);

/// The entry function that --fn names. Throws UsageError, with a suggestion, for a name that is none.
const Entry& chosen_entry(const Module& module, const std::string& name);

/// "name=value" taken apart. Throws UsageError that names the flag.
std::pair<std::string, std::string> key_value(const std::string& flag, const std::string& text);

/// "there is no pass `x`; did you mean `y`?", or all names where none is near.
std::string no_such(const std::string& one, const std::string& many, const std::string& name,
                    const std::vector<std::string>& names);

/// The stages of `dump` in order.
const std::vector<std::string>& stages();
/// Throws UsageError, with a suggestion, for a name that is none.
void test_stage(const std::string& stage);

/// What is dumped: the file, and its checked program when a stage first asks for it.
struct DumpSource {
    std::string path;
    std::function<Module()> module;
    std::string function = {};  ///< one entry, or "" for all entries and the script
};

/// Writes each stage of a comma-separated list to standard output, or to DIR/<stage>.<ending> where a folder
/// is given.
void dump_stages(const DumpSource& source, const std::string& list, const std::string& folder);

/// What --stats prints.
std::string stats_table(const Report& report);
std::string stats_json(const Report& report);

}  // namespace fuseline::cli
