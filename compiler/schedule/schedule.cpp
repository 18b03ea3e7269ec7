// schedule: lowers each group by its schedule and writes the plan: checks, host scalars, allocations,
// launches.
#include "compiler/schedule/schedule.h"

#include <fmt/format.h>

#include <unordered_map>

#include "compiler/schedule/map_kernel.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

using ir::Function;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;
using schedule_map::MapKernel;

class Scheduler {
public:
    Scheduler(const Function& f, PassContext& context)
        : f_(f), context_(context), pool_(f.extents), plan_(ir::Form::plan, f.name), cloner_(f, plan_) {}

    Scheduled run();

private:
    void checks_and_scalars();
    std::vector<std::string> names_of(NodeId group) const;
    void allocate(NodeId group);
    void launch(NodeId group, MapKernel lowered);
    const Function& keep(Function kernel);
    void remark(NodeId group, const MapKernel& lowered);

    const Function& f_;
    PassContext& context_;
    ExtentPool pool_;
    ir::Builder plan_;
    ir::Cloner cloner_;
    Scheduled result_;
    std::unordered_map<std::string, size_t> kernel_by_text_;
    std::unordered_map<uint32_t, std::string> result_name_;  ///< value -> name of the entry's result
};

void Scheduler::checks_and_scalars() {
    const ir::Region& body = f_.region(f_.body());
    for (NodeId id : body.nodes) {
        if (f_.node(id).op.is(Structure::check_)) cloner_.node(id);
    }
    std::vector<bool> needed(f_.value_count(), false);
    for (NodeId id : body.nodes) {
        if (!f_.node(id).op.is(Structure::group_)) continue;
        for (ValueId v : f_.operands(id)) needed[v.index] = true;
    }
    for (size_t k = body.nodes.size(); k-- > 0;) {
        const NodeId id = body.nodes[k];
        const auto& n = f_.node(id);
        if (n.op.is(Structure::group_) || n.results_count != 1 || !needed[f_.result(id).index]) continue;
        for (ValueId v : f_.operands(id)) needed[v.index] = true;
    }
    for (NodeId id : body.nodes) {
        const auto& n = f_.node(id);
        if (n.op.is(Structure::group_) || n.results_count != 1 || !needed[f_.result(id).index]) continue;
        require(f_.type(f_.result(id)).scalar(), "schedule: an array node stands outside the groups");
        cloner_.node(id);
    }
}

std::vector<std::string> Scheduler::names_of(NodeId group) const {
    std::vector<std::string> names;
    for (uint32_t k = 0; k < f_.node(group).results_count; ++k) {
        const ValueId v = f_.result(group, k);
        const auto entry = result_name_.find(v.index);
        names.emplace_back(entry != result_name_.end() ? entry->second : std::string(f_.value_name(v)));
    }
    return names;
}

/// Kernels are compared by canonical text; an equal one is launched under the name of the first.
const Function& Scheduler::keep(Function kernel) {
    const auto [at, added] =
        kernel_by_text_.try_emplace(ir::print(kernel, {.canonical = true}), result_.kernels.size());
    if (added) {
        kernel.name = fmt::format("{}_{}", f_.name, result_.kernels.size());
        result_.kernels.push_back(std::move(kernel));
    }
    return result_.kernels[at->second];
}

void Scheduler::allocate(NodeId group) {
    plan_.set_span(f_.span(group));
    const std::vector<std::string> names = names_of(group);
    for (uint32_t k = 0; k < f_.node(group).results_count; ++k) {
        const ValueId v = f_.result(group, k);
        const NodeId node = plan_.node(Structure::alloc_, {}, {cloner_.type(f_.type(v))});
        cloner_.map(v, plan_.function().result(node));
        plan_.name_value(plan_.function().result(node), names[k]);
    }
}

void Scheduler::launch(NodeId group, MapKernel lowered) {
    plan_.set_span(f_.span(group));
    std::vector<ValueId> operands;
    for (uint32_t k : lowered.reads) operands.push_back(cloner_.value(f_.operands(group)[k]));
    for (uint32_t k : lowered.writes) operands.push_back(cloner_.value(f_.result(group, k)));
    for (uint32_t k : lowered.scalars) operands.push_back(cloner_.value(f_.operands(group)[k]));
    const Function& kernel = keep(std::move(lowered.kernel));
    ir::Launch launch{kernel.name, {}};
    for (size_t k = 0; k < lowered.sizes.size(); ++k) {
        launch.sizes.emplace_back(kernel.sizes[k], plan_.extents().import(pool_, lowered.sizes[k].second));
    }
    plan_.node(Structure::launch_, operands, {}, std::move(launch));
}

void Scheduler::remark(NodeId group, const MapKernel& lowered) {
    const Function& k = lowered.kernel;
    for (NodeId id : k.region(k.body()).nodes) {
        const auto* loops = std::get_if<ir::Loops>(&k.node(id).attribute);
        if (loops == nullptr) continue;
        context_.remarks.push_back(
            {"schedule", f_.span(group),
             fmt::format("group of {} steps", f_.region(f_.region_of(f_.node(group), 0)).nodes.size()),
             fmt::format("map: axes {}, lanes {}, arrays read {}, arrays written {}", loops->extents.size(),
                         loops->lanes, lowered.reads.size(), lowered.writes.size())});
    }
}

Scheduled Scheduler::run() {
    const ir::Region& body = f_.region(f_.body());
    for (size_t k = 0; k < body.yields.size() && k < f_.result_names.size(); ++k) {
        result_name_.try_emplace(body.yields[k].index, f_.result_names[k]);
    }
    cloner_.parameters();
    checks_and_scalars();
    std::vector<NodeId> groups;
    for (NodeId id : body.nodes) {
        if (f_.node(id).op.is(Structure::group_)) groups.push_back(id);
    }
    for (NodeId id : groups) allocate(id);
    for (NodeId id : groups) {
        MapKernel lowered = schedule_map::lower_map(f_, id, names_of(id), pool_);
        remark(id, lowered);
        launch(id, std::move(lowered));
    }
    std::vector<ValueId> yields;
    for (ValueId v : body.yields) yields.push_back(cloner_.value(v));
    result_.plan = plan_.finish(std::move(yields), f_.result_names);
    result_.plan.options = f_.options;
    return std::move(result_);
}

}  // namespace

Scheduled schedule(const Function& fused, PassContext& context) { return Scheduler(fused, context).run(); }

}  // namespace fuseline
