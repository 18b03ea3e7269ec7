// Builds the kernel of a trace: loop-invariant scalars, then the nest with loads at their first use and
// stores at its end.
#include "compiler/schedule/map_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "compiler/schedule/axes.h"
#include "compiler/schedule/kernel_sizes.h"
#include "compiler/support/errors.h"

namespace fuseline::schedule_map {

using ir::Function;
using ir::Node;
using ir::NodeId;
using ir::RegionId;
using ir::Structure;
using ir::Type;
using ir::TypeKind;
using ir::ValueId;

namespace {

class KernelBuilder {
public:
    KernelBuilder(const Function& f, NodeId group, Trace trace, Axes axes, ExtentPool& pool)
        : f_(f),
          group_(group),
          trace_(std::move(trace)),
          axes_(std::move(axes)),
          pool_(pool),
          to_(ir::Form::kernel),
          cloner_(f, to_) {}

    MapKernel run(const std::vector<std::string>& names);

private:
    void parameters(const std::vector<std::string>& names);
    std::string unique(std::string_view wanted);
    void invariants();
    void nest();
    void emit(size_t item);
    void emit_inputs(const Item& item);
    void emit_step(size_t k);
    void stores();
    void finish_item(size_t k, std::vector<ValueId> values) { values_[k] = std::move(values); }
    ValueId value(Ref r) const { return values_[static_cast<size_t>(r.item)][r.result]; }
    ir::Affine import(const ir::Affine& a);
    std::vector<size_t> steps_in_order() const;

