// ScalarMachine: a stack of open regions over one register file.
#include "compiler/interpreter/scalar_machine.h"

#include <fmt/format.h>

#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Region;
using ir::RegionId;
using ir::Structure;
using ir::ValueId;

DType operation_dtype(const ir::Function& function, const Node& node) {
    const auto operands = function.operands(node);
    const bool select = row(node.op.op()).rule == TypeRule::select;
    return function.type(select ? operands.back() : operands.front()).dtype;
}

int64_t size_value(const ir::Function& function, ExtentId size, const SizeMap& sizes, Span span) {
    std::string why;
    const auto value = function.extents.evaluate(size, sizes, &why);
    if (value) return *value;
    Diagnostic d;
    d.span = span;
    d.message = fmt::format("the size {} cannot be computed: {}", function.extents.text(size), why);
    throw UserError(std::vector<Diagnostic>{std::move(d)});
}

void ScalarMachine::copy(std::span<const ValueId> from, std::span<const ValueId> to) {
    require(from.size() >= to.size(), "ScalarMachine: a region yields too few values");
    // A yield may be another of the targets, so all are read before one is written.
    std::vector<Scalar> read;
    read.reserve(to.size());
    for (size_t k = 0; k < to.size(); ++k) read.push_back(get(from[k]));
    for (size_t k = 0; k < to.size(); ++k) set(to[k], read[k]);
}

void ScalarMachine::copy_to_results(std::span<const ValueId> from, const Node& node) {
    for (uint32_t k = 0; k < node.results_count; ++k) set({node.results_begin + k}, get(from[k]));
}

void ScalarMachine::simple(NodeId id) {
    const Node& n = f_->node(id);
    const ValueId result{n.results_begin};
    if (n.op.is(Structure::constant_)) {
        set(result, std::get<Scalar>(n.attribute));
    } else if (n.op.is(Structure::extent_)) {
        set(result, Scalar::of_i64(size_value(*f_, std::get<ExtentId>(n.attribute), *sizes_, f_->span(id))));
    } else {
        require(n.op.elementwise(), "ScalarMachine: not a scalar node");
        Scalar operands[4];
        size_t count = 0;
        for (ValueId v : f_->operands(n)) operands[count++] = get(v);
        set(result, evaluate(n.op.op(), operation_dtype(*f_, n), f_->type(result).dtype, operands));
    }
}

void ScalarMachine::enter(NodeId id) {
    const Node& n = f_->node(id);
    const auto operands = f_->operands(n);
    if (n.op.is(Structure::if_)) {
        frames_.push_back({.region = f_->region_of(n, get(operands[0]).as_bool() ? 0 : 1)});
    } else if (n.op.is(Structure::while_)) {
        copy(operands, f_->region(f_->region_of(n, 0)).parameters);
        frames_.push_back({.region = f_->region_of(n, 0)});
    } else if (n.op.is(Structure::apply_)) {
        copy(operands, f_->region(f_->region_of(n, 0)).parameters);
        frames_.push_back({.region = f_->region_of(n, 0)});
    } else {
        require(n.op.is(Structure::for_), "ScalarMachine: not a scalar region");
        Frame frame{.region = f_->region_of(n, 0),
                    .index = get(operands[0]).as_i64(),
                    .stop = get(operands[1]).as_i64()};
        if (frame.index >= frame.stop) return copy_to_results(operands.subspan(2), n);
        const auto& parameters = f_->region(frame.region).parameters;
        copy(operands.subspan(2), std::span(parameters).subspan(1));
        set(parameters[0], Scalar::of_i64(frame.index));
        frames_.push_back(frame);
    }
}

void ScalarMachine::leave_while(const Node& owner) {
    Frame& frame = frames_.back();
    const RegionId condition = f_->region_of(owner, 0), step = f_->region_of(owner, 1);
    const Region& first = f_->region(condition);
    frame.position = 0;
    if (frame.region == step) {
        copy(f_->region(step).yields, first.parameters);
        frame.region = condition;
    } else if (get(first.yields[0]).as_bool()) {
        copy(first.parameters, f_->region(step).parameters);
        frame.region = step;
    } else {
        frames_.pop_back();
        copy_to_results(first.parameters, owner);
    }
}

void ScalarMachine::leave_for(const Node& owner) {
    Frame& frame = frames_.back();
    const Region& region = f_->region(frame.region);
    const auto carried = std::span(region.parameters).subspan(1);
    copy(region.yields, carried);
    frame.position = 0;
    if (++frame.index < frame.stop) return set(region.parameters[0], Scalar::of_i64(frame.index));
    frames_.pop_back();
    copy_to_results(carried, owner);
}

void ScalarMachine::leave() {
    const Region& region = f_->region(frames_.back().region);
    const Node& owner = f_->node(region.owner);
    if (owner.op.is(Structure::while_)) return leave_while(owner);
    if (owner.op.is(Structure::for_)) return leave_for(owner);
    frames_.pop_back();
    copy_to_results(region.yields, owner);
}

/// Runs until only `base` frames are left.
void ScalarMachine::drain(size_t base) {
    while (frames_.size() > base) {
        Frame& frame = frames_.back();
        const auto& nodes = f_->region(frame.region).nodes;
        if (frame.position < nodes.size()) {
            const NodeId id = nodes[frame.position++];
            f_->node(id).regions_count != 0 ? enter(id) : simple(id);
        } else if (frame.whole) {
            frames_.pop_back();
        } else {
            leave();
        }
    }
}

void ScalarMachine::run(RegionId region) {
    frames_.push_back({.region = region, .whole = true});
    drain(frames_.size() - 1);
}

void ScalarMachine::execute(NodeId id) {
    if (f_->node(id).regions_count == 0) return simple(id);
    const size_t base = frames_.size();
    enter(id);
    drain(base);
}

}  // namespace fuseline
