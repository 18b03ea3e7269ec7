// PlanProgram: one walk over the plan's nodes, then the last use of every value.
#include "runtime/session/plan_program.h"

#include <algorithm>
#include <map>

#include "compiler/ir/walk.h"
#include "compiler/schedule/plan_cost.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::RegionId;
using ir::Structure;
using ir::ValueId;

namespace {

using Kind = PlanProgram::Kind;

struct KindRow {
    Structure structure;
    Kind kind;
};
constexpr KindRow kKinds[] = {
    {Structure::constant_, Kind::scalar},  {Structure::extent_, Kind::scalar},
    {Structure::check_, Kind::check},      {Structure::alloc_, Kind::alloc},
    {Structure::own_, Kind::own},          {Structure::alias_, Kind::alias},
    {Structure::launch_, Kind::launch},    {Structure::loop_, Kind::loop},
    {Structure::if_, Kind::branch},        {Structure::library_, Kind::library},
    {Structure::assert_, Kind::assertion},
};

Kind kind_of(const Node& n) {
    if (n.op.elementwise()) return Kind::scalar;
    const auto* row = std::ranges::find(kKinds, n.op.structure(), &KindRow::structure);
    require(row != std::end(kKinds), "a plan holds a node that no plan has");
    return row->kind;
}

/// Where a region last uses a value: by one of its yields, or in or below one of its steps.
struct LastUse {
    static constexpr size_t kYield = SIZE_MAX;
    size_t step = 0;
    size_t yield = 0;       ///< the last of the region's yields that it is
    bool operand = false;   ///< as an operand of that step
    bool captured = false;  ///< inside that step's regions
};

/// The last uses of a plan's values, in each region from that of the use to that of the value.
class LastUses {
public:
    LastUses(const ir::Function& plan, const std::vector<PlanProgram::Region>& regions)
        : f_(plan), position_(plan.node_count(), 0) {
        for (const PlanProgram::Region& r : regions) {
            for (size_t k = 0; k < r.steps.size(); ++k) position_[r.steps[k].node.index] = k;
        }
        for (const PlanProgram::Region& r : regions) {
            for (const PlanProgram::Step& s : r.steps) {
                for (ValueId v : f_.operands(s.node)) use(v, f_.node(s.node).parent, s.node, false);
            }
        }
        for (uint32_t r = 0; r < regions.size(); ++r) {
            for (size_t k = 0; k < regions[r].yields.size(); ++k) yield(regions[r].yields[k], {r}, k);
        }
    }

    const LastUse* find(ValueId v, RegionId region) const {
        const auto found = uses_.find({v.index, region.index});
        return found != uses_.end() ? &found->second : nullptr;
    }
    RegionId home(ValueId v) const {
        const auto& info = f_.value(v);
        return info.definition ? f_.node(info.definition).parent : info.parameter_of;
    }
    size_t position(NodeId id) const { return position_[id.index]; }

private:
    void use(ValueId v, RegionId at, NodeId node, bool captured) {
        for (;; captured = true) {
            const size_t step = position_[node.index];
            const auto [found, fresh] =
                uses_.try_emplace({v.index, at.index}, LastUse{step, 0, false, false});
            LastUse& last = found->second;
            if (last.step < step) last = {step, 0, false, false};
            if (last.step == step) (captured ? last.captured : last.operand) = true;
            if (at == home(v)) return;
            node = f_.region(at).owner;
            at = f_.node(node).parent;
        }
    }

    void yield(ValueId v, RegionId region, size_t number) {
        uses_[{v.index, region.index}] = {LastUse::kYield, number, false, false};
        if (home(v) == region) return;
        const NodeId owner = f_.region(region).owner;
        use(v, f_.node(owner).parent, owner, true);
    }

    const ir::Function& f_;
    std::vector<size_t> position_;
    std::map<std::pair<uint32_t, uint32_t>, LastUse> uses_;  ///< by value and region
};

}  // namespace

PlanProgram::PlanProgram(const ir::Function& plan, const Kernels& kernels) : f_(plan) {
    shapes_.resize(plan.value_count());
    regions_.resize(plan.region_count());
    for (const ir::Function& kernel : kernels) widths_.emplace_back(kernel);
    const std::vector<NodeId> order = ir::nodes_in_order(plan, plan.body());
    for (NodeId id : order) {
        const auto* steps = std::get_if<ir::Iteration>(&plan.node(id).attribute);
        if (steps != nullptr && steps->bounded()) counters_.push_back(steps->symbol);
    }
    for (NodeId id : order) add_node(id, kernels);
    add_costs(kernels);
    for (uint32_t r = 0; r < plan.region_count(); ++r) {
        regions_[r].parameters = plan.region({r}).parameters;
        regions_[r].yields = plan.region({r}).yields;
        for (ValueId p : regions_[r].parameters) {
            for (ExtentId e : plan.type(p).shape) shapes_[p.index].push_back(sizes_.add(plan.extents, e));
        }
    }
    find_last_uses();
}

