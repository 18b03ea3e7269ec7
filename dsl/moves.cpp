// Functions that move elements along an axis: shift, roll.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/builtins.h"
#include "dsl/views.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

/// Further than all n elements nothing moves; so the index computed of it does not overflow.
ExtentId at_most(ExtentPool& pool, ExtentId distance, ExtentId n) {
    constexpr int64_t kNear = int64_t{1} << 31;
    const auto known = pool.constant_value(distance);
    if (known && *known < kNear && *known > -kNear) return distance;
    const ExtentId back = pool.negate(n), near = pool.min(distance, n);
    return pool.provably_nonnegative(distance) ? near : pool.max(near, back);
}

}  // namespace

/// Element i is a[i - shift]; `fill` where that lies outside.
Value run_shift(Checker& c, Slots& slots, const Call& call) {
    const auto x = array_argument(c, *slots[0], "`shift`");
    const auto distance = c.as_size(*slots[1], "`shift`");
    if (!x || !distance) return {};
    const ir::Type type = c.builder.type(*x);
    const Argument* named = given(slots[2]);
    if (!named && type.rank() > 1) {
        c.error(call.span, fmt::format("`shift` of an array of {} axes needs `axis`", type.rank()));
        return {};
    }
    const auto axis = named ? axis_argument(c, *named, type.rank(), "the axis") : std::optional<size_t>(0);
    const auto fill =
        slots[3] ? c.as_dtype(*slots[3], type.dtype, "`fill`") : std::optional(zero_of(c, type.dtype));
    if (!axis || !fill) return {};
    if (!c.builder.type(*fill).scalar()) {
        c.error(slots[3]->span, fmt::format("`fill` is a scalar: found {}", c.text(slots[3]->value)));
        return {};
    }
    ir::IndexMap map = identity_map(c, type.rank());
    map[*axis].offset = c.extents().negate(at_most(c.extents(), *distance, type.shape[*axis]));
    return Value(TypedValue{window(c, *x, std::move(map), type.shape, *fill)});
}

namespace {

/// Element i is x[(i - distance) mod n]: the end of x, then its beginning.
ir::ValueId rolled(Checker& c, ir::ValueId x, size_t axis, ExtentId distance) {
    ExtentPool& pool = c.extents();
    const ir::Type type = c.builder.type(x);
    const ExtentId n = type.shape[axis];
    const auto known = pool.constant_value(distance);
    // One place never reaches beyond an axis that has an element, so it needs no remainder.
    ExtentId places = distance;
    if (known == -1) places = pool.sub(n, pool.constant(1));
    if (known != 1 && known != -1) places = pool.mod(distance, pool.max(n, pool.constant(1)));
    if (places == pool.constant(0)) return x;
    const ir::ValueId zero = zero_of(c, type.dtype);
    const auto part = [&](ExtentId offset) {
        ir::IndexMap map = identity_map(c, type.rank());
        map[axis].offset = offset;
        return window(c, x, std::move(map), type.shape, zero);
    };
    const ir::ValueId moved = part(pool.negate(places)), wrapped = part(pool.sub(n, places));
    return before(c, type.shape, axis, places, wrapped, moved);
}

}  // namespace

/// Without `axis` the array is rolled as if it were flat.
Value run_roll(Checker& c, Slots& slots, const Call&) {
    const auto x = array_argument(c, *slots[0], "`roll`");
    if (!x) return {};
    const Shape shape = c.builder.type(*x).shape;
    const std::vector<Argument> distances = items_of(*slots[1]);
    const Argument* named = given(slots[2]);
    std::vector<size_t> axes{0};
    ir::ValueId y = *x;
    if (!named) y = reshaped(c, y, {product(c, shape)});
    if (named) {
        axes.clear();
        // An axis that is named twice is rolled twice.
        for (const Argument& a : items_of(*named)) {
            const auto axis = axis_argument(c, a, shape.size(), "the axis");
            if (!axis) return {};
            axes.push_back(*axis);
        }
    }
    const size_t count = std::max(axes.size(), distances.size());
    if ((axes.size() != count && axes.size() != 1) || (distances.size() != count && distances.size() != 1)) {
        c.error(slots[1]->span,
                fmt::format("`roll` has {} shifts for {} axes", distances.size(), axes.size()));
        return {};
    }
    for (size_t k = 0; k < count; ++k) {
        const auto distance = c.as_size(distances[distances.size() == 1 ? 0 : k], "`shift`");
        if (!distance) return {};
        y = rolled(c, y, axes[axes.size() == 1 ? 0 : k], *distance);
    }
    return Value(TypedValue{reshaped(c, y, shape)});
}

}  // namespace fuseline::dsl
