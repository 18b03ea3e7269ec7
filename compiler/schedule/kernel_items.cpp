// KernelBuilder: what each item becomes, at the place where the builder stands.
#include "compiler/ir/walk.h"
#include "compiler/schedule/kernel_builder.h"
#include "compiler/support/errors.h"

namespace fuseline::schedule_map {

using ir::Node;
using ir::NodeId;
using ir::RegionId;
using ir::Structure;
using ir::Type;
using ir::TypeKind;
using ir::ValueId;

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
                           : operation(OpId::add_,
                                       {operation(OpId::mul_, {offset, size_value(shape[axis])}), index});
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
    } else if (!held_[k].empty()) {
        emit_held(k);
    } else {
        emit_inputs(item);
        to_.set_span(item.node ? f_.span(item.node) : Span{});
        (this->*emitter(item.kind))(k);
    }
}

}  // namespace fuseline::schedule_map