void PlanProgram::add_node(NodeId id, const Kernels& kernels) {
    const Node& n = f_.node(id);
    Step step{kind_of(n), id, 0, {}, {}};
    const auto add = [&](ExtentId e) { return sizes_.add(f_.extents, e); };
    if (const auto* e = std::get_if<ExtentId>(&n.attribute)) {
        step.detail = static_cast<uint32_t>(extents_.size());
        extents_.push_back(add(*e));
    }
    if (const auto* c = std::get_if<ir::Check>(&n.attribute)) {
        step.detail = static_cast<uint32_t>(checks_.size());
        checks_.push_back({add(c->left), add(c->right), c->relation});
    }
    if (const auto* i = std::get_if<ir::Iteration>(&n.attribute)) {
        step.detail = static_cast<uint32_t>(loops_.size());
        Loop loop{i->bounded(), i->conditional, 0, {}, {}, {}, f_.region_of(n, 0).index};
        if (loop.bounded) {
            loop.slot = sizes_.slot(i->symbol);
            loop.start = add(i->start), loop.stop = add(i->stop), loop.step = add(i->step);
        }
        loops_.push_back(loop);
    }
    if (n.op.is(Structure::launch_)) step.detail = add_launch(id, kernels);
    if (n.op.is(Structure::library_)) {
        step.detail = static_cast<uint32_t>(libraries_.size());
        libraries_.emplace_back();
    }
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId v = f_.result(id, k);
        for (ExtentId e : f_.type(v).shape) shapes_[v.index].push_back(add(e));
    }
    regions_[n.parent.index].steps.push_back(std::move(step));
}

bool PlanProgram::depends_on_counters(ExtentId e) const {
    return std::ranges::any_of(f_.extents.symbols(e), [&](const std::string& symbol) {
        return std::ranges::find(counters_, symbol) != counters_.end();
    });
}

uint32_t PlanProgram::add_launch(NodeId id, const Kernels& kernels) {
    const auto& launch = std::get<ir::Launch>(f_.node(id).attribute);
    Launch made;
    const auto named = std::ranges::find(kernels, launch.kernel, &ir::Function::name);
    require(named != kernels.end(), "a plan launches a kernel that it lacks");
    made.kernel = static_cast<size_t>(named - kernels.begin());
    made.nested = f_.node(id).parent != f_.body();
    for (const auto& [name, e] : launch.sizes) {
        made.sizes.push_back(sizes_.add(f_.extents, e));
        made.varies = made.varies || depends_on_counters(e);
    }
    for (ValueId p : named->region(named->body()).parameters)
        made.by_value.push_back(named->type(p).scalar());
    launches_.push_back(std::move(made));
    return static_cast<uint32_t>(launches_.size() - 1);
}

/// What the cost model adds up is kept as sizes, to be known at each launch.
void PlanProgram::add_costs(const Kernels& kernels) {
    const PlanCost cost = plan_cost(f_, kernels);
    std::map<NodeId, const StepCost*> by_node;
    for (const StepCost& step : cost.steps) by_node[step.node] = &step;
    const auto add = [&](ExtentId e) { return sizes_.add(cost.extents, e); };
    for (const Region& region : regions_) {
        for (const Step& s : region.steps) {
            if (s.kind == Kind::launch) launches_[s.detail].bytes = add(by_node.at(s.node)->moved);
            if (s.kind == Kind::library)
                libraries_[s.detail] = {add(by_node.at(s.node)->moved), add(by_node.at(s.node)->flops)};
        }
    }
}

/// A value that dies in a branch dies at its last use in the side that is taken.
void PlanProgram::find_last_uses() {
    const LastUses uses(f_, regions_);
    for (Region& r : regions_) r.last.assign(r.yields.size(), false);
    std::vector<std::pair<ValueId, RegionId>> todo;
    for (const Region& r : regions_) {
        for (ValueId p : r.parameters) todo.emplace_back(p, uses.home(p));
        for (const Step& s : r.steps) {
            for (uint32_t k = 0; k < f_.node(s.node).results_count; ++k)
                todo.emplace_back(f_.result(s.node, k), f_.node(s.node).parent);
        }
    }
    while (!todo.empty()) {
        const auto [v, region] = todo.back();
        todo.pop_back();
        Region& r = regions_[region.index];
        const LastUse* last = uses.find(v, region);
        const NodeId definition = f_.value(v).definition;
        if (last == nullptr) {
            if (region != uses.home(v)) continue;
            (definition ? r.steps[uses.position(definition)].dropped : r.unused).push_back(v);
        } else if (last->step == LastUse::kYield) {
            r.last[last->yield] = true;
        } else {
            Step& s = r.steps[last->step];
            (last->operand && !last->captured ? s.taken : s.dropped).push_back(v);
            if (s.kind != Kind::branch || !last->captured) continue;
            for (uint32_t k = 0; k < 2; ++k) todo.emplace_back(v, f_.region_of(f_.node(s.node), k));
        }
    }
}

}  // namespace fuseline
