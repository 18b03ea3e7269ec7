// Functions that put arrays together, take them apart or repeat them: concat, stack, split, repeat, tile.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/builtins.h"
#include "dsl/selection.h"
#include "dsl/views.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

using Relation = ir::Check::Relation;

/// The arrays of a list in one element type; weak items take that of the typed ones. nullopt after a report.
std::optional<std::vector<ir::ValueId>> list_of(Checker& c, const Argument& list, std::string_view what) {
    const TupleValue* tuple = list.value.as_tuple();
    if (!tuple || tuple->items.empty()) {
        c.error(list.span, fmt::format("{} takes a list of arrays: found {}", what, c.text(list.value)))
            .help("write `[a, b]`");
        return std::nullopt;
    }
    std::optional<DType> dtype;
    for (const Value& item : tuple->items) {
        const auto own = c.element_type({item, list.span, {}, {}}, what);
        if (!own) return std::nullopt;
        if (!dtype && !item.weak()) dtype = own;
    }
    std::vector<ir::ValueId> out;
    for (const Value& item : tuple->items) {
        const Argument a{item, list.span, {}, {}};
        const auto id = dtype ? c.as_dtype(a, *dtype, what) : c.typed(a);
        if (!id) return std::nullopt;
        out.push_back(*id);
    }
    return out;
}

/// Same rank, and equal extents but for `axis`; what is not proved is checked at launch.
bool same_but(Checker& c, const std::vector<ir::ValueId>& list, std::optional<size_t> axis, Span span,
              std::string_view what) {
    const Shape first = c.builder.type(list[0]).shape;
    for (ir::ValueId v : list) {
        const Shape other = c.builder.type(v).shape;
        if (other.size() != first.size()) {
            c.error(span, fmt::format("{} takes arrays of one rank: found {} and {}", what,
                                      c.text(c.builder.type(list[0])), c.text(c.builder.type(v))));
            return false;
        }
        for (size_t k = 0; k < first.size(); ++k) {
            const std::string message =
                fmt::format("{} of {} and {}: the extents of axis {} differ", what,
                            c.text(c.builder.type(list[0])), c.text(c.builder.type(v)), k);
            if (k != axis && !c.require_extent(first[k], Relation::equal, other[k], message, span))
                return false;
        }
    }
    return true;
}

/// The arrays one after the other along an axis, each a window of the result.
ir::ValueId joined(Checker& c, const std::vector<ir::ValueId>& list, size_t axis) {
    ExtentPool& pool = c.extents();
    ir::Type type = c.builder.type(list[0]);
    std::vector<ExtentId> begins{pool.constant(0)};
    for (ir::ValueId v : list) begins.push_back(pool.add(begins.back(), c.builder.type(v).shape[axis]));
    type.shape[axis] = begins.back();
    const ir::ValueId zero = zero_of(c, type.dtype);
    const auto piece = [&](size_t k) {
        ir::IndexMap map = identity_map(c, type.rank());
        map[axis].offset = pool.negate(begins[k]);
        return window(c, list[k], std::move(map), type.shape, zero);
    };
    if (list.size() == 1) return list[0];
    ir::ValueId all = piece(list.size() - 1);
    for (size_t k = list.size() - 1; k-- > 0;)
        all = before(c, type.shape, axis, begins[k + 1], piece(k), all);
    return all;
}

ir::ValueId flat(Checker& c, ir::ValueId x) { return reshaped(c, x, {product(c, c.builder.type(x).shape)}); }

}  // namespace

Value run_concat(Checker& c, Slots& slots, const Call& call) {
    auto list = list_of(c, *slots[0], "`concat`");
    if (!list) return {};
    size_t axis = 0;
    if (slots[1] && slots[1]->value.as<NoneValue>()) {
        for (ir::ValueId& v : *list) v = flat(c, v);
    } else if (slots[1]) {
        const auto named = axis_argument(c, *slots[1], c.builder.type(list->front()).rank(), "the axis");
        if (!named) return {};
        axis = *named;
    }
    if (c.builder.type(list->front()).rank() == 0) {
        c.error(slots[0]->span, "`concat` takes arrays: found scalars")
            .help("`stack([a, b])` makes an array of scalars");
        return {};
    }
    if (!same_but(c, *list, axis, call.span, "`concat`")) return {};
    return Value(TypedValue{joined(c, *list, axis)});
}

Value run_stack(Checker& c, Slots& slots, const Call& call) {
    auto list = list_of(c, *slots[0], "`stack`");
    if (!list || !same_but(c, *list, std::nullopt, call.span, "`stack`")) return {};
    const size_t rank = c.builder.type(list->front()).rank() + 1;
    const auto axis = slots[1] ? axis_argument(c, *slots[1], rank, "the axis") : std::optional<size_t>(0);
    if (!axis) return {};
    Shape shape = c.builder.type(list->front()).shape;
    shape.insert(shape.begin() + static_cast<ptrdiff_t>(*axis), c.extents().constant(1));
    for (ir::ValueId& v : *list) v = rank == 1 ? c.filled(v, shape) : reshaped(c, v, shape);
    return Value(TypedValue{joined(c, *list, *axis)});
}

