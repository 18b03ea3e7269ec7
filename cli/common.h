// What several subcommands share: device and option flags, key=value arguments, dumping.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "fuseline/fuseline.h"

namespace fuseline::cli {

/// --device, --threads, --option, --disable-pass.
struct DeviceFlags {
    std::string device = "auto";
    int threads = 0;
    std::vector<std::string> options;
    std::vector<std::string> disabled_passes;

    void add(CLI::App& app);
    /// Throws UsageError for an --option that is neither NAME nor NAME=true|false.
    Settings settings() const;
};

/// "name=value" taken apart. Throws UsageError that names the flag.
std::pair<std::string, std::string> key_value(const std::string& flag, const std::string& text);

/// The stages of `dump` in order.
const std::vector<std::string>& stages();
/// Throws UsageError, with a suggestion, for a name that is none.
void test_stage(const std::string& stage);

/// The text of a stage for a whole module, or for one entry of it (`function` not empty).
std::string stage_text(const Module& module, const std::string& function, const std::string& stage);

/// Writes each stage of a comma-separated list to standard output, or to DIR/<stage>.<ending> where a folder
/// is given.
void dump_stages(const Module& module, const std::string& function, const std::string& list,
                 const std::string& folder);

/// What --stats prints.
std::string stats_table(const Report& report);
std::string stats_json(const Report& report);

}  // namespace fuseline::cli
