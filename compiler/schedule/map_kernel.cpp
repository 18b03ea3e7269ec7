// Builds the kernel of a trace: loop-invariant scalars, then the nest with loads at their first use, folds
// and, at its end, stores.
#include "compiler/schedule/map_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "compiler/ir/walk.h"
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
    void emit_load(size_t k);
    void emit_gather(size_t k);
    void emit_inside(size_t k);
    void emit_choice(size_t k);
    void emit_index(size_t k);
    void emit_fold(size_t k);
    using Emitter = void (KernelBuilder::*)(size_t);
    static Emitter emitter(ItemKind kind);
    int fold_number(size_t k) const;
    void fold_elements(const Item& item, RegionId region);
    void fold_combine(const Item& item, RegionId region);
    ValueId operation(OpId op, std::initializer_list<ValueId> operands);
    ValueId size_value(ExtentId size) { return to_.extent(to_.extents().import(pool_, size)); }
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
        if (item.kind == ItemKind::load || item.kind == ItemKind::gather) read[item.operand] = true;
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
    const auto need = [&](Ref r) {
        if (r.item >= 0 && values_[static_cast<size_t>(r.item)].empty()) emit(static_cast<size_t>(r.item));
    };
    for (Ref r : item.inputs) need(r);
    need(item.guard);
    need(item.fill);
}

ValueId KernelBuilder::operation(OpId op, std::initializer_list<ValueId> operands) {
    const std::vector<ValueId> list(operands);
    std::vector<DType> dtypes;
    for (ValueId v : list) dtypes.push_back(to_.type(v).dtype);
    const auto typing = op_typing(op, dtypes.data(), dtypes.size(), nullptr, nullptr);
    require(typing.has_value(), "schedule: an operation of its own has no type");
    return to_.elementwise(op, list, typing->result);
}

void KernelBuilder::emit_load(size_t k) {
    const Item& item = trace_.items[k];
    const ValueId buffer = operand_values_[item.operand];
    const DType dtype = to_.type(buffer).dtype;
    std::vector<ValueId> operands{buffer};
    if (item.guard.item >= 0) {
        operands.push_back(value(item.guard));
        operands.push_back(item.fill.item >= 0 ? value(item.fill) : to_.constant(dtype, Scalar{}));
    }
    const NodeId made =
        to_.node(Structure::load_, operands, {{TypeKind::value, dtype, {}}}, import(item.affine));
    const ValueId loaded = to_.function().result(made);
    if (item.guard.item < 0) to_.name_value(loaded, f_.value_name(f_.operands(group_)[item.operand]));
    finish_item(k, {loaded});
}

void KernelBuilder::emit_gather(size_t k) {
    const Item& item = trace_.items[k];
    const ValueId buffer = operand_values_[item.operand];
    const DType dtype = to_.type(buffer).dtype;
    const std::vector<ExtentId>& shape = f_.type(f_.operands(group_)[item.operand]).shape;
    ValueId offset;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const ValueId index = value(item.inputs[axis]);
        offset = axis == 0 ? index
                           : operation(OpId::add_, {operation(OpId::mul_, {offset, size_value(shape[axis])}),
                                                    index});
    }
    std::vector<ValueId> operands{buffer, offset};
    if (item.guard.item >= 0) {
        operands.push_back(value(item.guard));
        operands.push_back(to_.constant(dtype, Scalar{}));
    }
    const NodeId made = to_.node(Structure::load_at_, operands, {{TypeKind::value, dtype, {}}});
    finish_item(k, {to_.function().result(made)});
}

void KernelBuilder::emit_inside(size_t k) {
    ValueId all;
    const auto also = [&](ValueId one) { all = all ? operation(OpId::and_, {all, one}) : one; };
    for (const Condition& c : trace_.items[k].conditions) {
        const NodeId made =
            to_.node(Structure::index_, {}, {{TypeKind::value, DType::i64_, {}}}, import(c.index));
        const ValueId index = to_.function().result(made);
        if (c.low) also(operation(OpId::ge_, {index, to_.constant(DType::i64_, Scalar::of_i64(0))}));
        if (c.high) also(operation(OpId::lt_, {index, size_value(c.extent)}));
    }
    finish_item(k, {all});
}

/// What stands in the fold uses values of the nest, which must be there before it.
void KernelBuilder::emit_fold(size_t k) {
    const Item& item = trace_.items[k];
    const int number = fold_number(k);
    const auto nest_level = [&](Ref r) {
        if (r.item < 0) return;
        const auto i = static_cast<size_t>(r.item);
        if (trace_.items[i].fold < 0 && values_[i].empty()) emit(i);
    };
    for (const Item& inner : trace_.items) {
        if (inner.fold < 0 || inner.fold != number) continue;
        for (Ref r : inner.inputs) nest_level(r);
        nest_level(inner.guard);
        nest_level(inner.fill);
    }
    for (Ref r : item.elements) nest_level(r);
    const Node& n = f_.node(item.node);
    const RegionId around = to_.insertion();
    const RegionId elements = to_.make_region(), combine = to_.make_region();
    fold_elements(item, elements);
    fold_combine(item, combine);
    to_.set_insertion(around);
    to_.set_span(f_.span(item.node));
    std::vector<ValueId> identities;
    std::vector<Type> types;
    for (uint32_t r = 0; r < n.results_count; ++r) {
        identities.push_back(value(item.inputs[r]));
        types.push_back({TypeKind::value, f_.type(f_.result(item.node, r)).dtype, {}});
    }
    const Axes::Fold& axes = axes_.folds[static_cast<size_t>(number)];
    ir::Loops loops{{}, axes.mapping, 1};
    for (ExtentId e : axes.extents) loops.extents.push_back(to_.extents().import(pool_, e));
    const RegionId regions[] = {elements, combine};
    const NodeId made = to_.node(Structure::fold_, identities, std::move(types), std::move(loops), regions);
    std::vector<ValueId> values;
    for (uint32_t r = 0; r < n.results_count; ++r) {
        values.push_back(to_.function().result(made, r));
        to_.name_value(values.back(), f_.value_name(f_.result(item.node, r)));
    }
    finish_item(k, std::move(values));
}

