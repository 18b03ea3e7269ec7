// plan_cost: one walk over the plan; arrays are followed back to the parameters whose memory they are.
#include "compiler/schedule/plan_cost.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/walk.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

class PlanWalk {
public:
    PlanWalk(const ir::Function& plan, const std::vector<ir::Function>& kernels)
        : f_(plan), kernels_(kernels), regions_(plan.region_count()), read_(plan.value_count()) {
        cost_.extents = plan.extents;
        for (auto& region : regions_) region.times = pool().constant(1);
        for (size_t k = 0; k < kernels.size(); ++k) kernel_index_[kernels[k].name] = k;
    }
    PlanCost run();

private:
    struct Counter {
        std::string symbol;
        ExtentId last;
    };
    /// How often a region runs, the counters of the loops around it, outermost first, and which
    /// side of branches it is.
    struct Around {
        ExtentId times;
        std::vector<Counter> counters;
        bool otherwise = false;
    };
    ExtentPool& pool() { return cost_.extents; }
    void visit(NodeId id);
    void loop(const Node& n);
    void launch(NodeId id);
    void library(NodeId id);
    void copy(NodeId id);
    void add(StepCost step, ir::RegionId region);
    void note_read(ValueId v, ExtentId bytes);
    ValueId root(ValueId v) const;
    ExtentId elements(ValueId v);
    ExtentId bytes(ValueId v);
    ExtentId bound(ExtentId e, const Around& around);
    ExtentId least();

    const ir::Function& f_;
    const std::vector<ir::Function>& kernels_;
    std::map<std::string, size_t> kernel_index_;
    std::vector<Around> regions_;
    std::vector<std::optional<ExtentId>> read_;  ///< by parameter of the plan: the most that one step reads
    PlanCost cost_;
};

ExtentId PlanWalk::elements(ValueId v) {
    ExtentId all = pool().constant(1);
    for (ExtentId e : f_.type(v).shape) all = pool().mul(all, e);
    return all;
}

ExtentId PlanWalk::bytes(ValueId v) {
    return pool().mul(pool().constant(byte_size(f_.type(v).dtype)), elements(v));
}

/// The value whose memory a value is: through other shapes, and into the first step of a loop.
ValueId PlanWalk::root(ValueId v) const {
    for (;;) {
        const ir::ValueInfo& info = f_.value(v);
        if (info.definition) {
            const Node& n = f_.node(info.definition);
            if (!n.op.is(Structure::alias_)) return v;
            v = f_.operands(n)[0];
            continue;
        }
        const NodeId owner = f_.region(info.parameter_of).owner;
        if (!owner || !f_.node(owner).op.is(Structure::loop_)) return v;
        v = f_.operands(owner)[info.position];
    }
}

void PlanWalk::note_read(ValueId v, ExtentId amount) {
    const ValueId from = root(v);
    if (f_.value(from).definition || f_.type(from).scalar()) return;
    auto& most = read_[from.index];
    most = most ? pool().max(*most, amount) : amount;
}

/// A size in a loop, at the last value of each counter.
ExtentId PlanWalk::bound(ExtentId e, const Around& around) {
    for (size_t k = around.counters.size(); k-- > 0;)
        e = pool().substitute(e, {{around.counters[k].symbol, around.counters[k].last}});
    return e;
}

void PlanWalk::add(StepCost step, ir::RegionId region) {
    const Around& around = regions_[region.index];
    step.times = bound(around.times, around);
    step.moved = pool().add(step.read, step.written);
    step.otherwise = around.otherwise;
    if (!step.otherwise) {
        const ExtentId once = bound(step.moved, around);
        cost_.moved = pool().add(cost_.moved, pool().mul(once, step.times));
    }
    const auto operands = f_.operands(step.node);
    for (size_t k = 0; k < operands.size() && !step.otherwise; ++k)
        note_read(operands[k], bound(step.bytes[k], around));
    cost_.steps.push_back(std::move(step));
}

StepCost step_of(NodeId id) {
    StepCost step;
    step.node = id;
    return step;
}

