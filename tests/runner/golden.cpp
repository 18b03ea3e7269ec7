// Golden cases. Input: `program` (with `import NAME` for files that it imports) or `ir`. Words of `args`:
//   PASS, --pass PASS    of `opt`, in order             --fn NAME            only this entry
//   --option NAME        set an option                  --disable-pass NAME  leave out a pass
//   --vector-bits N      of the CPU target (256)        --index-bits N       of kernels (64)
//   --no-fuse            each step a kernel of its own  --size NAME=N        of `explain`
#include "tests/runner/golden.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "compiler/codegen/emitters.h"
#include "compiler/pipeline/explain.h"
#include "compiler/pipeline/opt.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/schedule/schedule.h"
#include "compiler/support/diagnostics.h"
#include "dsl/parser.h"
#include "dsl/program.h"

namespace fuseline::testing {
namespace {

constexpr std::string_view kInputs[] = {"program", "ir", "args"};

/// Targets that are the same on every machine.
const Target kCuda = cuda_target("sm_90");
const Target kCpu{TargetKind::cpu, "x86-64-v3", 256, true, 4096};

struct GoldenArguments {
    std::string function;
    std::vector<std::string> passes, disabled, options;
    int vector_bits = 256, index_bits = 64;
    bool fuse = true;
    std::map<std::string, int64_t> sizes;
};

GoldenArguments parse_arguments(std::string_view text) {
    GoldenArguments a;
    const std::vector<std::string> all = words(text);
    for (size_t k = 0; k < all.size(); ++k) {
        const std::string& flag = all[k];
        if (!flag.starts_with("--")) {
            a.passes.push_back(flag);
            continue;
        }
        if (flag == "--no-fuse") {
            a.fuse = false;
            continue;
        }
        if (++k == all.size()) throw UserError(fmt::format("args: {} lacks a value", flag));
        if (flag == "--fn")
            a.function = all[k];
        else if (flag == "--pass")
            a.passes.push_back(all[k]);
        else if (flag == "--disable-pass")
            a.disabled.push_back(all[k]);
        else if (flag == "--option")
            a.options.push_back(all[k]);
        else if (flag == "--size")
            a.sizes[all[k].substr(0, all[k].find('='))] = std::stoll(all[k].substr(all[k].find('=') + 1));
        else if (flag == "--vector-bits")
            a.vector_bits = std::stoi(all[k]);
        else if (flag == "--index-bits")
            a.index_bits = std::stoi(all[k]);
        else
            throw UserError(fmt::format("args: {} is not known", flag));
    }
    return a;
}

/// One case with its input read at most once.
class GoldenRun {
public:
    explicit GoldenRun(const TestCase& test) : test_(test), arguments_(parse_arguments(test.text("args"))) {}

    std::string ast() {
        SourceMap sources;
        Diagnostics diagnostics;
        const size_t file = sources.add("test.dsl", std::string(test_.text("program")));
        const ast::Tree tree = parse(sources, file, diagnostics);
        return diagnostics.has_errors() ? render(diagnostics.sorted(), sources) : print_ast(tree);
    }

    std::string diagnostics() {
        load();
        return render(found_, sources_);
    }

    std::string opt() {
        SourceMap sources;
        const size_t file = sources.add("test.ir", input_text());
        try {
            return run_opt(sources, file, arguments_.passes, kCuda);
        } catch (const UserError& e) {
            return render(e.diagnostics(), sources);
        }
    }

    std::string graph() {
        return each([](const ir::Function& f) { return ir::print(f); });
    }
    std::string fused() {
        return each_compiled(kCuda, [](const Compiled& c) { return ir::print(c.fused); });
    }
    std::string plan() {
        return each_compiled(kCuda, [](const Compiled& c) { return ir::print(c.plan); });
    }
    std::string kernel() {
        return each_kernel(kCuda, [](const ir::Function& k) { return ir::print(k); });
    }
    std::string remarks() {
        return each_compiled(kCuda, [](const Compiled& c) {
            std::string text;
            for (const Remark& r : c.remarks)
                text += fmt::format("{}: {}: {}\n", r.pass, r.subject, r.reason);
            return text;
        });
    }
    std::string explain() {
        Explainer explainer(sources_, kCuda, arguments_.sizes);
        return each_compiled(kCuda, [&](const Compiled& c) { return explanation_text(explainer.explain(c)); });
    }
    std::string cuda() {
        return each_kernel(kCuda, [&](const ir::Function& k) { return emit_cuda(k, "kernel", &sources_); });
    }
    std::string llvm() {
        Target target = kCpu;
        target.vector_bits = arguments_.vector_bits;
        return each_kernel(target, [&](const ir::Function& k) { return emit_llvm(k, "kernel", target); });
    }

private:
    std::string input_text() {
        return test_.section("ir") != nullptr ? std::string(test_.text("ir")) : graph();
    }

    void load() {
        if (loaded_) return;
        loaded_ = true;
        if (test_.section("ir") != nullptr) return load_ir();
        OptionOverrides overrides;
        for (const std::string& option : arguments_.options) overrides.emplace_back(option, true);
        const auto import = [&](const std::string& path) -> std::optional<std::string> {
            const Section* found = test_.section("import " + path);
            return found != nullptr ? std::optional(found->text) : std::nullopt;
        };
        Diagnostics diagnostics;
        program_ = check_program(sources_, "test.dsl", std::string(test_.text("program")), import,
                                 diagnostics, overrides);
        found_ = diagnostics.sorted();
        wrong_ = diagnostics.has_errors();
    }

