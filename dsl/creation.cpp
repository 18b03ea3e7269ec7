// Arrays from shapes and values: zeros, full, eye, broadcast_to, and what shape() and dtype() tell.
#include "dsl/creation.h"

#include <fmt/format.h>

namespace fuseline::dsl {

std::optional<DType> dtype_argument(Checker& c, const std::optional<Argument>& slot, DType otherwise) {
    if (!slot || slot->value.as<NoneValue>()) return otherwise;
    if (const auto* type = slot->value.as<TypeValue>()) return type->dtype;
    auto d = c.error(slot->span, fmt::format("`dtype` is a type: found {}", c.text(slot->value)));
    if (slot->value.as<TextValue>()) d.help("write the name alone: `dtype=f32`");
    return std::nullopt;
}

namespace {

/// An array of one scalar in the type that was asked for.
Value filled_with(Checker& c, const std::vector<ExtentId>& shape, const Argument& value, DType dtype) {
    const Value cast = c.call_dtype(dtype, Call{value.span, value.span, std::string(name(dtype)), {value}});
    const auto* t = cast.as<TypedValue>();
    if (!t) return {};
    if (c.builder.type(t->id).scalar()) return Value(TypedValue{c.filled(t->id, shape)});
    c.error(value.span, fmt::format("the value to fill with is a scalar: found {}", c.text(value.value)));
    return {};
}

Value make(Checker& c, const Argument& shape, const Argument& value, const std::optional<Argument>& type,
           DType otherwise) {
    const auto extents = c.as_shape(shape);
    const auto dtype = dtype_argument(c, type, otherwise);
    return extents && dtype ? filled_with(c, *extents, value, *dtype) : Value();
}

Value like(Checker& c, const Argument& model, const Argument& value, const std::optional<Argument>& type) {
    const auto own = c.element_type(model, "an array to be like");
    if (!own) return {};
    const auto dtype = dtype_argument(c, type, *own);
    const auto* t = model.value.as<TypedValue>();
    const std::vector<ExtentId> shape = t ? c.builder.type(t->id).shape : std::vector<ExtentId>{};
    return dtype ? filled_with(c, shape, value, *dtype) : Value();
}

Argument number(int64_t value, const Call& call) { return {Value::integer(value), call.span, {}, {}}; }

}  // namespace

Value run_shape(Checker& c, Slots& slots, const Call&) {
    return c.element_type(*slots[0], "`shape`") ? c.shape_of(*slots[0]) : Value();
}

Value run_dtype(Checker& c, Slots& slots, const Call&) { return c.dtype_of(*slots[0]); }

Value run_zeros(Checker& c, Slots& slots, const Call& call) {
    return make(c, *slots[0], number(0, call), slots[1], DType::f64_);
}

Value run_ones(Checker& c, Slots& slots, const Call& call) {
    return make(c, *slots[0], number(1, call), slots[1], DType::f64_);
}

Value run_full(Checker& c, Slots& slots, const Call&) {
    const auto own = c.element_type(*slots[1], "`fill_value`");
    return own ? make(c, *slots[0], *slots[1], slots[2], *own) : Value();
}

Value run_zeros_like(Checker& c, Slots& slots, const Call& call) {
    return like(c, *slots[0], number(0, call), slots[1]);
}

Value run_ones_like(Checker& c, Slots& slots, const Call& call) {
    return like(c, *slots[0], number(1, call), slots[1]);
}

Value run_full_like(Checker& c, Slots& slots, const Call&) { return like(c, *slots[0], *slots[1], slots[2]); }

/// 1 where column - row == k.
Value run_eye(Checker& c, Slots& slots, const Call& call) {
    const auto rows = c.as_shape(*slots[0]);
    const bool square = !slots[1] || slots[1]->value.as<NoneValue>();
    const auto columns = square ? rows : c.as_shape(*slots[1]);
    const auto k = slots[2] ? c.as_size(*slots[2], "`k`") : std::optional(c.extents().constant(0));
    const auto dtype = dtype_argument(c, slots[3], DType::f64_);
    if (!rows || !columns || !k || !dtype) return {};
    if (rows->size() != 1 || columns->size() != 1) {
        c.error(call.span, "`eye` takes integers for `N` and `M`");
        return {};
    }
    const ir::Affine index{c.extents().negate(*k),
                           {{0, c.extents().constant(-1)}, {1, c.extents().constant(1)}}};
    const ir::ValueId distance = c.builder.index(index, {rows->front(), columns->front()});
    const Argument d{Value(TypedValue{distance}), call.span, {}, {}};
    const Value diagonal = c.apply_op(OpId::eq_, {d, number(0, call)}, call.span);
    return Value(TypedValue{c.builder.cast(diagonal.as<TypedValue>()->id, *dtype)});
}

Value run_broadcast_to(Checker& c, Slots& slots, const Call& call) {
    const auto id = c.typed(*slots[0]);
    const auto shape = c.as_shape(*slots[1]);
    if (!id || !shape) return {};
    const std::vector<ExtentId> own = c.builder.type(*id).shape;
    bool fits = own.size() <= shape->size();
    for (size_t k = 0; fits && k < own.size(); ++k) {
        const ExtentId wanted = (*shape)[shape->size() - own.size() + k];
        fits = c.extents().is_one(own[k]) || c.same_extent(own[k], wanted);
    }
    if (fits) return Value(TypedValue{own.empty() ? c.filled(*id, *shape) : c.broadcast_to(*id, *shape)});
    c.error(call.span, fmt::format("{} does not broadcast to the shape {}", c.text(slots[0]->value),
                                   c.shape_text(*shape)));
    return {};
}

}  // namespace fuseline::dsl
