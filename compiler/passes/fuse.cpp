// fuse: builds the graph of groups that the partition describes, and says why what was not fused was not.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/walk.h"
#include "compiler/passes/fusion_groups.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rebuild.h"

namespace fuseline {
namespace {

using fusion::Group;
using ir::Structure;
using ir::ValueId;

/// Says of each value that a kernel loads from another one why, and what it costs; and of each cut.
class RemarkWriter {
public:
    RemarkWriter(const fusion::Graph& graph, const fusion::Clusters& clusters, const fusion::Partition& parts,
                 std::vector<Remark>& remarks)
        : graph_(graph), clusters_(clusters), parts_(parts), remarks_(remarks), pool_(graph.function().extents) {}

    void write() {
        for (const Group& group : parts_.groups) edges_of(group);
        for (const fusion::Cut& cut : parts_.cuts) {
            remarks_.push_back({"fuse", graph_.function().span(graph_.node(cut.step)),
                                fmt::format("split before {}", graph_.describe(cut.step)),
                                fmt::format("budget of {}; {} values are stored here", cut.budget, cut.stored)});
        }
    }

private:
    void edges_of(const Group& group) {
        std::unordered_set<int> told;  // one remark for a value and a kernel that loads it
        for (uint32_t step : group.members) {
            for (ValueId v : graph_.inputs(step)) {
                const int producer = graph_.step_of(v);
                const bool loaded = producer >= 0 && !group.has(static_cast<uint32_t>(producer));
                if (loaded && told.insert(producer).second) edge(static_cast<uint32_t>(producer), step);
            }
        }
    }
    void edge(uint32_t producer, uint32_t step) {
        const fusion::Reason& known = clusters_.reason(producer);
        const std::string reason = known.empty() ? cut_between(producer, step) : known;
        remarks_.push_back({"fuse", graph_.function().span(graph_.node(step)),
                            fmt::format("edge {} -> {}", graph_.describe(producer), graph_.describe(step)),
                            fmt::format("{}; {} bytes in memory", reason, bytes(producer))});
    }
    std::string cut_between(uint32_t producer, uint32_t step) const {
        for (const fusion::Cut& cut : parts_.cuts) {
            if (producer < cut.step && cut.step <= step)
                return fmt::format("the budget of {} cuts between them", cut.budget);
        }
        return "a budget of the kernel cuts between them";
    }
    std::string bytes(uint32_t step) {
        ExtentId all = pool_.constant(0);
        const ir::Node& n = graph_.function().node(graph_.node(step));
        for (uint32_t k = 0; k < n.results_count; ++k) {
            const ir::Type& type = graph_.function().type({n.results_begin + k});
            ExtentId one = pool_.constant(byte_size(type.dtype));
            for (ExtentId e : type.shape) one = pool_.mul(one, e);
            all = pool_.add(all, one);
        }
        return pool_.text(all);
    }

    const fusion::Graph& graph_;
    const fusion::Clusters& clusters_;
    const fusion::Partition& parts_;
    std::vector<Remark>& remarks_;
    ExtentPool pool_;
};

class GroupBuilder {
public:
    GroupBuilder(const ir::Function& from, PassContext& context)
        : from_(from), context_(context), to_(ir::Form::graph, from.name), outer_(from_, to_) {
        budget_.parameter_bytes = static_cast<uint32_t>(context.target.parameter_bytes);
    }

    ir::Function run();

private:
    /// Value -> its copies in memory, one for each result that it is.
    using Stored = std::unordered_map<uint32_t, std::vector<ValueId>>;
    /// One region over arrays and what was decided for it.
    struct Level {
        Level(const ir::Function& from, ir::RegionId region, const Target& target, const fusion::Budget& budget)
            : graph(from, region, target.fuse), clusters(graph), parts(fusion::partition(graph, clusters, budget)) {}
        fusion::Graph graph;
        fusion::Clusters clusters;
        fusion::Partition parts;
        Stored stored;
    };
    Stored fuse(ir::RegionId region);
    void host_nodes(const Level& level);
    std::vector<ValueId> inputs_of(const Level& level, const Group& group) const;
    void group(Level& level, const Group& group);
    void made_before(Level& level, ir::NodeId id);
    void alone(Level& level, ir::NodeId id);
    ValueId in_memory(ValueId made);
    ValueId copied(ValueId made);

