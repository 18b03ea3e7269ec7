// Behaviour cases.
#include "tests/runner/behaviour.h"

#include <optional>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "runtime/script/script.h"
#include "runtime/session/array_storage.h"
#include "runtime/session/module_impl.h"
#include "tests/runner/literals.h"

namespace fuseline::testing {
namespace {

struct Expected {
    std::string name;
    HostArray array;
    Tolerance tolerance;
};

/// A `call` section that was read.
struct Call {
    size_t line = 0;
    std::string function;
    std::map<std::string, Argument> arguments;
    std::vector<Expected> results;
    std::vector<std::string> errors;
    std::optional<int64_t> compiles, launches;
};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
    return text;
}

/// Lines, those that begin with a blank joined to the one before.
std::vector<std::string> entries_of(std::string_view text) {
    std::vector<std::string> entries;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        if (text.starts_with(' ') && !entries.empty()) {
            entries.back() += text.substr(0, end);
        } else if (!trimmed(text.substr(0, end)).empty()) {
            entries.emplace_back(text.substr(0, end));
        }
        text.remove_prefix(end);
    }
    return entries;
}

class CallReader {
public:
    explicit CallReader(std::string folder) : folder_(std::move(folder)) {}

    Call read(const Section& section) {
        call_.line = section.line;
        for (const std::string& entry : entries_of(section.text)) read_entry(entry);
        if (call_.function.empty()) throw UserError("a call needs a line `fn: NAME`");
        if (call_.results.empty() && call_.errors.empty())
            throw UserError("a call expects results or an error");
        return std::move(call_);
    }

private:
    void read_entry(const std::string& entry) {
        const size_t colon = entry.find(':');
        if (colon == std::string::npos)
            throw UserError(fmt::format("a line of a call without a colon: {}", entry));
        const std::string key(trimmed(entry.substr(0, colon)));
        const std::string value(trimmed(entry.substr(colon + 1)));
        if (key.starts_with("in ")) {
            call_.arguments.emplace(key.substr(3), to_array(parse_array(value, folder_)));
        } else if (key.starts_with("out ")) {
            call_.results.push_back({key.substr(4), parse_array(value, folder_), tolerance_});
        } else if (key == "fn") {
            call_.function = value;
        } else if (key == "within") {
            tolerance_ = parse_tolerance(value);
        } else if (key == "error") {
            call_.errors.push_back(value);
        } else if (key == "compiles") {
            call_.compiles = std::stoll(value);
        } else if (key == "launches") {
            call_.launches = std::stoll(value);
        } else {
            throw UserError(fmt::format("there is no line `{}` of a call", key));
        }
    }

    std::string folder_;
    Tolerance tolerance_;
    Call call_;
};

std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string missing_words(const std::vector<std::string>& expected, const std::string& found) {
    for (const std::string& text : expected) {
        if (found.find(text) == std::string::npos)
            return fmt::format("expected the error: {}\nfound: {}\n", text, found);
    }
    return {};
}

/// One case on one device; each method gives what is wrong, or "".
class CaseRun {
public:
    CaseRun(const TestFile& file, const TestCase& test, const TestDevice& device)
        : file_(file), test_(test), device_(device), session_(session_on(device)) {}

    std::string run() {
        const Module module = session_.load_text(std::string(test_.text("program")), "test.dsl");
        std::string faults;
        for (const Section& section : test_.sections) {
            if (section.name == "call") faults += run_call(module, section);
        }
        if (test_.section("call") == nullptr) faults += run_lines(module);
        return faults;
    }

private:
    std::string run_call(const Module& module, const Section& section) {
        const Call call = CallReader(folder_of(file_.path)).read(section);
        session_.reset_report();
        std::string fault;
        try {
            const Results results = module.call(call.function, call.arguments);
            fault = call.errors.empty() ? compare(call, results)
                                        : fmt::format("expected the error: {}\n", call.errors[0]);
        } catch (const Error& e) {
            fault = call.errors.empty() || e.kind() != Error::Kind::user
                        ? std::string(e.what()) + "\n"
                        : missing_words(call.errors, e.what());
        }
        fault += counts(call);
        return fault.empty()
                   ? fault
                   : fmt::format("{}: call of {}\n{}", file_.place(section.line), call.function, fault);
    }