void PlanWalk::launch(NodeId id) {
    const auto& launch = std::get<ir::Launch>(f_.node(id).attribute);
    StepCost step = step_of(id);
    step.kernel_index = kernel_index_.at(launch.kernel);
    std::vector<ExtentId> sizes;
    for (const auto& [name, e] : launch.sizes) sizes.push_back(e);
    std::vector<CostOperand> operands;
    const ir::Function& kernel = kernels_[step.kernel_index];
    for (size_t k = 0; k < f_.operands(id).size(); ++k) {
        const bool scalar = kernel.type(kernel.region(kernel.body()).parameters[k]).scalar();
        operands.push_back({scalar, elements(f_.operands(id)[k])});
    }
    step.kernel = kernel_cost(kernel, sizes, operands, pool());
    step.bytes = step.kernel->bytes;
    step.read = step.kernel->read;
    step.written = step.kernel->written;
    add(std::move(step), f_.node(id).parent);
}

/// Of c = a b: each element of the product takes a multiplication and an addition for each step along k.
void PlanWalk::library(NodeId id) {
    const auto operands = f_.operands(id);
    require(operands.size() == 3, "a product of matrices takes two arrays and writes one");
    StepCost step = step_of(id);
    for (ValueId v : operands) step.bytes.push_back(bytes(v));
    step.read = pool().add(step.bytes[0], step.bytes[1]);
    step.written = step.bytes[2];
    const auto& left = f_.type(operands[0]).shape;
    const auto& function = std::get<std::string>(f_.node(id).attribute);
    const bool transposed = function.find(" t") != std::string::npos;
    const ExtentId inner = left[left.size() - (transposed ? 2 : 1)];
    step.flops = pool().mul(pool().constant(2), pool().mul(elements(operands[2]), inner));
    add(std::move(step), f_.node(id).parent);
}

/// The caller holds a parameter, so an update of it begins with a copy, in a loop before the first step.
void PlanWalk::copy(NodeId id) {
    const ValueId from = root(f_.operands(id)[0]);
    if (f_.value(from).definition || f_.value(from).parameter_of != f_.body()) return;
    StepCost step = step_of(id);
    step.read = step.written = bytes(from);
    step.bytes = {step.read, step.written};
    add(std::move(step), f_.body());
}

void PlanWalk::loop(const Node& n) {
    const auto& steps = std::get<ir::Iteration>(n.attribute);
    Around& inside = regions_[n.regions_begin];
    const auto step = steps.bounded() ? pool().constant_value(steps.step) : std::nullopt;
    cost_.exact = cost_.exact && step && *step != 0 && !steps.conditional;
    if (!step || *step == 0) return;
    const bool up = *step > 0;
    const ExtentId way = up ? pool().sub(steps.stop, steps.start) : pool().sub(steps.start, steps.stop);
    const ExtentId size = pool().constant(up ? *step : -*step);
    const ExtentId rounded = pool().add(way, pool().sub(size, pool().constant(1)));
    inside.times = pool().mul(inside.times, pool().max0(pool().floordiv(rounded, size)));
    const ExtentId last = up ? pool().max0(pool().sub(steps.stop, pool().constant(1))) : steps.start;
    inside.counters.push_back({steps.symbol, last});
}

void PlanWalk::visit(NodeId id) {
    const Node& n = f_.node(id);
    for (uint32_t k = 0; k < n.regions_count; ++k) regions_[n.regions_begin + k] = regions_[n.parent.index];
    if (n.op.is(Structure::launch_)) return launch(id);
    if (n.op.is(Structure::library_)) return library(id);
    if (n.op.is(Structure::own_)) return copy(id);
    if (n.op.is(Structure::loop_)) return loop(n);
    if (!n.op.is(Structure::if_)) return;
    regions_[n.regions_begin + 1].otherwise = true;
    cost_.exact = false;
}

ExtentId PlanWalk::least() {
    ExtentId all = pool().constant(0);
    for (ValueId p : f_.region(f_.body()).parameters) {
        if (read_[p.index]) all = pool().add(all, *read_[p.index]);
    }
    for (ValueId v : f_.region(f_.body()).yields) {
        if (!ir::passed_by_value(f_, v)) all = pool().add(all, bytes(v));
    }
    return all;
}

PlanCost PlanWalk::run() {
    for (NodeId id : ir::nodes_in_order(f_, f_.body())) visit(id);
    cost_.least = least();
    return std::move(cost_);
}

}  // namespace

PlanCost plan_cost(const ir::Function& plan, const std::vector<ir::Function>& kernels) {
    return PlanWalk(plan, kernels).run();
}

}  // namespace fuseline