    const ir::Function& from_;
    PassContext& context_;
    fusion::Budget budget_;
    ir::Builder to_;
    ir::Cloner outer_;
};

std::vector<ValueId> GroupBuilder::inputs_of(const Level& level, const Group& group) const {
    std::vector<ValueId> inputs;
    std::unordered_map<uint32_t, bool> seen;
    const auto add = [&](ValueId v) {
        const int step = level.graph.step_of(v);
        if (step >= 0 && group.has(static_cast<uint32_t>(step))) return;
        if (!level.graph.constant(v) && seen.try_emplace(v.index, true).second) inputs.push_back(v);
    };
    for (uint32_t step : group.members) {
        for (ValueId v : level.graph.inputs(step)) add(v);
    }
    for (ValueId v : group.outputs) add(v);
    return inputs;
}

void GroupBuilder::host_nodes(const Level& level) {
    for (ir::NodeId id : from_.region(level.graph.region()).nodes) {
        const ir::Node& n = from_.node(id);
        const bool host =
            n.results_count == 1 && level.graph.on_host(from_.result(id)) && level.graph.live(id);
        if (host || n.op.is(Structure::check_)) outer_.node(id);
    }
}

std::string schedule_of(const fusion::Graph& graph, const Group& group) {
    bool reduces = false;
    for (uint32_t step : group.members) {
        if (graph.is_update(step)) return "update";
        reduces = reduces || graph.folds(step);
    }
    return reduces ? "reduce" : "map";
}

void GroupBuilder::group(Level& level, const Group& group) {
    const std::vector<ValueId> inputs = inputs_of(level, group);
    std::vector<ValueId> operands, yields;
    const ir::RegionId around = to_.insertion();
    const ir::RegionId region = to_.make_region();
    ir::Cloner inner(from_, to_);
    for (ValueId v : inputs) {
        const ValueId operand = outer_.value(v);
        operands.push_back(operand);
        inner.map(v, to_.region_parameter(region, to_.type(operand), from_.value_name(v)));
    }
    const auto constants = [&](const std::vector<ValueId>& values) {
        for (ValueId v : values) {
            if (level.graph.constant(v)) inner.map(v, outer_.value(v));
        }
    };
    to_.set_insertion(region);
    for (uint32_t step : group.members) {
        constants(level.graph.inputs(step));
        inner.node(level.graph.node(step));
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
    to_.set_insertion(around);
    to_.set_span(span);
    const ir::NodeId node = to_.node(Structure::group_, operands, std::move(types),
                                     schedule_of(level.graph, group), {&region, 1});
    for (uint32_t k = 0; k < group.outputs.size(); ++k) {
        const ValueId from = group.outputs[k], made = to_.function().result(node, k);
        to_.name_value(made, from_.value_name(from));
        auto& copies = level.stored[from.index];
        if (copies.empty() && level.graph.step_of(from) >= 0) outer_.map(from, made);
        copies.push_back(made);
    }
}

/// What a loop carries and a branch gives stands in memory: a scalar passed by value is copied there.
ValueId GroupBuilder::in_memory(ValueId made) {
    return ir::passed_by_value(to_.function(), made) ? copied(made) : made;
}

ValueId GroupBuilder::copied(ValueId made) {
    const ir::RegionId region = to_.make_region();
    to_.set_yields(region, {to_.region_parameter(region, to_.type(made))});
    const ir::NodeId node =
        to_.node(Structure::group_, {&made, 1}, {to_.type(made)}, std::string("map"), {&region, 1});
    return to_.function().result(node);
}

/// A group that an earlier pass made.
void GroupBuilder::made_before(Level& level, ir::NodeId id) {
    outer_.node(id);
    for (uint32_t k = 0; k < from_.node(id).results_count; ++k) {
        const ValueId result = from_.result(id, k);
        level.stored[result.index] = {outer_.value(result)};
    }
}

/// A step that is no part of a kernel; the regions of loops and branches are fused in turn.
void GroupBuilder::alone(Level& level, ir::NodeId id) {
    const ir::Node& n = from_.node(id);
    if (n.op.is(Structure::group_)) return made_before(level, id);
    std::vector<ValueId> operands = outer_.values(from_.operands(n));
    const bool by_value = n.op.is(Structure::if_) || n.op.is(Structure::assert_);
    for (ValueId& v : operands) v = by_value ? v : in_memory(v);
    const ir::OpenCopy open = outer_.open(id);
    for (uint32_t k = 0; k < n.regions_count; ++k) {
        const ir::RegionId from = from_.region_of(n, k);
        to_.set_insertion(open.to[k]);
        fuse(from);
        std::vector<ValueId> yields = outer_.values(from_.region(from).yields);
        for (ValueId& v : yields) v = in_memory(v);
        to_.set_yields(open.to[k], std::move(yields));
    }
    to_.set_insertion(open.outer);
    outer_.copy(id, operands, open.to);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId result = from_.result(id, k);
        level.stored[result.index] = {outer_.value(result)};
    }
}

GroupBuilder::Stored GroupBuilder::fuse(ir::RegionId region) {
    Level level(from_, region, context_.target, budget_);
    RemarkWriter(level.graph, level.clusters, level.parts, context_.remarks).write();
    host_nodes(level);
    for (const Group& g : level.parts.groups) {
        const bool single = g.members.size() == 1 && level.graph.alone(g.members[0]);
        if (single) {
            alone(level, level.graph.node(g.members[0]));
        } else {
            group(level, g);
        }
    }
    return std::move(level.stored);
}

ir::Function GroupBuilder::run() {
    outer_.parameters();
    const Stored stored = fuse(from_.body());
    std::vector<ValueId> yields;
    std::unordered_map<uint32_t, size_t> next;
    for (ValueId v : from_.region(from_.body()).yields) {
        const std::vector<ValueId>& copies = stored.at(v.index);
        const size_t k = next[v.index]++;
        yields.push_back(k < copies.size() ? copies[k] : copied(copies.front()));
    }
    ir::Function result = to_.finish(std::move(yields), from_.result_names);
    copy_header(from_, result);
    return result;
}

}  // namespace

std::optional<ir::Function> pass_fuse(const ir::Function& graph, PassContext& context) {
    for (ir::NodeId id : graph.region(graph.body()).nodes) {
        const auto* schedule = std::get_if<std::string>(&graph.node(id).attribute);
        if (graph.node(id).op.is(Structure::group_) && *schedule != "rows") return std::nullopt;
    }
    return GroupBuilder(graph, context).run();
}

}  // namespace fuseline
