// fuse: builds the graph of groups that the partition describes, and says why what was not fused was not.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "compiler/passes/fusion_groups.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rebuild.h"

namespace fuseline {
namespace {

using fusion::Group;
using ir::Structure;
using ir::ValueId;

class GroupBuilder {
public:
    GroupBuilder(const fusion::Graph& graph, const fusion::Partition& parts)
        : graph_(graph),
          parts_(parts),
          from_(graph.function()),
          to_(ir::Form::graph, from_.name),
          outer_(from_, to_) {}

    ir::Function run();

private:
    std::vector<ValueId> inputs_of(const Group& group) const;
    void body();
    void group(const Group& group);

    const fusion::Graph& graph_;
    const fusion::Partition& parts_;
    const ir::Function& from_;
    ir::Builder to_;
    ir::Cloner outer_;
    std::unordered_map<uint32_t, std::vector<ValueId>> stored_;  ///< value -> its copies, one for each result
};

std::vector<ValueId> GroupBuilder::inputs_of(const Group& group) const {
    std::vector<ValueId> inputs;
    std::unordered_map<uint32_t, bool> seen;
    const auto add = [&](ValueId v) {
        const int step = graph_.step_of(v);
        if (step >= 0 && group.has(static_cast<uint32_t>(step))) return;
        if (!graph_.constant(v) && seen.try_emplace(v.index, true).second) inputs.push_back(v);
    };
    for (uint32_t step : group.members) {
        for (ValueId v : graph_.inputs(step)) add(v);
    }
    for (ValueId v : group.outputs) add(v);
    return inputs;
}

void GroupBuilder::body() {
    outer_.parameters();
    for (ir::NodeId id : from_.region(from_.body()).nodes) {
        const ir::Node& n = from_.node(id);
        const bool host = n.results_count == 1 && graph_.on_host(from_.result(id)) && graph_.live(id);
        if (host || n.op.is(Structure::check_)) outer_.node(id);
    }
}

void GroupBuilder::group(const Group& group) {
    const std::vector<ValueId> inputs = inputs_of(group);
    std::vector<ValueId> operands, yields;
    const ir::RegionId region = to_.make_region();
    ir::Cloner inner(from_, to_);
    for (ValueId v : inputs) {
        const ValueId operand = outer_.value(v);
        operands.push_back(operand);
        inner.map(v, to_.region_parameter(region, to_.type(operand), from_.value_name(v)));
    }
    const auto constants = [&](const std::vector<ValueId>& values) {
        for (ValueId v : values) {
            if (graph_.constant(v)) inner.map(v, outer_.value(v));
        }
    };
    to_.set_insertion(region);
    for (uint32_t step : group.members) {
        constants(graph_.inputs(step));
        inner.node(graph_.node(step));
    }
    constants(group.outputs);
    std::vector<ir::Type> types;
    Span span;
    for (ValueId v : group.outputs) {
        yields.push_back(inner.value(v));
        types.push_back(to_.type(yields.back()));
        if (from_.value(v).definition) span = cover(span, from_.span(from_.value(v).definition));
    }
    to_.set_yields(region, yields);
    to_.set_insertion(to_.function().body());
    to_.set_span(span);
    const ir::NodeId node =
        to_.node(Structure::group_, operands, std::move(types), std::string("map"), {&region, 1});
    for (uint32_t k = 0; k < group.outputs.size(); ++k) {
        const ValueId from = group.outputs[k], made = to_.function().result(node, k);
        to_.name_value(made, from_.value_name(from));
        auto& copies = stored_[from.index];
        if (copies.empty() && graph_.step_of(from) >= 0) outer_.map(from, made);
        copies.push_back(made);
    }
}

ir::Function GroupBuilder::run() {
    body();
    for (const Group& g : parts_.groups) group(g);
    std::vector<ValueId> yields;
    std::unordered_map<uint32_t, size_t> next;
    for (ValueId v : from_.region(from_.body()).yields)
        yields.push_back(stored_.at(v.index)[next[v.index]++]);
    ir::Function result = to_.finish(std::move(yields), from_.result_names);
    copy_header(from_, result);
    return result;
}

void add_remarks(const fusion::Graph& graph, const fusion::Clusters& clusters, const fusion::Partition& parts,
                 std::vector<Remark>& remarks) {
    for (const Group& group : parts.groups) {
        std::unordered_set<int> told;  // one remark for a value and a kernel that loads it
        for (uint32_t step : group.members) {
            for (ValueId v : graph.inputs(step)) {
                const int producer = graph.step_of(v);
                if (producer < 0 || group.has(static_cast<uint32_t>(producer)) ||
                    !told.insert(producer).second)
                    continue;
                const auto p = static_cast<uint32_t>(producer);
                const fusion::Reason& reason = clusters.reason(p);
                remarks.push_back({"fuse", graph.function().span(graph.node(step)),
                                   fmt::format("edge {} -> {}", graph.describe(p), graph.describe(step)),
                                   reason.empty() ? "a budget of the kernel cuts between them" : reason});
            }
        }
    }
    for (const fusion::Cut& cut : parts.cuts) {
        remarks.push_back({"fuse", graph.function().span(graph.node(cut.step)),
                           fmt::format("split before {}", graph.describe(cut.step)),
                           fmt::format("budget of {}; {} values are stored here", cut.budget, cut.stored)});
    }
}

}  // namespace

std::optional<ir::Function> pass_fuse(const ir::Function& graph, PassContext& context) {
    for (ir::NodeId id : graph.region(graph.body()).nodes) {
        if (graph.node(id).op.is(Structure::group_)) return std::nullopt;
    }
    const fusion::Graph steps(graph);
    fusion::Clusters clusters(steps);
    fusion::Budget budget;
    budget.parameter_bytes = static_cast<uint32_t>(context.target.parameter_bytes);
    const fusion::Partition parts = fusion::partition(steps, clusters, budget);
    add_remarks(steps, clusters, parts, context.remarks);
    return GroupBuilder(steps, parts).run();
}

}  // namespace fuseline