namespace {

/// Equal parts; that they come out even is checked at launch where it is not proved.
Value split_evenly(Checker& c, ir::ValueId x, const Argument& sections, size_t axis, Span span) {
    const auto count = c.as_constant_integer(sections, "the number of parts");
    if (!count) return {};
    if (*count < 1 || *count > 1024) {
        c.error(sections.span, fmt::format("`split` makes 1 to 1024 parts: found {}", *count));
        return {};
    }
    ExtentPool& pool = c.extents();
    Shape shape = c.builder.type(x).shape;
    const ExtentId n = shape[axis];
    const ExtentId parts = pool.constant(*count);
    shape[axis] = pool.floordiv(n, parts);
    if (!c.require_extent(n, Relation::equal, pool.mul(parts, shape[axis]),
                          fmt::format("axis {} does not split into {} equal parts", axis, *count), span)) {
        return {};
    }
    std::vector<Value> out;
    for (int64_t k = 0; k < *count; ++k) {
        ir::IndexMap map = identity_map(c, shape.size());
        map[axis].offset = pool.mul(pool.constant(k), shape[axis]);
        out.emplace_back(TypedValue{view(c, x, std::move(map), shape)});
    }
    return Value::tuple(std::move(out));
}

}  // namespace

/// Parts as slices: of equal extent, or between the indices of a list.
Value run_split(Checker& c, Slots& slots, const Call& call) {
    const auto x = array_argument(c, *slots[0], "`split`");
    if (!x) return {};
    const size_t rank = c.builder.type(*x).rank();
    const auto axis = slots[2] ? axis_argument(c, *slots[2], rank, "the axis") : std::optional<size_t>(0);
    if (!axis) return {};
    if (!slots[1]->value.as_tuple()) return split_evenly(c, *x, *slots[1], *axis, call.span);
    Index whole;
    whole.kind = ast::Subscript::Kind::slice;
    whole.span = slots[1]->span;
    std::vector<Argument> cuts = items_of(*slots[1]);
    std::vector<Value> out;
    for (size_t k = 0; k <= cuts.size(); ++k) {
        std::vector<Index> indices(*axis + 1, whole);
        if (k > 0) indices.back().start = cuts[k - 1];
        if (k < cuts.size()) indices.back().stop = cuts[k];
        const auto chosen = select(c, *x, indices, call.span);
        if (!chosen) return {};
        out.emplace_back(TypedValue{view(c, *x, chosen->map, chosen->shape)});
    }
    return Value::tuple(std::move(out));
}

namespace {

ir::ValueId with_size(Checker& c, OpId op, ir::ValueId index, ExtentId size) {
    const ir::ValueId operands[2] = {index, size_value(c, size)};
    return c.builder.elementwise(op, operands, DType::i64_);
}

}  // namespace

/// Each element `repeats` times in a row.
Value run_repeat(Checker& c, Slots& slots, const Call&) {
    auto x = array_argument(c, *slots[0], "`repeat`", 0);
    if (!x) return {};
    const auto* counts = slots[1]->value.as<TypedValue>();
    if (counts && !c.builder.type(counts->id).scalar()) {
        c.not_yet(slots[1]->span, "`repeat` with an array of counts");
        return {};
    }
    const auto repeats = c.as_size(*slots[1], "`repeats`");
    if (!repeats || !c.require_size(*repeats, slots[1]->span)) return {};
    const Argument* named = given(slots[2]);
    if (!named) x = flat(c, *x);
    Shape shape = c.builder.type(*x).shape;
    const auto axis = named ? axis_argument(c, *named, shape.size(), "the axis") : std::optional<size_t>(0);
    if (!axis || c.extents().is_one(*repeats)) return axis ? Value(TypedValue{*x}) : Value();
    shape[*axis] = c.extents().mul(shape[*axis], *repeats);
    const ir::ValueId index = with_size(c, OpId::floordiv_, index_along(c, shape, *axis, {}), *repeats);
    return Value(TypedValue{gather_axis(c, *x, *axis, index)});
}

/// The whole array `reps` times along each axis. Only axes with elements to repeat need index arithmetic.
Value run_tile(Checker& c, Slots& slots, const Call&) {
    auto x = array_argument(c, *slots[0], "`tile`", 0);
    const auto reps = c.as_shape(*slots[1]);
    if (!x || !reps) return {};
    const size_t own = c.builder.type(*x).rank();
    const size_t rank = std::max(own, reps->size());
    Shape shape(rank - own, c.extents().constant(1));
    for (ExtentId e : c.builder.type(*x).shape) shape.push_back(e);
    for (size_t k = 0; k < reps->size(); ++k) {
        const size_t axis = rank - reps->size() + k;
        const ExtentId rep = (*reps)[k];
        const ExtentId n = shape[axis];
        shape[axis] = c.extents().mul(n, rep);
        if (axis < rank - own || c.extents().is_one(n) || c.extents().is_one(rep)) continue;
        const size_t own_axis = axis - (rank - own);
        Shape tiled = c.builder.type(*x).shape;
        tiled[own_axis] = shape[axis];
        *x = gather_axis(c, *x, own_axis, with_size(c, OpId::mod_, index_along(c, tiled, own_axis, {}), n));
    }
    return Value(TypedValue{own == 0 ? c.filled(*x, shape) : c.broadcast_to(*x, shape)});
}

}  // namespace fuseline::dsl
