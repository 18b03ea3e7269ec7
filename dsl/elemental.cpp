// Calls of elemental functions from array code: broadcast arguments, then one `apply` node or plain
// operations.
#include <fmt/format.h>

#include "dsl/checker.h"

namespace fuseline::dsl {

namespace {

/// The array arguments and the shape they share.
struct Mapped {
    std::vector<size_t> slots;
    std::vector<ir::ValueId> ids;
    std::vector<ExtentId> shape;
};

std::optional<Mapped> arrays_of(Checker& c, const std::vector<std::optional<Argument>>& slots,
                                const Call& call) {
    Mapped m;
    for (size_t i = 0; i < slots.size(); ++i) {
        if (!slots[i]) continue;
        const auto* t = slots[i]->value.as<TypedValue>();
        const auto* w = slots[i]->value.as<WeakValue>();
        if (!t && !w) continue;
        m.slots.push_back(i);
        m.ids.push_back(t ? t->id : w->id);
    }
    const auto shape = c.broadcast_shape(m.ids, call.span, fmt::format("the arguments of `{}`", call.name));
    if (!shape) return std::nullopt;
    m.shape = *shape;
    for (ir::ValueId& id : m.ids) id = c.broadcast_to(id, m.shape);
    return m;
}

}  // namespace

Value Checker::map_elemental(const FunctionDefinition& f, std::vector<std::optional<Argument>>& slots,
                             const Call& call) {
    const auto mapped = arrays_of(*this, slots, call);
    if (!mapped) return {};
    const auto replace = [&](size_t k, ir::ValueId id) {
        Value& v = slots[mapped->slots[k]]->value;
        v = v.as<WeakValue>() ? Value(WeakValue{id}) : Value(TypedValue{id});
    };
    if (f.straight_line) {
        for (size_t k = 0; k < mapped->ids.size(); ++k) replace(k, mapped->ids[k]);
        return spread(inline_function(f, slots, call, false, true), mapped->shape, call.span);
    }
    const ir::RegionId outer = builder.insertion();
    const ir::RegionId region = builder.make_region();
    for (size_t k = 0; k < mapped->ids.size(); ++k) {
        const ir::Type scalar{ir::TypeKind::value, builder.type(mapped->ids[k]).dtype, {}};
        replace(k, builder.region_parameter(region, scalar, f.ast->parameters[mapped->slots[k]].name));
    }
    builder.set_insertion(region);
    const Value inside = inline_function(f, slots, call, true, false);
    std::vector<ir::ValueId> yields;
    const bool sound = collect_yields(inside, yields, call.span);
    builder.set_insertion(outer);
    if (!sound) return {};
    std::vector<ir::Type> types;
    for (ir::ValueId id : yields)
        types.push_back({ir::TypeKind::value, builder.type(id).dtype, mapped->shape});
    builder.set_yields(region, yields);
    builder.set_span(call.span);
    const ir::NodeId node =
        builder.node(ir::Structure::apply_, mapped->ids, std::move(types), {}, {&region, 1});
    return results_of(node, inside);
}

/// A result that does not depend on the arrays still has their shape.
Value Checker::spread(const Value& value, const std::vector<ExtentId>& shape, Span span) {
    if (const TupleValue* tuple = value.as_tuple()) {
        std::vector<Value> items;
        for (const Value& item : tuple->items) items.push_back(spread(item, shape, span));
        return Value::tuple(std::move(items), tuple->names);
    }
    if (shape.empty() || !value.number()) return value;
    const auto id = typed({value, span, {}, {}});
    return id && builder.type(*id).scalar() ? Value(TypedValue{filled(*id, shape)}) : value;
}

/// The scalars that a region's body gives, one a leaf; false after a report.
bool Checker::collect_yields(const Value& value, std::vector<ir::ValueId>& yields, Span span) {
    if (value.is_error()) return false;
    if (const TupleValue* tuple = value.as_tuple()) {
        for (const Value& item : tuple->items) {
            if (!collect_yields(item, yields, span)) return false;
        }
        return true;
    }
    const auto id = typed({value, span, {}, {}});
    if (id) yields.push_back(*id);
    return id.has_value();
}

/// The node's results in the arrangement of what the body gave: one value, or a tuple of them.
Value Checker::results_of(ir::NodeId node, const Value& inside) {
    const TupleValue* tuple = inside.as_tuple();
    if (!tuple) return Value(TypedValue{builder.function().result(node)});
    std::vector<Value> items;
    for (uint32_t k = 0; k < tuple->items.size(); ++k) {
        items.emplace_back(TypedValue{builder.function().result(node, k)});
    }
    return Value::tuple(std::move(items), tuple->names);
}

}  // namespace fuseline::dsl
