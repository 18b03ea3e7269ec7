// Functions that give an array another shape or order of axes, and its triangles.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/builtins.h"
#include "dsl/views.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

using Relation = ir::Check::Relation;

bool minus_one(const Value& v) {
    const auto* z = v.as<mpz_class>();
    return z && *z == -1;
}

/// The extents asked for; one that is -1 takes what is left of `total`.
std::optional<Shape> wanted_shape(Checker& c, const Argument& a, ExtentId total) {
    Shape shape;
    std::optional<size_t> open;
    for (const Argument& item : items_of(a)) {
        if (minus_one(item.value)) {
            if (open) {
                c.error(a.span, "only one extent may be -1");
                return std::nullopt;
            }
            open = shape.size();
            shape.push_back(c.extents().constant(1));
            continue;
        }
        const auto size = c.as_size(item, "a size");
        if (!size || !c.require_size(*size, a.span)) return std::nullopt;
        shape.push_back(*size);
    }
    if (!open) return shape;
    const ExtentId rest = product(c, shape);
    if (c.extents().constant_value(rest) == 0) {
        c.error(a.span, "the extent -1 is not known beside an extent of 0");
        return std::nullopt;
    }
    shape[*open] = c.extents().floordiv(total, rest);
    return shape;
}

/// A view whose axis k is axis `order[k]` of x.
ir::ValueId permuted(Checker& c, ir::ValueId x, const std::vector<size_t>& order) {
    const Shape own = c.builder.type(x).shape;
    Shape shape;
    ir::IndexMap map(own.size());
    for (uint32_t k = 0; k < order.size(); ++k) {
        shape.push_back(own[order[k]]);
        map[order[k]] = axis_affine(c, k, {});
    }
    return view(c, x, std::move(map), std::move(shape));
}

std::vector<size_t> counted(size_t rank) {
    std::vector<size_t> order(rank);
    for (size_t k = 0; k < rank; ++k) order[k] = k;
    return order;
}

}  // namespace

Value run_reshape(Checker& c, Slots& slots, const Call& call) {
    const auto x = array_argument(c, *slots[0], "`reshape`", 0);
    if (!x) return {};
    const ExtentId total = product(c, c.builder.type(*x).shape);
    const auto shape = wanted_shape(c, *slots[1], total);
    if (!shape) return {};
    if (!c.require_extent(
            total, Relation::equal, product(c, *shape),
            fmt::format("{} cannot take the shape {}", c.text(c.builder.type(*x)), c.shape_text(*shape)),
            call.span)) {
        return {};
    }
    return Value(TypedValue{reshaped(c, *x, *shape)});
}

Value run_transpose(Checker& c, Slots& slots, const Call&) {
    const auto x = array_argument(c, *slots[0], "`transpose`", 0);
    if (!x) return {};
    const size_t rank = c.builder.type(*x).rank();
    std::vector<size_t> order = counted(rank);
    std::reverse(order.begin(), order.end());
    if (const Argument* axes = given(slots[1])) {
        const auto named = axes_argument(c, *axes, rank, "the axis");
        if (!named) return {};
        if (named->size() != rank) {
            c.error(axes->span, fmt::format("`axes` has {} of {} axes", named->size(), rank));
            return {};
        }
        order = *named;
    }
    return Value(TypedValue{permuted(c, *x, order)});
}

Value run_swapaxes(Checker& c, Slots& slots, const Call&) {
    const auto x = array_argument(c, *slots[0], "`swapaxes`");
    if (!x) return {};
    const size_t rank = c.builder.type(*x).rank();
    const auto a = axis_argument(c, *slots[1], rank, "the axis");
    const auto b = axis_argument(c, *slots[2], rank, "the axis");
    if (!a || !b) return {};
    std::vector<size_t> order = counted(rank);
    std::swap(order[*a], order[*b]);
    return Value(TypedValue{permuted(c, *x, order)});
}

Value run_flip(Checker& c, Slots& slots, const Call&) {
    const auto x = array_argument(c, *slots[0], "`flip`");
    if (!x) return {};
    const Shape shape = c.builder.type(*x).shape;
    std::vector<size_t> axes = counted(shape.size());
    if (const Argument* axis = given(slots[1])) {
        const auto named = axes_argument(c, *axis, shape.size(), "the axis");
        if (!named) return {};
        axes = *named;
    }
    ir::IndexMap map = identity_map(c, shape.size());
    for (size_t k : axes) {
        map[k].offset = c.extents().sub(shape[k], c.extents().constant(1));
        map[k].terms[0].coefficient = c.extents().constant(-1);
    }
    return Value(TypedValue{view(c, *x, std::move(map), shape)});
}

