// Calls of generated programs.
#include "tests/runner/reproducer.h"

#include <fmt/format.h>

#include "compiler/passes/pass.h"
#include "runtime/session/array_storage.h"
#include "tests/runner/literals.h"

namespace fuseline::testing {
namespace {

/// Arrays with more elements are named, not printed.
constexpr int64_t kMostElements = 200;

std::string value_line(const char* kind, const std::string& name, const HostArray& array) {
    if (array.element_count() <= kMostElements)
        return fmt::format("{} {}: {}\n", kind, name, array_literal(array));
    return fmt::format("{} {}: {} elements\n", kind, name, array.element_count());
}

}  // namespace

NamedArrays run_call(const TestDevice& device, const ProgramCall& call, const Settings& settings) {
    const Module module = session_on(device, settings).load_text(call.program, "test.dsl");
    std::map<std::string, Argument> arguments;
    for (const auto& [name, array] : call.arguments) arguments.emplace(name, to_array(array));
    NamedArrays results;
    for (const auto& [name, array] : module.call(call.function, arguments))
        results.emplace_back(name, to_host_array(array));
    return results;
}

std::string reproducer(const std::string& title, const ProgramCall& call, const NamedArrays& expected) {
    std::string text =
        fmt::format("=== {}\n--- program\n{}--- call\nfn: {}\n", title, call.program, call.function);
    for (const auto& [name, array] : call.arguments) text += value_line("in", name, array);
    for (const auto& [name, array] : expected) text += value_line("out", name, array);
    return text;
}

std::string difference_of(const NamedArrays& expected, const NamedArrays& found) {
    if (expected.size() != found.size())
        return fmt::format("expected {} results, found {}\n", expected.size(), found.size());
    std::string text;
    for (size_t k = 0; k < expected.size(); ++k) {
        const std::string d = difference(expected[k].second, found[k].second);
        if (!d.empty()) text += fmt::format("result {}:\n{}", expected[k].first, d);
    }
    return text;
}

std::string guilty_passes(const TestDevice& device, const ProgramCall& call, const NamedArrays& expected) {
    std::string guilty;
    for (const PassRow& pass : pass_table()) {
        if (pass.required) continue;
        Settings settings;
        settings.disabled_passes = {std::string(pass.name)};
        try {
            if (difference_of(expected, run_call(device, call, settings)).empty()) {
                guilty += (guilty.empty() ? "" : ", ") + std::string(pass.name);
            }
        } catch (const std::exception&) {
            continue;  // Without the pass the call fails in another way; that clears nobody.
        }
    }
    return guilty;
}

}  // namespace fuseline::testing
