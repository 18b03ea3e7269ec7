// Building blocks of views, and the arguments of functions of shapes.
#include "dsl/views.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/weak.h"

namespace fuseline::dsl {

ir::Affine axis_affine(Checker& c, uint32_t axis, ExtentId offset) {
    return {offset, {{axis, c.extents().constant(1)}}};
}

ir::IndexMap identity_map(Checker& c, size_t rank) {
    ir::IndexMap map;
    for (uint32_t axis = 0; axis < rank; ++axis) map.push_back(axis_affine(c, axis, {}));
    return map;
}

ir::ValueId view(Checker& c, ir::ValueId x, ir::IndexMap map, Shape shape) {
    const Shape own = c.builder.type(x).shape;
    bool same = own == shape;
    for (uint32_t axis = 0; same && axis < map.size(); ++axis) {
        const bool unit = c.extents().is_one(own[axis]) && map[axis] == ir::Affine{};
        same = unit || map[axis] == axis_affine(c, axis, {});
    }
    return same ? x : c.builder.view(x, std::move(map), std::move(shape));
}

ir::ValueId window(Checker& c, ir::ValueId x, ir::IndexMap map, Shape shape, ir::ValueId fill) {
    const ir::ValueId operands[2] = {x, fill};
    ir::Type type{ir::TypeKind::value, c.builder.type(x).dtype, std::move(shape)};
    return c.builder.function().result(
        c.builder.node(ir::Structure::window_, operands, {std::move(type)}, std::move(map)));
}

namespace {

/// The axes whose extent is not 1.
std::vector<uint32_t> long_axes(Checker& c, const Shape& shape) {
    std::vector<uint32_t> axes;
    for (uint32_t k = 0; k < shape.size(); ++k) {
        if (!c.extents().is_one(shape[k])) axes.push_back(k);
    }
    return axes;
}

}  // namespace

ir::ValueId reshaped(Checker& c, ir::ValueId x, const Shape& shape) {
    const Shape own = c.builder.type(x).shape;
    const std::vector<uint32_t> from = long_axes(c, own), to = long_axes(c, shape);
    bool units = from.size() == to.size();
    for (size_t k = 0; units && k < from.size(); ++k) units = c.same_extent(own[from[k]], shape[to[k]]);
    if (units) {
        ir::IndexMap map(own.size());
        for (size_t k = 0; k < from.size(); ++k) map[from[k]] = axis_affine(c, to[k], {});
        return view(c, x, std::move(map), shape);
    }
    ir::Type type{ir::TypeKind::value, c.builder.type(x).dtype, shape};
    return c.builder.function().result(c.builder.node(ir::Structure::reshape_, {&x, 1}, {std::move(type)}));
}

ir::ValueId gather_axis(Checker& c, ir::ValueId x, size_t axis, ir::ValueId index) {
    const ir::Type type{ir::TypeKind::value, c.builder.type(x).dtype, c.builder.type(index).shape};
    std::vector<ir::ValueId> operands{x};
    for (size_t k = 0; k < type.shape.size(); ++k)
        operands.push_back(k == axis ? index : index_along(c, type.shape, k, {}));
    return c.builder.function().result(c.builder.node(ir::Structure::gather_, operands, {type}));
}

ir::ValueId update(Checker& c, ir::ValueId x, ir::ValueId value, ir::IndexMap map) {
    const ir::ValueId operands[2] = {x, value};
    return c.builder.function().result(
        c.builder.node(ir::Structure::update_, operands, {c.builder.type(x)}, std::move(map)));
}

ir::ValueId index_along(Checker& c, const Shape& shape, size_t axis, ExtentId offset) {
    return c.builder.index(axis_affine(c, static_cast<uint32_t>(axis), offset), shape);
}

ir::ValueId before(Checker& c, const Shape& shape, size_t axis, ExtentId limit, ir::ValueId yes,
                   ir::ValueId no) {
    const ir::ValueId sides[2] = {index_along(c, shape, axis, {}), size_value(c, limit)};
    const ir::ValueId operands[3] = {c.builder.elementwise(OpId::lt_, sides, DType::bool_), yes, no};
    return c.builder.elementwise(OpId::where_, operands, c.builder.type(yes).dtype);
}

ir::ValueId size_value(Checker& c, ExtentId e) {
    const auto known = c.extents().constant_value(e);
    return known ? c.builder.constant(DType::i64_, Scalar::of_i64(*known)) : c.builder.extent(e);
}

ir::ValueId zero_of(Checker& c, DType dtype) { return c.builder.constant(dtype, Scalar{}); }

ExtentId product(Checker& c, const Shape& shape) {
    ExtentId all = c.extents().constant(1);
    for (ExtentId e : shape) all = c.extents().mul(all, e);
    return all;
}

std::optional<ir::ValueId> array_argument(Checker& c, const Argument& a, std::string_view what,
                                          size_t least) {
    if (!c.element_type(a, what)) return std::nullopt;
    const auto id = c.typed(a);
    if (!id || c.builder.type(*id).rank() >= least) return id;
    c.error(a.span, least == 1 ? fmt::format("{} needs an array: found {}", what, c.text(a.value))
                               : fmt::format("{} needs an array of {} axes or more: found {}", what, least,
                                             c.text(a.value)));
    return std::nullopt;
}

std::optional<size_t> axis_argument(Checker& c, const Argument& a, size_t rank, std::string_view what) {
    const auto axis = c.as_constant_integer(a, what);
    if (!axis) return std::nullopt;
    const auto count = static_cast<int64_t>(rank);
    if (*axis >= -count && *axis < count) return static_cast<size_t>(*axis < 0 ? *axis + count : *axis);
    c.error(a.span, fmt::format("{} {} does not exist: the rank is {}", what, *axis, rank));
    return std::nullopt;
}

std::optional<std::vector<size_t>> axes_argument(Checker& c, const Argument& a, size_t rank,
                                                 std::string_view what) {
    std::vector<size_t> axes;
    for (const Argument& item : items_of(a)) {
        const auto axis = axis_argument(c, item, rank, what);
        if (!axis) return std::nullopt;
        if (std::find(axes.begin(), axes.end(), *axis) != axes.end()) {
            c.error(a.span, fmt::format("{} {} is given twice", what, *axis));
            return std::nullopt;
        }
        axes.push_back(*axis);
    }
    return axes;
}

const Argument* given(const std::optional<Argument>& slot) {
    return slot && !slot->value.as<NoneValue>() ? &*slot : nullptr;
}

std::vector<Argument> items_of(const Argument& a) {
    const TupleValue* tuple = a.value.as_tuple();
    if (!tuple) return {a};
    std::vector<Argument> items;
    for (const Value& item : tuple->items) items.push_back({item, a.span, {}, {}});
    return items;
}

}  // namespace fuseline::dsl