    void load_ir() {
        try {
            functions_ =
                ir::parse_functions(sources_, sources_.add("test.ir", std::string(test_.text("ir"))));
        } catch (const UserError& e) {
            found_ = e.diagnostics();
            wrong_ = true;
            return;
        }
        for (const ir::Function& f : functions_) {
            for (const std::string& fault : ir::verify(f))
                found_.push_back({Severity::error, {}, fault, {}, {}});
        }
        wrong_ = !found_.empty();
    }

    std::vector<const ir::Function*> inputs() {
        load();
        if (wrong_) throw UserError(found_);
        std::vector<const ir::Function*> all;
        const auto add = [&](const ir::Function& f, const std::string& name) {
            if (arguments_.function.empty() || arguments_.function == name) all.push_back(&f);
        };
        for (const ir::Function& f : functions_) add(f, f.name);
        for (const Entry& entry : program_.entries) add(entry.graph, entry.name);
        for (const ScriptStep& step : program_.script.steps) {
            if (const auto* compute = std::get_if<ComputeStep>(&step.action))
                add(compute->graph, compute->graph.name);
        }
        return all;
    }

    /// Texts of all inputs, a blank line between them. A wrong program fails the case: no stage shows its
    /// messages.
    template <class Print>
    std::string each(Print print) {
        std::string text;
        for (const ir::Function* f : inputs()) text += (text.empty() ? "" : "\n") + print(*f);
        return text;
    }

    template <class Print>
    std::string each_compiled(const Target& target, Print print) {
        PassSettings settings;
        settings.disabled = arguments_.disabled;
        Target chosen = target;
        chosen.fuse = arguments_.fuse;
        return each([&](const ir::Function& f) { return print(compile(f, chosen, settings)); });
    }

    template <class Print>
    std::string each_kernel(const Target& target, Print print) {
        const auto with_width = [&](ir::Function kernel) {
            kernel.index_bits = arguments_.index_bits;
            return print(kernel);
        };
        if (starts_with_kernel()) return each(with_width);
        return each_compiled(target, [&](const Compiled& c) {
            std::string text;
            for (const ir::Function& kernel : c.kernels)
                text += (text.empty() ? "" : "\n") + with_width(kernel);
            return text;
        });
    }

    bool starts_with_kernel() {
        load();
        return !functions_.empty() && functions_[0].form == ir::Form::kernel;
    }

    const TestCase& test_;
    GoldenArguments arguments_;
    SourceMap sources_;
    Program program_;
    std::vector<ir::Function> functions_;
    std::vector<Diagnostic> found_;
    bool loaded_ = false, wrong_ = false;
};

struct Stage {
    std::string_view name;
    std::string (GoldenRun::*print)();
};
constexpr Stage kStages[] = {
    {"ast", &GoldenRun::ast},       {"diagnostics", &GoldenRun::diagnostics},
    {"graph", &GoldenRun::graph},   {"opt", &GoldenRun::opt},
    {"fused", &GoldenRun::fused},   {"remarks", &GoldenRun::remarks},
    {"kernel", &GoldenRun::kernel}, {"plan", &GoldenRun::plan},
    {"cuda", &GoldenRun::cuda},     {"llvm", &GoldenRun::llvm},
    {"explain", &GoldenRun::explain},
};

bool is_input(const std::string& name) {
    return name.starts_with("import ") ||
           std::find(std::begin(kInputs), std::end(kInputs), name) != std::end(kInputs);
}

std::string printed(GoldenRun& run, const std::string& section) {
    const auto stage = std::find_if(std::begin(kStages), std::end(kStages),
                                    [&](const Stage& s) { return s.name == section; });
    if (stage == std::end(kStages)) throw UserError(fmt::format("there is no section `{}`", section));
    std::string text = (run.*stage->print)();
    if (!text.empty() && text.back() != '\n') text += '\n';
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

}  // namespace

bool is_golden(const TestCase& test) {
    const bool input = test.section("program") != nullptr || test.section("ir") != nullptr;
    return input && test.section("call") == nullptr && test.section("stdout") == nullptr &&
           test.section("stderr") == nullptr;
}

bool run_golden(const TestFile& file, TestCase& test, bool update, Tally& tally) {
    std::string faults;
    bool changed = false;
    size_t expected = 0;
    try {
        GoldenRun run(test);
        for (Section& section : test.sections) {
            if (is_input(section.name)) continue;
            ++expected;
            const std::string found = printed(run, section.name);
            if (found == section.text) continue;
            if (!update) {
                faults += fmt::format("{}: {}\n{}", file.place(section.line), section.name,
                                      unified_diff(section.text, found));
                continue;
            }
            section.text = found;
            changed = true;
        }
        if (expected == 0) faults += "the case expects nothing\n";
    } catch (const std::exception& e) {
        faults += std::string(e.what()) + "\n";
    }
    if (faults.empty()) {
        tally.pass();
    } else {
        tally.fail(fmt::format("{}: {}", file.place(test.line), test.name), faults);
    }
    return changed;
}

}  // namespace fuseline::testing
