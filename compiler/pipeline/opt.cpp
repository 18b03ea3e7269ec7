// run_opt: parse, verify, run, print.
#include "compiler/pipeline/opt.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/ir/faults.h"
#include "compiler/ir/ir.h"
#include "compiler/passes/pass.h"
#include "compiler/schedule/schedule.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

constexpr std::string_view kSchedule = "schedule";

std::string_view form_name(ir::Form form) {
    constexpr std::string_view kNames[] = {"graph", "kernel", "plan"};
    return kNames[static_cast<size_t>(form)];
}

[[noreturn]] void refuse(Span span, std::string message, std::vector<std::string> help = {}) {
    Diagnostic d;
    d.span = span;
    d.message = std::move(message);
    d.help = std::move(help);
    throw UserError(std::vector<Diagnostic>{std::move(d)});
}

/// One diagnostic a fault; the file stands for the place of what has none.
void test_sound(const ir::Function& function, const std::string& file) {
    std::vector<Diagnostic> diagnostics;
    for (const ir::Fault& fault : ir::find_faults(function)) {
        Diagnostic d;
        d.span = fault.span;
        d.message = fmt::format("{}{} is not sound: {}", fault.span.known() ? "" : file + ": ", function.name,
                                fault.text);
        diagnostics.push_back(std::move(d));
    }
    if (!diagnostics.empty()) throw UserError(std::move(diagnostics));
}

/// The nodes that the host walks: those of the body, and of loops and branches in it.
std::vector<ir::NodeId> outer_nodes(const ir::Function& f) {
    std::vector<ir::NodeId> nodes;
    std::vector<ir::RegionId> todo{f.body()};
    while (!todo.empty()) {
        const ir::Region& region = f.region(todo.back());
        todo.pop_back();
        for (const ir::NodeId id : region.nodes) {
            nodes.push_back(id);
            const ir::Node& n = f.node(id);
            if (!n.op.is(ir::Structure::loop_) && !n.op.is(ir::Structure::if_)) continue;
            for (uint32_t k = n.regions_count; k-- > 0;) todo.push_back(f.region_of(n, k));
        }
    }
    return nodes;
}

/// What the schedule takes outside groups.
bool runs_alone(const ir::Function& f, ir::NodeId id) {
    using ir::Structure;
    constexpr Structure kAlone[] = {Structure::check_, Structure::assert_,  Structure::group_,
                                    Structure::loop_,  Structure::reshape_, Structure::matmul_,
                                    Structure::if_};
    const ir::Node& n = f.node(id);
    if (n.op.elementwise() || n.op.is(Structure::constant_) || n.op.is(Structure::extent_))
        return f.type(f.result(id)).scalar();
    return std::any_of(std::begin(kAlone), std::end(kAlone), [&](Structure s) { return n.op.is(s); });
}

/// A pass takes functions of one form; `fuse` those without groups, `schedule` those with nothing else.
void test_input(const ir::Function& f, const std::string& pass, ir::Form form) {
    if (f.form != form) {
        refuse({}, fmt::format("`{}` takes a {}: `{}` is a {}", pass, form_name(form), f.name,
                               form_name(f.form)));
    }
    for (const ir::NodeId id : outer_nodes(f)) {
        if (pass == "fuse" && f.node(id).op.is(ir::Structure::group_))
            refuse(f.span(id), fmt::format("`fuse` takes a graph without groups: `{}` is fused", f.name));
        if (pass == kSchedule && !runs_alone(f, id)) {
            refuse(f.span(id),
                   fmt::format("`schedule` takes a fused graph: `{}` stands outside the groups",
                               f.node(id).op.name()),
                   {"run `fuse` before"});
        }
    }
}

std::string run_one(ir::Function function, const std::vector<std::string>& passes, const Target& target) {
    const Options options = function.options;
    std::vector<Remark> remarks;
    PassContext context{target, options, remarks};
    for (const std::string& name : passes) {
        const PassRow* row = pass_named(name);
        test_input(function, name, row != nullptr ? row->form : ir::Form::graph);
        if (row == nullptr) {
            const Scheduled s = schedule(function, context);
            std::string text;
            for (const ir::Function& kernel : s.kernels) {
                ir::verify_or_throw(kernel, name);
                text += ir::print(kernel) + "\n";
            }
            ir::verify_or_throw(s.plan, name);
            return text + ir::print(s.plan);
        }
        if (auto changed = row->run(function, context)) function = std::move(*changed);
        ir::verify_or_throw(function, name);
    }
    return ir::print(function);
}

}  // namespace

void check_pass_names(const std::vector<std::string>& passes) {
    for (size_t k = 0; k < passes.size(); ++k) {
        if (passes[k] == kSchedule) {
            if (k + 1 != passes.size()) throw UserError("`schedule` must be the last pass");
            continue;
        }
        if (pass_named(passes[k]) != nullptr) continue;
        std::vector<std::string> names;
        for (const PassRow& row : pass_table()) names.emplace_back(row.name);
        names.emplace_back(kSchedule);
        const std::string near = nearest_name(passes[k], names);
        throw UserError(fmt::format("there is no pass `{}`; {}", passes[k],
                                    near.empty() ? fmt::format("passes are {}", fmt::join(names, ", "))
                                                 : fmt::format("did you mean `{}`?", near)));
    }
}

std::string run_opt(const SourceMap& sources, size_t file, const std::vector<std::string>& passes,
                    const Target& target) {
    check_pass_names(passes);
    std::string text;
    for (ir::Function& function : ir::parse_functions(sources, file)) {
        test_sound(function, sources.file(file).name);
        if (!text.empty()) text += "\n";
        text += run_one(std::move(function), passes, target);
    }
    return text;
}

}  // namespace fuseline
