// Explainer: the cost model's sizes, the remarks of the passes and the keys of the kernels, put together.
#include "compiler/pipeline/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/pipeline/kernel_difference.h"
#include "compiler/pipeline/source_lines.h"

namespace fuseline {
namespace {

/// Schedules tell of each group, which the steps show better.
constexpr std::string_view kScheduleRemarks = "schedule";
/// Both widths of index arithmetic are variants of one kernel.
constexpr int kAnyWidth = 64;

/// "f(x: f32[n], a: f32) -> (y: f32[n])".
std::string signature_of(const ir::Function& graph) {
    ir::SizeSpelling sizes(graph, false);
    const auto list = [&](const std::vector<std::string>& names, const std::vector<ir::ValueId>& values) {
        std::string text;
        for (size_t k = 0; k < values.size(); ++k)
            text += fmt::format("{}{}: {}", k == 0 ? "" : ", ", names[k],
                                ir::type_text(sizes, graph.type(values[k])));
        return text;
    };
    const ir::Region& body = graph.region(graph.body());
    return fmt::format("{}({}) -> ({})", graph.name, list(graph.parameter_names, body.parameters),
                       list(graph.result_names, body.yields));
}

std::vector<std::pair<std::string, int>> operators_of(const ir::Function& kernel) {
    std::map<OpId, int> counts;
    for (ir::NodeId id : ir::nodes_in_order(kernel, kernel.body())) {
        if (kernel.node(id).op.elementwise()) ++counts[kernel.node(id).op.op()];
    }
    std::vector<std::pair<std::string, int>> sorted;
    for (const auto& [op, count] : counts) sorted.emplace_back(name(op), count);
    std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<std::string, int>::second);
    return sorted;
}

int lanes_of(const ir::Function& kernel) {
    for (ir::NodeId id : kernel.region(kernel.body()).nodes) {
        if (const auto* loops = std::get_if<ir::Loops>(&kernel.node(id).attribute)) return loops->lanes;
    }
    return 1;
}

/// As the plan's text has it, but that names stand alone: "e", "%0".
std::string name_of(const ir::Function& plan, const ir::ValueSpelling& names, ir::ValueId v) {
    const std::string text = names(v);
    return plan.value_name(v).empty() ? text : text.substr(1);
}

/// Where both are multiples of one product of sizes their ratio is a number.
std::optional<double> ratio_of(const ExtentPool& pool, ExtentId moved, ExtentId least) {
    const auto& a = pool.terms(moved);
    const auto& b = pool.terms(least);
    if (a.size() != 1 || b.size() != 1 || a[0].factors != b[0].factors) return std::nullopt;
    return static_cast<double>(a[0].coefficient) / static_cast<double>(b[0].coefficient);
}

}  // namespace

Amount Explainer::amount(const ExtentPool& pool, ExtentId e) const {
    return {pool.text(e), pool.evaluate(e, sizes_)};
}

/// The first kernel of the program with this code, or the one before that comes nearest.
std::string Explainer::code_of(const ir::Function& kernel) {
    const std::string text = kernel_key(kernel, kAnyWidth, target_, "").text;
    std::string near;
    for (const Seen& seen : seen_) {
        if (seen.text == text) return fmt::format("that of {}", seen.name);
        if (!near.empty()) continue;
        const std::string difference = kernel_difference(seen.text, text);
        if (!difference.empty()) near = fmt::format("; as {} but for {}", seen.name, difference);
    }
    seen_.push_back({kernel.name, text});
    return "new" + near;
}

void Explainer::kernel(const ir::Function& kernel, const PlanCost& cost, const KernelCost& own,
                       ExplainedStep& step) {
    step.kind = "kernel";
    step.name = kernel.name;
    step.schedule = kernel.schedule;
    step.lines = kernel_lines(kernel, sources_);
    for (size_t k = 0; k < kOpClassCount; ++k) step.operations[k] = amount(cost.extents, own.operations[k]);
    step.operators = operators_of(kernel);
    step.outputs = amount(cost.extents, own.outputs);
    step.held = amount(cost.extents, own.held);
    step.lanes = lanes_of(kernel);
    step.live = own.live;
    step.loops = own.loops;
    step.code = code_of(kernel);
    const auto& parameters = kernel.region(kernel.body()).parameters;
    for (size_t k = 0; k < step.arrays.size(); ++k)
        step.arrays[k].written = kernel.type(parameters[k]).kind == ir::TypeKind::write_buffer;
}

ExplainedStep Explainer::step(const Compiled& compiled, const PlanCost& cost, const ir::ValueSpelling& names,
                              const StepCost& from) {
    const ir::Function& plan = compiled.plan;
    const ir::Node& n = plan.node(from.node);
    ExplainedStep step;
    const auto operands = plan.operands(n);
    const auto array_name = [&](ir::ValueId v) { return name_of(plan, names, v); };
    for (size_t k = 0; k < operands.size(); ++k)
        step.arrays.push_back({array_name(operands[k]), amount(cost.extents, from.bytes[k])});
    step.moved = amount(cost.extents, from.moved);
    step.times = amount(cost.extents, from.times);
    step.otherwise = from.otherwise;
    step.flops = amount(cost.extents, from.flops);
    step.lines = span_lines(plan.span(from.node), sources_);
    if (from.kernel) {
        kernel(compiled.kernels[from.kernel_index], cost, *from.kernel, step);
    } else if (const auto* function = std::get_if<std::string>(&n.attribute)) {
        step.kind = "library";
        step.name = *function;
        step.arrays.back().written = true;
    } else {
        step.kind = "copy";
        step.name = array_name(operands[0]);
        step.arrays.push_back(
            {array_name(plan.result(from.node)), amount(cost.extents, from.bytes.back()), true});
    }
    // Scalars move with the launch.
    std::erase_if(step.arrays, [](const ExplainedStep::Array& a) { return a.bytes.formula == "0"; });
    return step;
}

Explanation Explainer::explain(const Compiled& compiled) {
    const PlanCost cost = plan_cost(compiled.plan, compiled.kernels);
    Explanation e;
    e.signature = signature_of(compiled.graph);
    const ir::ValueSpelling names(compiled.plan, false);
    for (const StepCost& s : cost.steps) e.steps.push_back(step(compiled, cost, names, s));
    e.moved = amount(cost.extents, cost.moved);
    e.least = amount(cost.extents, cost.least);
    e.ratio = ratio_of(cost.extents, cost.moved, cost.least);
    if (e.moved.value && e.least.value && *e.least.value != 0)
        e.ratio = static_cast<double>(*e.moved.value) / static_cast<double>(*e.least.value);
    e.exact = cost.exact;
    for (const Remark& r : compiled.remarks) {
        if (r.pass != kScheduleRemarks)
            e.reasons.push_back({r.pass, r.subject, r.reason, span_lines(r.span, sources_)});
    }
    return e;
}

}  // namespace fuseline
