// Flags and texts that subcommands share.
#include "cli/common.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "compiler/passes/pass.h"
#include "runtime/session/module_impl.h"

namespace fuseline::cli {

namespace {

constexpr int kMaxThreads = 1024;

/// 0, all cores, where the flag is not given.
int thread_count(const std::string& text) {
    if (text.empty()) return 0;
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc() && end == text.data() + text.size() && count >= 1 && count <= kMaxThreads)
        return count;
    throw UsageError(fmt::format("--threads {}: write a number from 1 to {}; all cores run without the flag",
                                 text, kMaxThreads));
}

void test_disabled(const std::vector<std::string>& disabled) {
    std::vector<std::string> optional;
    for (const PassRow& row : pass_table()) {
        if (!row.required) optional.emplace_back(row.name);
    }
    for (const std::string& name : disabled) {
        if (pass_named(name) == nullptr)
            throw UsageError(no_such("pass", "passes that may be left out", name, optional));
    }
    as_usage([&] { check_disabled(disabled); });
}

}  // namespace

void DeviceFlags::add(CLI::App& app) {
    app.add_option("--device", device, "auto, cpu, cuda, cuda:N or interpreter (default: auto)");
    app.add_option("--threads", threads,
                   fmt::format("CPU threads, 1 to {} (default: all cores)", kMaxThreads));
    app.add_option("--option", options, "Set a numeric option: NAME or NAME=false")->expected(1)->take_all();
    app.add_flag("--no-fuse", no_fuse, "Make each step a kernel of its own, for comparison");
    app.add_option("--disable-pass", disabled_passes, "Leave out an optional pass")->expected(1)->take_all();
}

Settings DeviceFlags::settings() const {
    Settings s;
    s.device = device;
    s.threads = thread_count(threads);
    s.disabled_passes = disabled_passes;
    s.fuse = !no_fuse;
    test_disabled(disabled_passes);
    for (const std::string& text : options) {
        const size_t equals = text.find('=');
        const std::string value = equals == std::string::npos ? "true" : text.substr(equals + 1);
        if (value != "true" && value != "false")
            throw UsageError(fmt::format("--option {}: the value must be true or false", text));
        s.options[text.substr(0, equals)] = value == "true";
    }
    return s;
}

Session open_session(const Settings& settings) {
    return as_usage([&] { return Session(settings); });
}

const Entry& chosen_entry(const Module& module, const std::string& name) {
    return as_usage([&]() -> const Entry& { return module.impl()->entry(name); });
}

std::pair<std::string, std::string> key_value(const std::string& flag, const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
        throw UsageError(fmt::format("{} {}: write {} name=value", flag, text, flag));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string no_such(const std::string& one, const std::string& many, const std::string& name,
                    const std::vector<std::string>& names) {
    const std::string near = nearest_name(name, names);
    return near.empty()
               ? fmt::format("there is no {} `{}`; {} are {}", one, name, many, fmt::join(names, ", "))
               : fmt::format("there is no {} `{}`; did you mean `{}`?", one, name, near);
}

const std::vector<std::string>& stages() {
    static const std::vector<std::string> names = {"ast",  "graph", "fused", "kernel", "plan",
                                                   "cuda", "ptx",   "sass",  "llvm",   "asm"};
    return names;
}

void test_stage(const std::string& stage) {
    if (stage.empty())
        throw UsageError("a stage is missing: write names with one comma between, as in `kernel,cuda`");
    if (std::find(stages().begin(), stages().end(), stage) != stages().end()) return;
    throw UsageError(no_such("stage", "stages", stage, stages()));
}

}  // namespace fuseline::cli
