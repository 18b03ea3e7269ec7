// schedule: lowers each group by its schedule and writes the plan: checks, host scalars, allocations,
// launches, and the loops and branches around them.
#include "compiler/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "compiler/schedule/host_conditions.h"
#include "compiler/schedule/map_kernel.h"
#include "compiler/schedule/matmul_operands.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

using ir::Function;
using ir::Node;
using ir::NodeId;
using ir::RegionId;
using ir::Structure;
using ir::ValueId;
using schedule_map::MapKernel;

/// Whether the nest has an axis of no elements, for all sizes.
bool writes_nothing(const Function& kernel) {
    for (NodeId id : kernel.region(kernel.body()).nodes) {
        const auto* loops = std::get_if<ir::Loops>(&kernel.node(id).attribute);
        if (loops == nullptr) continue;
        return std::ranges::any_of(loops->extents,
                                   [&](ExtentId e) { return kernel.extents.constant_value(e) == 0; });
    }
    return false;
}

constexpr std::string_view kSchedules[] = {"map", "reduce", "update", "rows"};

class Scheduler {
public:
    Scheduler(const Function& f, PassContext& context)
        : f_(f),
          context_(context),
          pool_(f.extents),
          plan_(ir::Form::plan, f.name),
          cloner_(f, plan_),
          matmuls_(f),
          conditions_(f) {}

    Scheduled run();

private:
    void find_needed();
    void checks_and_scalars(RegionId region);
    void node(NodeId id);
    void open(NodeId id);
    void close();
    void group(NodeId id);
    void on_host(NodeId id);
    void matmul(NodeId id);
    void alias(NodeId id);
    std::vector<std::string> names_of(NodeId group) const;
    void allocate(NodeId node, uint32_t result, const std::string& name);
    void take_over(NodeId group, uint32_t operand, const std::string& name);
    void launch(NodeId group, MapKernel lowered);
    const Function& keep(Function kernel);
    void remark(NodeId group, const MapKernel& lowered);
    bool stands_alone(const Node& n) const;

    const Function& f_;
    PassContext& context_;
    ExtentPool pool_;
    ir::Builder plan_;
    ir::Cloner cloner_;
    MatmulOperands matmuls_;
    HostConditions conditions_;
    Scheduled result_;
    std::vector<bool> needed_;  ///< values that the plan uses
    std::vector<ir::OpenCopy> open_;
    std::unordered_map<std::string, size_t> kernel_by_text_;
    std::unordered_map<uint32_t, std::string> result_name_;  ///< value -> name of the entry's result
};

/// A scalar operation outside the groups: the host computes it.
bool Scheduler::stands_alone(const Node& n) const {
    return n.op.elementwise() || n.op.is(Structure::constant_) || n.op.is(Structure::extent_);
}

/// Host scalars are written only where the plan uses them: what a kernel computes again is not.
void Scheduler::find_needed() {
    needed_.assign(f_.value_count(), false);
    const auto mark = [&](std::span<const ValueId> values) {
        for (ValueId v : values) needed_[v.index] = true;
    };
    std::vector<NodeId> alone;
    std::vector<RegionId> todo{f_.body()};
    while (!todo.empty()) {
        const ir::Region& region = f_.region(todo.back());
        todo.pop_back();
        mark(region.yields);
        for (NodeId id : region.nodes) {
            const Node& n = f_.node(id);
            if (stands_alone(n)) {
                alone.push_back(id);
                continue;
            }
            mark(f_.operands(n));
            // What becomes host scalars itself may use constants around it.
            if (n.op.is(Structure::group_) && !conditions_.on_host(id)) continue;
            for (uint32_t k = 0; k < n.regions_count; ++k) todo.push_back(f_.region_of(n, k));
        }
    }
    // A region is listed after those around it, each in order: users come after what they use.
    for (size_t k = alone.size(); k-- > 0;) {
        if (needed_[f_.result(alone[k]).index]) mark(f_.operands(alone[k]));
    }
}