    const Function& f_;
    NodeId group_;
    Trace trace_;
    Axes axes_;
    ExtentPool& pool_;
    ir::Builder to_;
    ir::Cloner cloner_;
    MapKernel result_;
    std::set<std::string> names_;
    std::unordered_map<std::string, int> tried_;
    std::vector<std::vector<ValueId>> values_;      ///< of items
    std::vector<ValueId> operand_values_, writes_;  ///< parameters of the kernel
};

std::string KernelBuilder::unique(std::string_view wanted) {
    std::string name(wanted);
    // Numbers go on from the last one tried, so that many equal names cost one try each.
    int& last = tried_[name];
    while (!names_.insert(name).second) name = fmt::format("{}_{}", wanted, ++last);
    return name;
}

void KernelBuilder::parameters(const std::vector<std::string>& names) {
    const auto operands = f_.operands(group_);
    std::vector<bool> read(operands.size(), false), scalar(operands.size(), false);
    for (const Item& item : trace_.items) {
        if (item.kind == ItemKind::load) read[item.operand] = true;
        if (item.kind == ItemKind::scalar) scalar[item.operand] = true;
    }
    operand_values_.resize(operands.size());
    const auto add = [&](uint32_t k, TypeKind kind, std::string_view fallback) {
        const std::string_view name = f_.value_name(operands[k]);
        const std::string chosen = unique(name.empty() ? fallback : name);
        operand_values_[k] = to_.parameter(chosen, {kind, f_.type(operands[k]).dtype, {}});
    };
    for (uint32_t k = 0; k < operands.size(); ++k) {
        if (!read[k]) continue;
        add(k, TypeKind::read_buffer, "x");
        result_.reads.push_back(k);
    }
    for (uint32_t k = 0; k < trace_.outputs.size(); ++k) {
        const DType dtype = f_.type(f_.result(group_, k)).dtype;
        writes_.push_back(
            to_.parameter(unique(names[k].empty() ? "out" : names[k]), {TypeKind::write_buffer, dtype, {}}));
        result_.writes.push_back(k);
    }
    for (uint32_t k = 0; k < operands.size(); ++k) {
        if (!scalar[k]) continue;
        add(k, TypeKind::value, "scalar");
        result_.scalars.push_back(k);
    }
}

ir::Affine KernelBuilder::import(const ir::Affine& a) {
    ir::Affine copy{to_.extents().import(pool_, a.offset), {}};
    for (const auto& t : a.terms) copy.terms.push_back({t.axis, to_.extents().import(pool_, t.coefficient)});
    return copy;
}

void KernelBuilder::emit_inputs(const Item& item) {
    for (Ref r : item.inputs) {
        const auto k = static_cast<size_t>(r.item);
        if (values_[k].empty()) emit(k);
    }
}

void KernelBuilder::emit_step(size_t k) {
    const Item& item = trace_.items[k];
    const Node& n = f_.node(item.node);
    const auto inputs = inputs_of(f_, item.node);
    for (size_t i = 0; i < inputs.size(); ++i) cloner_.map(inputs[i], value(item.inputs[i]));
    std::vector<ValueId> values;
    if (n.op.is(Structure::apply_)) {
        const RegionId region = f_.region_of(n, 0);
        const auto& parameters = f_.region(region).parameters;
        for (size_t p = 0; p < parameters.size(); ++p) cloner_.map(parameters[p], value(item.inputs[p]));
        values = cloner_.inline_region(region);
    } else {
        // Inside a kernel every value is a scalar, so the node is made anew rather than cloned with its
        // shape.
        std::vector<ValueId> operands;
        for (ValueId v : f_.operands(n)) operands.push_back(cloner_.value(v));
        const Type type{TypeKind::value, f_.type(f_.result(item.node)).dtype, {}};
        const NodeId made = to_.node(n.op, operands, {type}, cloner_.attribute(n.attribute));
        values.push_back(to_.function().result(made));
    }
    for (uint32_t r = 0; r < values.size(); ++r)
        to_.name_value(values[r], f_.value_name(f_.result(item.node, r)));
    finish_item(k, std::move(values));
}

void KernelBuilder::emit(size_t k) {
    const Item& item = trace_.items[k];
    to_.set_span(item.node ? f_.span(item.node) : Span{});
    const auto make = [&](Structure what, std::span<const ValueId> operands, DType dtype) {
        const Type type{TypeKind::value, dtype, {}};
        return to_.function().result(to_.node(what, operands, {type}, import(item.affine)));
    };
    if (item.kind == ItemKind::scalar) {
        finish_item(k, {operand_values_[item.operand]});
    } else if (item.kind == ItemKind::index) {
        finish_item(k, {make(Structure::index_, {}, DType::i64_)});
    } else if (item.kind == ItemKind::load) {
        const ValueId buffer = operand_values_[item.operand];
        const ValueId loaded = make(Structure::load_, {&buffer, 1}, to_.type(buffer).dtype);
        to_.name_value(loaded, f_.value_name(f_.operands(group_)[item.operand]));
        finish_item(k, {loaded});
    } else {
        emit_inputs(item);
        to_.set_span(f_.span(item.node));
        emit_step(k);
    }
}

std::vector<size_t> KernelBuilder::steps_in_order() const {
    std::vector<size_t> order;
    for (size_t k = 0; k < trace_.items.size(); ++k) {
        if (trace_.items[k].kind == ItemKind::step) order.push_back(k);
    }
    std::ranges::stable_sort(order, {}, [&](size_t k) { return trace_.items[k].order; });
    return order;
}

void KernelBuilder::invariants() {
    for (size_t k : steps_in_order()) {
        if (trace_.items[k].invariant) emit(k);
    }
}

void KernelBuilder::stores() {
    const ir::Affine at = import(trace_.store);
    for (size_t k = 0; k < trace_.outputs.size(); ++k) {
        const auto item = static_cast<size_t>(trace_.outputs[k].item);
        if (values_[item].empty()) emit(item);
        const ValueId operands[] = {writes_[k], value(trace_.outputs[k])};
        to_.set_span(f_.span(group_));
        to_.node(Structure::store_, operands, {}, at);
    }
}

void KernelBuilder::nest() {
    const RegionId region = to_.make_region();
    for (size_t axis = 0; axis < axes_.extents.size(); ++axis) {
        to_.region_parameter(region, {TypeKind::index, DType::i64_, {}},
                             axis < 6 ? std::string(1, "ijklmn"[axis]) : "");
    }
    to_.set_insertion(region);
    for (size_t k : steps_in_order()) {
        if (values_[k].empty()) emit(k);
    }
    stores();
    to_.set_insertion(to_.function().body());
    to_.set_span(f_.span(group_));
    ir::Loops loops{{}, ir::Mapping::grid, axes_.lanes};
    for (ExtentId e : axes_.extents) loops.extents.push_back(to_.extents().import(pool_, e));
    to_.node(Structure::nest_, {}, {}, loops, {&region, 1});
}

MapKernel KernelBuilder::run(const std::vector<std::string>& names) {
    values_.resize(trace_.items.size());
    parameters(names);
    invariants();
    nest();
    Function kernel = to_.finish({}, {});
    kernel.options = f_.options;
    kernel.schedule = "map";
    result_.kernel = name_sizes(kernel, names_, pool_, result_.sizes);
    return std::move(result_);
}

int widest_element(const Function& f, NodeId group, const Trace& trace) {
    int widest = 1;
    for (const Item& item : trace.items) {
        if (item.kind == ItemKind::load) {
            widest = std::max(widest, byte_size(f.type(f.operands(group)[item.operand]).dtype));
        }
    }
    for (uint32_t k = 0; k < trace.outputs.size(); ++k) {
        widest = std::max(widest, byte_size(f.type(f.result(group, k)).dtype));
    }
    return widest;
}

}  // namespace

MapKernel lower_map(const Function& function, NodeId group, const std::vector<std::string>& names,
                    ExtentPool& pool) {
    Trace trace = trace_group(function, group, pool);
    Axes axes = choose_axes(trace, pool, widest_element(function, group, trace));
    return KernelBuilder(function, group, std::move(trace), std::move(axes), pool).run(names);
}

}  // namespace fuseline::schedule_map
