// `fuseline explain FILE`: what became of each function and why, as text or JSON.
#include <charconv>
#include <iostream>
#include <set>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/explain_json.h"
#include "compiler/ir/walk.h"
#include "compiler/pipeline/explain.h"
#include "runtime/session/errors.h"
#include "runtime/session/module_impl.h"

namespace fuseline::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  fuseline explain prices.dsl                        kernels, what they move, what is not fused and "
    "why\n"
    "  fuseline explain prices.dsl --set n=1000000        with numbers\n"
    "  fuseline explain prices.dsl --fn black_scholes --json\n"
    "  fuseline explain prices.dsl --no-fuse              each step a kernel of its own";

struct ExplainArguments {
    std::string file, function;
    std::vector<std::string> set;
    bool json = false;
    DeviceFlags device;
};

/// The entries and, unless one function is asked for, the computations of the script.
std::vector<const ir::Function*> graphs_of(const Module& module, const std::string& function) {
    if (!function.empty()) return {&chosen_entry(module, function).graph};
    std::vector<const ir::Function*> graphs;
    const Program& program = module.impl()->program;
    for (const Entry& entry : program.entries) graphs.push_back(&entry.graph);
    for (const ScriptStep& step : program.script.steps) {
        if (const auto* compute = std::get_if<ComputeStep>(&step.action)) graphs.push_back(&compute->graph);
    }
    return graphs;
}

int64_t size_value(const std::string& name, const std::string& text) {
    int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
    throw UsageError(fmt::format("--set {}={}: a size is a whole number, 0 or more", name, text));
}

std::map<std::string, int64_t> sizes_of(const std::vector<std::string>& texts,
                                        const std::vector<const ir::Function*>& graphs) {
    std::set<std::string> known;
    for (const ir::Function* graph : graphs) {
        ir::for_each_extent(*graph, [&](ExtentId e) {
            for (const std::string& symbol : graph->extents.symbols(e)) known.insert(symbol);
        });
    }
    std::map<std::string, int64_t> sizes;
    for (const std::string& text : texts) {
        const auto [name, value] = key_value("--set", text);
        if (known.count(name) == 0)
            throw UsageError(fmt::format("--set {}: there is no size `{}`; sizes are {}", text, name,
                                         fmt::join(known, ", ")));
        sizes[name] = size_value(name, value);
    }
    return sizes;
}

int explain(const ExplainArguments& a) {
    const Session session = open_session(a.device.settings());
    const Module module = session.load_file(a.file);
    Module::Impl& impl = *module.impl();
    const std::vector<const ir::Function*> graphs = graphs_of(module, a.function);
    Explainer explainer(impl.sources, impl.session->target(), sizes_of(a.set, graphs));
    std::vector<Explanation> explanations;
    translated(&impl.sources, [&] {
        for (const ir::Function* graph : graphs)
            explanations.push_back(
                explainer.explain(Callable(impl.session, *graph, impl.sources).compiled()));
    });
    if (a.json) {
        std::cout << explanations_json(explanations);
        return kOk;
    }
    for (size_t k = 0; k < explanations.size(); ++k)
        std::cout << (k == 0 ? "" : "\n") << explanation_text(explanations[k]);
    return kOk;
}

}  // namespace

void add_explain(CLI::App& app, Chosen& chosen) {
    auto a = std::make_shared<ExplainArguments>();
    CLI::App* command =
        app.add_subcommand("explain", "Say which kernels a file becomes, what they move, and why");
    command->footer(kFooter);
    command->add_option("file", a->file, "A .dsl file")->required();
    command->add_option("--fn", a->function, "Only this entry function");
    command->add_option("--set", a->set, "Value of a size, for numbers: NAME=value")->expected(1)->take_all();
    command->add_flag("--json", a->json, "A JSON array on standard output");
    a->device.add(*command);
    command->callback([a, &chosen] { chosen = [a] { return explain(*a); }; });
}

}  // namespace fuseline::cli