/// Checks come first, as they guard what follows; scalars depend on scalars alone.
void Scheduler::checks_and_scalars(RegionId region) {
    for (NodeId id : f_.region(region).nodes) {
        if (f_.node(id).op.is(Structure::check_)) cloner_.node(id);
    }
    for (NodeId id : f_.region(region).nodes) {
        if (!stands_alone(f_.node(id)) || !needed_[f_.result(id).index]) continue;
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

void Scheduler::allocate(NodeId node, uint32_t result, const std::string& name) {
    const ValueId v = f_.result(node, result);
    const ValueId made =
        plan_.function().result(plan_.node(Structure::alloc_, {}, {cloner_.type(f_.type(v))}));
    cloner_.map(v, made);
    plan_.name_value(made, name);
}

/// The result of an update lies in the memory of the array that it changes.
void Scheduler::take_over(NodeId group, uint32_t operand, const std::string& name) {
    const ValueId from = cloner_.value(f_.operands(group)[operand]);
    const NodeId own = plan_.node(Structure::own_, {&from, 1}, {plan_.type(from)});
    cloner_.map(f_.result(group), plan_.function().result(own));
    plan_.name_value(plan_.function().result(own), name);
}

void Scheduler::launch(NodeId group, MapKernel lowered) {
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

void Scheduler::group(NodeId id) {
    if (matmuls_.absorbed(id)) return;
    if (conditions_.on_host(id)) return on_host(id);
    const std::vector<std::string> names = names_of(id);
    const auto& schedule = std::get<std::string>(f_.node(id).attribute);
    if (std::ranges::find(kSchedules, schedule) == std::end(kSchedules))
        throw InternalError(fmt::format("schedule: a group has the unknown schedule {}", schedule));
    MapKernel lowered = schedule_map::lower_map(f_, id, names, pool_, context_.target);
    remark(id, lowered);
    plan_.set_span(f_.span(id));
    if (lowered.updated) {
        take_over(id, *lowered.updated, names[0]);
    } else {
        for (uint32_t k = 0; k < names.size(); ++k) allocate(id, k, names[k]);
    }
    if (!writes_nothing(lowered.kernel)) launch(id, std::move(lowered));
}

void Scheduler::on_host(NodeId id) {
    const RegionId region = f_.region_of(f_.node(id), 0);
    const std::vector<ValueId>& parameters = f_.region(region).parameters;
    for (size_t k = 0; k < parameters.size(); ++k)
        cloner_.map(parameters[k], cloner_.value(f_.operands(id)[k]));
    const std::vector<ValueId> values = cloner_.inline_region(region);
    for (uint32_t k = 0; k < values.size(); ++k) cloner_.map(f_.result(id, k), values[k]);
}

void Scheduler::matmul(NodeId id) {
    plan_.set_span(f_.span(id));
    const MatmulOperands::Call call = matmuls_.call(id);
    allocate(id, 0, names_of(id)[0]);
    const ValueId operands[] = {cloner_.value(call.left), cloner_.value(call.right),
                                cloner_.value(f_.result(id))};
    plan_.node(Structure::library_, operands, {}, call.function);
}

void Scheduler::alias(NodeId id) {
    plan_.set_span(f_.span(id));
    const ValueId from = cloner_.value(f_.operands(id)[0]);
    const NodeId made = plan_.node(Structure::alias_, {&from, 1}, {cloner_.type(f_.type(f_.result(id)))});
    cloner_.map(f_.result(id), plan_.function().result(made));
    plan_.name_value(plan_.function().result(made), names_of(id)[0]);
}

void Scheduler::remark(NodeId group, const MapKernel& lowered) {
    const Function& k = lowered.kernel;
    for (NodeId id : k.region(k.body()).nodes) {
        const auto* loops = std::get_if<ir::Loops>(&k.node(id).attribute);
        if (loops == nullptr) continue;
        context_.remarks.push_back(
            {"schedule", f_.span(group),
             fmt::format("group of {} steps", f_.region(f_.region_of(f_.node(group), 0)).nodes.size()),
             fmt::format("{}: axes {}, lanes {}, arrays read {}, arrays written {}", k.schedule,
                         loops->extents.size(), loops->lanes, lowered.reads.size(), lowered.writes.size())});
    }
}

void Scheduler::open(NodeId id) {
    open_.push_back(cloner_.open(id));
    plan_.set_insertion(open_.back().to[0]);
    checks_and_scalars(f_.region_of(f_.node(id), 0));
}

/// Ends the region at hand, and with the last one the node.
void Scheduler::close() {
    ir::OpenCopy& o = open_.back();
    const Node& n = f_.node(o.from);
    plan_.set_yields(o.to[o.region], cloner_.values(f_.region(f_.region_of(n, o.region)).yields));
    o.position = 0;
    if (++o.region < o.to.size()) {
        plan_.set_insertion(o.to[o.region]);
        return checks_and_scalars(f_.region_of(n, o.region));
    }
    const ir::OpenCopy done = std::move(o);
    open_.pop_back();
    plan_.set_insertion(done.outer);
    const NodeId made = cloner_.copy(done.from, cloner_.values(f_.operands(n)), done.to);
    const std::vector<std::string> names = names_of(done.from);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        plan_.name_value(plan_.function().result(made, k), names[k], true);
    }
}

void Scheduler::node(NodeId id) {
    const Node& n = f_.node(id);
    if (n.op.is(Structure::check_) || stands_alone(n)) return;
    if (n.op.is(Structure::group_)) return group(id);
    if (n.op.is(Structure::matmul_)) return matmul(id);
    if (n.op.is(Structure::reshape_)) return alias(id);
    if (n.op.is(Structure::loop_) || n.op.is(Structure::if_)) return open(id);
    require(n.op.is(Structure::assert_), "schedule: an array node stands outside the groups");
    cloner_.node(id);
}

Scheduled Scheduler::run() {
    const ir::Region& body = f_.region(f_.body());
    for (size_t k = 0; k < body.yields.size() && k < f_.result_names.size(); ++k) {
        result_name_.try_emplace(body.yields[k].index, f_.result_names[k]);
    }
    cloner_.parameters();
    find_needed();
    checks_and_scalars(f_.body());
    size_t position = 0;
    while (!open_.empty() || position < body.nodes.size()) {
        if (open_.empty()) {
            node(body.nodes[position++]);
            continue;
        }
        ir::OpenCopy& o = open_.back();
        const auto& nodes = f_.region(f_.region_of(f_.node(o.from), o.region)).nodes;
        o.position < nodes.size() ? node(nodes[o.position++]) : close();
    }
    result_.plan = plan_.finish(cloner_.values(body.yields), f_.result_names);
    result_.plan.options = f_.options;
    return std::move(result_);
}

}  // namespace

Scheduled schedule(const Function& fused, PassContext& context) { return Scheduler(fused, context).run(); }

}  // namespace fuseline