    static std::string compare(const Call& call, const Results& results) {
        std::string faults;
        if (results.size() != call.results.size()) {
            faults = fmt::format("expected {} results, found {}\n", call.results.size(), results.size());
        }
        for (const Expected& expected : call.results) {
            const std::string d =
                difference(expected.array, to_host_array(results[expected.name]), expected.tolerance);
            if (!d.empty()) faults += fmt::format("result {}:\n{}", expected.name, d);
        }
        return faults;
    }

    /// Kernels are counted where there are any, and fused as the compiler decides.
    std::string counts(const Call& call) const {
        if (device_.interpreter() || device_.unfused) return {};
        const Report report = session_.report();
        std::string faults;
        if (call.compiles && *call.compiles != report.kernels_compiled) {
            faults += fmt::format("expected {} kernels compiled, found {}\n", *call.compiles,
                                  report.kernels_compiled);
        }
        if (call.launches && *call.launches != report.kernels_launched) {
            faults += fmt::format("expected {} kernels launched, found {}\n", *call.launches,
                                  report.kernels_launched);
        }
        return faults;
    }

    std::string run_lines(const Module& module) {
        std::string printed, message;
        ScriptSettings settings;
        settings.print = [&](const std::string& line) { printed += line + "\n"; };
        settings.note = [&](const std::string& lines) { message += lines; };
        for (const std::string& word : words(test_.text("set"))) {
            const size_t equals = word.find('=');
            if (equals == std::string::npos) throw UserError("a line of `set` is NAME=VALUE");
            settings.params[word.substr(0, equals)] = word.substr(equals + 1);
        }
        try {
            run_script(module, settings);
        } catch (const Error& e) {
            if (e.kind() != Error::Kind::user) throw;
            message += e.what();
        }
        return unified_diff(test_.text("stdout"), printed) + unified_diff(test_.text("stderr"), message);
    }

    const TestFile& file_;
    const TestCase& test_;
    const TestDevice& device_;
    Session session_;
};

std::string run_one(const TestFile& file, const TestCase& test, const TestDevice& device) {
    try {
        return CaseRun(file, test, device).run();
    } catch (const std::exception& e) {
        return std::string(e.what()) + "\n";
    }
}

}  // namespace

bool is_behaviour(const TestCase& test) {
    if (test.section("program") == nullptr) return false;
    return test.section("call") != nullptr || test.section("stdout") != nullptr ||
           test.section("stderr") != nullptr;
}

void run_behaviour(const TestFile& file, const std::vector<const TestCase*>& tests,
                   const std::vector<TestDevice>& devices, Tally& tally) {
    for (const TestCase* test : tests) {
        for (const TestDevice& device : devices) {
            if (!device.missing.empty()) continue;
            const std::string faults = run_one(file, *test, device);
            if (faults.empty()) {
                tally.pass();
            } else {
                tally.fail(fmt::format("{}: {} on {}", file.place(test->line), test->name, device.name),
                           faults);
            }
        }
    }
}

void prepare_behaviour(const std::vector<const TestCase*>& tests, const TestDevice& device) {
    if (device.device == nullptr) return;
    const Session session = session_on(device);
    std::vector<Module> modules;
    std::vector<const ir::Function*> graphs;
    for (const TestCase* test : tests) {
        try {
            modules.push_back(session.load_text(std::string(test->text("program")), "test.dsl"));
        } catch (const Error&) {
            continue;  // The case itself reports it.
        }
        for (const Entry& entry : modules.back().impl()->program.entries) graphs.push_back(&entry.graph);
        for (const ScriptStep& step : modules.back().impl()->program.script.steps) {
            if (const auto* compute = std::get_if<ComputeStep>(&step.action))
                graphs.push_back(&compute->graph);
        }
    }
    prepare_kernels(device, graphs);
}

}  // namespace fuseline::testing