/// Without `axis`, the axes that are known to have the extent 1 go.
Value run_squeeze(Checker& c, Slots& slots, const Call&) {
    const auto x = array_argument(c, *slots[0], "`squeeze`", 0);
    if (!x) return {};
    const Shape own = c.builder.type(*x).shape;
    std::vector<bool> gone(own.size(), false);
    if (const Argument* axis = given(slots[1])) {
        const auto named = axes_argument(c, *axis, own.size(), "the axis");
        if (!named) return {};
        for (size_t k : *named) {
            gone[k] = true;
            const std::string message = fmt::format("`squeeze` of axis {}, whose extent is not 1", k);
            if (!c.require_extent(own[k], Relation::equal, c.extents().constant(1), message, axis->span))
                return {};
        }
    } else {
        for (size_t k = 0; k < own.size(); ++k) gone[k] = c.extents().is_one(own[k]);
    }
    Shape shape;
    ir::IndexMap map;
    for (size_t k = 0; k < own.size(); ++k) {
        map.push_back(gone[k] ? ir::Affine{} : axis_affine(c, static_cast<uint32_t>(shape.size()), {}));
        if (!gone[k]) shape.push_back(own[k]);
    }
    return Value(TypedValue{view(c, *x, std::move(map), std::move(shape))});
}

/// Element i is x[i + max(0, -offset), i + max(0, offset)]; the diagonal is the last axis.
Value run_diagonal(Checker& c, Slots& slots, const Call& call) {
    const auto x = array_argument(c, *slots[0], "`diagonal`", 2);
    if (!x) return {};
    ExtentPool& pool = c.extents();
    const Shape own = c.builder.type(*x).shape;
    const auto offset = slots[1] ? c.as_size(*slots[1], "`offset`") : std::optional(pool.constant(0));
    const auto rows =
        slots[2] ? axis_argument(c, *slots[2], own.size(), "the axis") : std::optional<size_t>(0);
    const auto columns =
        slots[3] ? axis_argument(c, *slots[3], own.size(), "the axis") : std::optional<size_t>(1);
    if (!offset || !rows || !columns) return {};
    if (*rows == *columns) {
        c.error(call.span, "`axis1` and `axis2` are one axis");
        return {};
    }
    const ExtentId down = pool.max0(pool.negate(*offset)), right = pool.max0(*offset);
    const ExtentId length = pool.max0(pool.min(pool.sub(own[*rows], down), pool.sub(own[*columns], right)));
    Shape shape;
    ir::IndexMap map(own.size());
    for (size_t k = 0; k < own.size(); ++k) {
        if (k == *rows || k == *columns) continue;
        map[k] = axis_affine(c, static_cast<uint32_t>(shape.size()), {});
        shape.push_back(own[k]);
    }
    map[*rows] = axis_affine(c, static_cast<uint32_t>(shape.size()), down);
    map[*columns] = axis_affine(c, static_cast<uint32_t>(shape.size()), right);
    shape.push_back(length);
    return Value(TypedValue{view(c, *x, std::move(map), std::move(shape))});
}

namespace {

/// Of the last two axes, the part on one side of diagonal k; 0 elsewhere.
Value triangle(Checker& c, Slots& slots, bool upper, std::string_view what) {
    const auto x = array_argument(c, *slots[0], what, 2);
    if (!x) return {};
    ExtentPool& pool = c.extents();
    const auto k = slots[1] ? c.as_size(*slots[1], "`k`") : std::optional(pool.constant(0));
    if (!k) return {};
    const ir::Type type = c.builder.type(*x);
    const auto last = static_cast<uint32_t>(type.rank() - 1);
    const ir::Affine distance{pool.constant(0), {{last - 1, pool.constant(-1)}, {last, pool.constant(1)}}};
    const ExtentId limit = upper ? *k : pool.add(*k, pool.constant(1));
    const ir::ValueId sides[2] = {c.builder.index(distance, type.shape), size_value(c, limit)};
    const ir::ValueId below = c.builder.elementwise(OpId::lt_, sides, DType::bool_);
    const ir::ValueId zero = zero_of(c, type.dtype);
    const ir::ValueId operands[3] = {below, upper ? zero : *x, upper ? *x : zero};
    return Value(TypedValue{c.builder.elementwise(OpId::where_, operands, type.dtype)});
}

}  // namespace

Value run_triu(Checker& c, Slots& slots, const Call&) { return triangle(c, slots, true, "`triu`"); }
Value run_tril(Checker& c, Slots& slots, const Call&) { return triangle(c, slots, false, "`tril`"); }

}  // namespace fuseline::dsl
