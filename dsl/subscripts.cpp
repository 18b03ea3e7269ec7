// Indexing: items of tuples, views of arrays, arrays under a mask; and updates of elements.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/checker.h"
#include "dsl/selection.h"
#include "dsl/views.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

using Kind = ast::Subscript::Kind;

}  // namespace

Value Checker::tuple_item(const ast::Expr& e, const TupleValue& tuple, const std::vector<Value>& indices) {
    if (e.subscripts.size() != 1 || e.subscripts[0].kind != Kind::index) {
        error(e.span, "a tuple takes one integer index");
        return {};
    }
    const auto k = as_constant_integer({indices[0], e.subscripts[0].span, {}, {}}, "the index of a tuple");
    if (!k) return {};
    const auto size = static_cast<int64_t>(tuple.items.size());
    if (*k >= -size && *k < size) return tuple.items[static_cast<size_t>(*k < 0 ? *k + size : *k)];
    error(e.subscripts[0].span,
          fmt::format("the index {} is outside a tuple of {} item{}", *k, size, size == 1 ? "" : "s"));
    return {};
}

Value Checker::subscript(const ast::Expr& e, const Value& base, const std::vector<Value>& indices) {
    if (base.is_error() ||
        std::any_of(indices.begin(), indices.end(), [](const Value& v) { return v.is_error(); })) {
        return {};
    }
    if (const auto* tuple = base.as_tuple()) return tuple_item(e, *tuple, indices);
    if (refuse_array_code(e.span, "an index")) return {};
    const auto* t = base.as<TypedValue>();
    if (!t || builder.type(t->id).scalar()) {
        if (base.number())
            error(e.span, fmt::format("{} is a scalar and cannot be indexed", text(base)));
        else
            error(e.span, fmt::format("{} cannot be indexed", text(base)));
        return {};
    }
    const auto chosen = select(*this, t->id, indices_of(*this, e.subscripts, indices), e.span);
    if (!chosen) return {};
    builder.set_span(e.span);
    if (chosen->mask) return Value(MaskedValue{t->id, *chosen->mask});
    return Value(TypedValue{view(*this, t->id, chosen->map, chosen->shape)});
}

namespace {

/// `e` as an element type and spread over the shape of what is updated. nullopt after a report.
std::optional<ir::ValueId> fitted(Checker& c, const Argument& e, DType dtype, const Shape& shape,
                                  std::string_view what) {
    if (e.value.as<bool>() && !is_bool(dtype)) {
        c.error(e.span, fmt::format("{} needs {}: found {}", what, name(dtype), c.text(e.value)));
        return std::nullopt;
    }
    const auto id = c.as_dtype(e, dtype, what);
    if (!id) return std::nullopt;
    const Shape own = c.builder.type(*id).shape;
    if (own.empty()) return shape.empty() ? *id : c.filled(*id, shape);
    bool fits = own.size() <= shape.size();
    for (size_t k = 0; fits && k < own.size(); ++k) {
        const ExtentId wanted = shape[shape.size() - own.size() + k];
        fits = c.extents().is_one(own[k]) || c.same_extent(own[k], wanted);
    }
    if (fits) return c.broadcast_to(*id, shape);
    c.error(e.span, fmt::format("{} has the shape {}: {} does not fit", what, c.shape_text(shape),
                                c.text(c.builder.type(*id))));
    return std::nullopt;
}

/// What is selected, for `x[k] op= e`.
Value selected(Checker& c, ir::ValueId x, const Selection& chosen) {
    return Value(TypedValue{chosen.mask ? x : view(c, x, chosen.map, chosen.shape)});
}

/// x with `e` at what is selected.
Value updated(Checker& c, ir::ValueId x, const Selection& chosen, const Argument& e, std::string_view what) {
    const ir::Type own = c.builder.type(x);
    const auto value = fitted(c, e, own.dtype, chosen.mask ? own.shape : chosen.shape, what);
    if (!value) return {};
    if (!chosen.mask) return Value(TypedValue{update(c, x, *value, chosen.map)});
    const ir::ValueId operands[3] = {*chosen.mask, *value, x};
    return Value(TypedValue{c.builder.elementwise(OpId::where_, operands, own.dtype)});
}

}  // namespace

/// `x[k] = e`, and with an operator `x[k] op= e`: rebinds x.
void Checker::update_target(const ast::Target& t, const ast::Stmt& s, const Argument& value) {
    ast::Expr name;
    name.kind = ast::ExprKind::name;
    name.text = t.name;
    name.span = t.name_span;
    const Value old = name_value(name);
    std::vector<Value> parts;
    bool sound = !value.value.is_error() && !old.is_error();
    for (ast::ExprId id : index_expressions(t.subscripts)) {
        parts.push_back(evaluate(id));
        sound = sound && !parts.back().is_error();
    }
    const auto* x = old.as<TypedValue>();
    sound = sound && !refuse_array_code(t.span, "an update of elements");
    if (sound && (!x || builder.type(x->id).scalar())) {
        error(t.span, fmt::format("`{}` is {} and has no elements to update", t.name, text(old)));
        sound = false;
    }
    if (!sound) return;
    builder.set_span(s.span);
    const auto chosen = select(*this, x->id, indices_of(*this, t.subscripts, parts), t.span);
    if (!chosen) return;
    Argument e = value;
    if (s.kind == ast::StmtKind::augment)
        e.value = apply_op(s.op, {{selected(*this, x->id, *chosen), t.span, {}, {}}, value}, s.span);
    if (e.value.is_error()) return;
    builder.set_span(s.span);
    const std::string what = fmt::format("`{}`", source_text(t.span));
    const Value result = updated(*this, x->id, *chosen, e, what);
    if (!result.is_error()) assign(t.name, t.name_span, result);
}

}  // namespace fuseline::dsl
