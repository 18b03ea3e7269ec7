// Flags and texts that subcommands share.
#include "cli/common.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands.h"
#include "compiler/support/diagnostics.h"

namespace fuseline::cli {

void DeviceFlags::add(CLI::App& app) {
    app.add_option("--device", device, "auto, cpu, cuda, cuda:N or interpreter (default: auto)");
    app.add_option("--threads", threads, "CPU threads (default: all cores)")->check(CLI::NonNegativeNumber);
    app.add_option("--option", options, "Set a numeric option: NAME or NAME=false")->expected(1)->take_all();
    app.add_option("--disable-pass", disabled_passes, "Leave out an optional pass")->expected(1)->take_all();
}

Settings DeviceFlags::settings() const {
    Settings s;
    s.device = device;
    s.threads = threads;
    s.disabled_passes = disabled_passes;
    for (const std::string& text : options) {
        const size_t equals = text.find('=');
        const std::string value = equals == std::string::npos ? "true" : text.substr(equals + 1);
        if (value != "true" && value != "false")
            throw UsageError(fmt::format("--option {}: the value must be true or false", text));
        s.options[text.substr(0, equals)] = value == "true";
    }
    return s;
}

std::pair<std::string, std::string> key_value(const std::string& flag, const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
        throw UsageError(fmt::format("{} {}: write {} name=value", flag, text, flag));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

const std::vector<std::string>& stages() {
    static const std::vector<std::string> names = {"ast",  "graph", "fused", "kernel", "plan",
                                                   "cuda", "ptx",   "sass",  "llvm",   "asm"};
    return names;
}

void test_stage(const std::string& stage) {
    if (std::find(stages().begin(), stages().end(), stage) != stages().end()) return;
    const std::string near = nearest_name(stage, stages());
    throw UsageError(
        near.empty() ? fmt::format("there is no stage '{}'; stages are {}", stage, fmt::join(stages(), ", "))
                     : fmt::format("there is no stage '{}'; did you mean '{}'?", stage, near));
}

}  // namespace fuseline::cli
