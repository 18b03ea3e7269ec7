// The kernels of programs and of text tests.
#include "tests/nvrtc/kernels.h"

#include <set>

#include "compiler/pipeline/pipeline.h"
#include "compiler/support/errors.h"
#include "dsl/program.h"
#include "runtime/io/program_file.h"
#include "tests/runner/test_file.h"

namespace fuseline::testing {
namespace {

const Target kCuda = cuda_target("sm_90");

class Collector {
public:
    void add(const ir::Function& kernel, const std::string& place) {
        if (seen_.insert(ir::print(kernel, {.canonical = true, .sources = nullptr})).second)
            found_.push_back({place, kernel});
    }
    void add_graph(const ir::Function& graph, const std::string& place) {
        for (const ir::Function& kernel : compile(graph, kCuda).kernels) add(kernel, place);
    }
    void add_program(const std::string& path, const std::string& text, const ImportReader& reader,
                     const std::string& place) {
        SourceMap sources;
        Diagnostics diagnostics;
        const Program program = check_program(sources, path, text, reader, diagnostics);
        if (diagnostics.has_errors()) return;
        for (const Entry& entry : program.entries) add_graph(entry.graph, place + ": " + entry.name);
        for (const ScriptStep& step : program.script.steps) {
            if (const auto* compute = std::get_if<ComputeStep>(&step.action))
                add_graph(compute->graph, place + ": script");
        }
    }
    void add_ir(const std::string& text, const std::string& place) {
        SourceMap sources;
        for (const ir::Function& f : ir::parse_functions(sources, sources.add("test.ir", text))) {
            if (!ir::verify(f).empty()) continue;
            if (f.form == ir::Form::kernel) add(f, place);
            if (f.form == ir::Form::graph) add_graph(f, place);
        }
    }
    std::vector<FoundKernel> take() { return std::move(found_); }

private:
    std::set<std::string> seen_;
    std::vector<FoundKernel> found_;
};

/// Cases that show a fault have no kernels.
void add_case(Collector& collector, const TestCase& test, const std::string& place) {
    const auto import = [&](const std::string& path) -> std::optional<std::string> {
        const Section* found = test.section("import " + path);
        return found != nullptr ? std::optional(found->text) : std::nullopt;
    };
    try {
        if (test.section("program") != nullptr) {
            collector.add_program("test.dsl", std::string(test.text("program")), import, place);
        } else if (test.section("ir") != nullptr) {
            collector.add_ir(std::string(test.text("ir")), place);
        }
    } catch (const UserError&) {
        return;
    }
}

}  // namespace

std::vector<FoundKernel> kernels_in(const std::string& path) {
    Collector collector;
    if (path.ends_with(".test")) {
        for (const TestCase& test : read_test_file(path).cases)
            add_case(collector, test, path + ": " + test.name);
        return collector.take();
    }
    collector.add_program(path, read_program(path), read_imported, path);
    return collector.take();
}

}  // namespace fuseline::testing