int KernelBuilder::fold_number(size_t k) const {
    return static_cast<int>(std::ranges::find(trace_.folds, static_cast<int>(k)) - trace_.folds.begin());
}

void KernelBuilder::fold_elements(const Item& item, RegionId region) {
    const int number = fold_number(static_cast<size_t>(&item - trace_.items.data()));
    for (size_t axis = 0; axis < axes_.folds[static_cast<size_t>(number)].extents.size(); ++axis) {
        to_.region_parameter(region, {TypeKind::index, DType::i64_, {}},
                             axis < 4 ? std::string(1, "rstu"[axis]) : "");
    }
    to_.set_insertion(region);
    for (size_t k : steps_in_order()) {
        if (trace_.items[k].fold == number && values_[k].empty()) emit(k);
    }
    std::vector<ValueId> yields;
    for (Ref r : item.elements) {
        if (values_[static_cast<size_t>(r.item)].empty()) emit(static_cast<size_t>(r.item));
        yields.push_back(value(r));
    }
    to_.set_yields(region, std::move(yields));
}

void KernelBuilder::fold_combine(const Item& item, RegionId region) {
    const Node& n = f_.node(item.node);
    const RegionId from = f_.region_of(n, 0);
    const std::vector<ValueId> inputs = ir::inputs_of(f_, item.node);
    const size_t arrays = f_.operands(n).size() / 2;
    for (size_t k = arrays; k < inputs.size(); ++k) cloner_.map(inputs[k], value(item.inputs[k - arrays]));
    for (ValueId p : f_.region(from).parameters) {
        const Type type{TypeKind::value, f_.type(p).dtype, {}};
        cloner_.map(p, to_.region_parameter(region, type, f_.value_name(p)));
    }
    to_.set_insertion(region);
    to_.set_yields(region, cloner_.inline_region(from));
}

void KernelBuilder::emit_step(size_t k) {
    const Item& item = trace_.items[k];
    const Node& n = f_.node(item.node);
    const auto inputs = ir::inputs_of(f_, item.node);
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

void KernelBuilder::emit_choice(size_t k) {
    const std::vector<Ref>& inputs = trace_.items[k].inputs;
    finish_item(k, {operation(OpId::where_, {value(inputs[0]), value(inputs[1]), value(inputs[2])})});
}

void KernelBuilder::emit_index(size_t k) {
    const Type type{TypeKind::value, DType::i64_, {}};
    const NodeId made = to_.node(Structure::index_, {}, {type}, import(trace_.items[k].affine));
    finish_item(k, {to_.function().result(made)});
}

KernelBuilder::Emitter KernelBuilder::emitter(ItemKind kind) {
    switch (kind) {
        case ItemKind::load: return &KernelBuilder::emit_load;
        case ItemKind::gather: return &KernelBuilder::emit_gather;
        case ItemKind::index: return &KernelBuilder::emit_index;
        case ItemKind::inside: return &KernelBuilder::emit_inside;
        case ItemKind::choice: return &KernelBuilder::emit_choice;
        case ItemKind::fold: return &KernelBuilder::emit_fold;
        case ItemKind::scalar:
        case ItemKind::step: break;
    }
    return &KernelBuilder::emit_step;
}

void KernelBuilder::emit(size_t k) {
    const Item& item = trace_.items[k];
    if (item.kind == ItemKind::scalar) {
        finish_item(k, {operand_values_[item.operand]});
    } else {
        emit_inputs(item);
        to_.set_span(item.node ? f_.span(item.node) : Span{});
        (this->*emitter(item.kind))(k);
    }
}

std::vector<size_t> KernelBuilder::steps_in_order() const {
    std::vector<size_t> order;
    for (size_t k = 0; k < trace_.items.size(); ++k) {
        const ItemKind kind = trace_.items[k].kind;
        if (kind == ItemKind::step || kind == ItemKind::choice || kind == ItemKind::fold) order.push_back(k);
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
    for (size_t k = 0; k < trace_.outputs.size(); ++k) {
        const Output& output = trace_.outputs[k];
        const auto item = static_cast<size_t>(output.value.item);
        if (values_[item].empty()) emit(item);
        const ValueId operands[] = {writes_[k], value(output.value)};
        to_.set_span(f_.span(group_));
        to_.node(Structure::store_, operands, {}, import(output.place));
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
        if (values_[k].empty() && trace_.items[k].fold < 0) emit(k);
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
    kernel.schedule = std::get<std::string>(f_.node(group_).attribute);
    result_.updated = trace_.updated;
    result_.kernel = name_sizes(kernel, names_, pool_, result_.sizes);
    return std::move(result_);
}

int widest_element(const Function& f, NodeId group, const Trace& trace) {
    int widest = 1;
    for (const Item& item : trace.items) {
        if (item.kind == ItemKind::load || item.kind == ItemKind::gather) {
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
