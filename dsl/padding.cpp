// pad: elements around an array, of a constant or of its own.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "dsl/builtins.h"
#include "dsl/views.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

using Relation = ir::Check::Relation;

/// Elements before and after an axis.
struct Widths {
    ExtentId low, high;
};

std::optional<Widths> width_pair(Checker& c, const std::vector<Argument>& pair) {
    std::vector<ExtentId> sizes;
    for (const Argument& a : pair) {
        const auto size = c.as_size(a, "a width");
        if (!size || !c.require_size(*size, a.span)) return std::nullopt;
        sizes.push_back(*size);
    }
    return Widths{sizes.front(), sizes.back()};
}

/// NumPy's forms: w, (before, after), ((before, after), ..) for each axis.
std::optional<std::vector<Widths>> read_widths(Checker& c, const Argument& a, size_t rank) {
    const std::vector<Argument> items = items_of(a);
    const bool each = std::any_of(items.begin(), items.end(),
                                  [](const Argument& i) { return i.value.as_tuple() != nullptr; });
    std::vector<Widths> out;
    for (size_t k = 0; k < (each ? items.size() : 1); ++k) {
        const std::vector<Argument> pair = each ? items_of(items[k]) : items;
        if (pair.empty() || pair.size() > 2) {
            c.error(a.span, "`pad_width` has one width or two for each axis");
            return std::nullopt;
        }
        const auto widths = width_pair(c, pair);
        if (!widths) return std::nullopt;
        out.push_back(*widths);
    }
    if (out.size() == 1) out.resize(rank, out[0]);
    if (out.size() == rank) return out;
    c.error(a.span, fmt::format("`pad_width` names {} axes: the rank is {}", out.size(), rank));
    return std::nullopt;
}

enum class Mode { edge, wrap, reflect };

/// Sides of at most this many elements are written out one by one where it is not known whether the array is
/// longer than they are.
constexpr int64_t kShortSide = 4;

/// One axis of a padded array whose sides repeat elements of it.
class Side {
public:
    Side(Checker& c, ir::ValueId x, size_t axis, Widths w, Mode mode)
        : c_(c), pool_(c.extents()), x_(x), axis_(axis), w_(w), mode_(mode), shape_(c.builder.type(x).shape) {
        n_ = shape_[axis];
        shape_[axis] = pool_.add(pool_.add(n_, w.low), w.high);
        end_ = pool_.add(w.low, n_);
    }
    ir::ValueId run();

private:
    ExtentId number(int64_t value) { return pool_.constant(value); }
    ir::ValueId part(int64_t coefficient, ExtentId offset);
    ir::ValueId constant_part(ExtentId index);
    ExtentId source(ExtentId k);
    ir::ValueId source_of(ir::ValueId k);
    ir::ValueId join(const std::function<ir::ValueId()>& low, const std::function<ir::ValueId()>& high);
    ir::ValueId one_by_one(int64_t low, int64_t high);

    Checker& c_;
    ExtentPool& pool_;
    ir::ValueId x_;
    size_t axis_;
    Widths w_;
    Mode mode_;
    Shape shape_;
    ExtentId n_, end_;
};

/// x at coefficient * i + offset along the axis, nothing that counts outside.
ir::ValueId Side::part(int64_t coefficient, ExtentId offset) {
    ir::IndexMap map = identity_map(c_, shape_.size());
    map[axis_].offset = offset;
    map[axis_].terms[0].coefficient = number(coefficient);
    return window(c_, x_, std::move(map), shape_, zero_of(c_, c_.builder.type(x_).dtype));
}

ir::ValueId Side::constant_part(ExtentId index) {
    ir::IndexMap map = identity_map(c_, shape_.size());
    map[axis_] = {index, {}};
    return view(c_, x_, std::move(map), shape_);
}

/// The array with what stands before and after it.
ir::ValueId Side::join(const std::function<ir::ValueId()>& low, const std::function<ir::ValueId()>& high) {
    ir::ValueId all = part(1, pool_.negate(w_.low));
    if (w_.high != number(0)) all = before(c_, shape_, axis_, end_, all, high());
    if (w_.low != number(0)) all = before(c_, shape_, axis_, w_.low, low(), all);
    return all;
}

/// The index in x of element k of its endless continuation. A reflection repeats after 2 * (n - 1) elements.
ExtentId Side::source(ExtentId k) {
    if (mode_ == Mode::wrap) return pool_.mod(k, n_);
    const ExtentId last = pool_.sub(n_, number(1));
    const ExtentId twice = pool_.mul(number(2), last);
    const ExtentId m = pool_.mod(k, pool_.max(twice, number(1)));
    return pool_.min(m, pool_.sub(twice, m));
}

ir::ValueId Side::source_of(ir::ValueId k) {
    const auto op = [&](OpId id, ir::ValueId a, ir::ValueId b) {
        const ir::ValueId operands[2] = {a, b};
        return c_.builder.elementwise(id, operands, DType::i64_);
    };
    if (mode_ == Mode::wrap) return op(OpId::mod_, k, size_value(c_, n_));
    const ExtentId twice = pool_.mul(number(2), pool_.sub(n_, number(1)));
    const ir::ValueId m = op(OpId::mod_, k, size_value(c_, pool_.max(twice, number(1))));
    return op(OpId::min_, m, op(OpId::sub_, size_value(c_, twice), m));
}

ir::ValueId Side::one_by_one(int64_t low, int64_t high) {
    ir::ValueId all = part(1, pool_.negate(w_.low));
    if (high > 0) {
        ir::ValueId after = constant_part(source(pool_.add(n_, number(high - 1))));
        for (int64_t k = high - 1; k-- > 0;) {
            after = before(c_, shape_, axis_, pool_.add(end_, number(k + 1)),
                           constant_part(source(pool_.add(n_, number(k)))), after);
        }
        all = before(c_, shape_, axis_, end_, all, after);
    }
    for (int64_t k = low; k-- > 0;)
        all = before(c_, shape_, axis_, number(k + 1), constant_part(source(number(k - low))), all);
    return all;
}

ir::ValueId Side::run() {
    const ExtentId last = pool_.sub(n_, number(1));
    if (mode_ == Mode::edge)
        return join([&] { return constant_part(number(0)); }, [&] { return constant_part(last); });
    const ExtentId reach = mode_ == Mode::wrap ? n_ : last;
    const bool reaches = c_.known_le(w_.low, reach) && c_.known_le(w_.high, reach);
    if (reaches && mode_ == Mode::wrap) {
        return join([&] { return part(1, pool_.sub(n_, w_.low)); },
                    [&] { return part(1, pool_.negate(end_)); });
    }
    if (reaches) {
        return join([&] { return part(-1, w_.low); },
                    [&] { return part(-1, pool_.add(pool_.add(last, last), w_.low)); });
    }
    const auto low = pool_.constant_value(w_.low), high = pool_.constant_value(w_.high);
    if (low && high && *low <= kShortSide && *high <= kShortSide) return one_by_one(*low, *high);
    const ir::ValueId k = index_along(c_, shape_, axis_, pool_.negate(w_.low));
    return gather_axis(c_, x_, axis_, source_of(k));
}

std::optional<ir::ValueId> repeating(Checker& c, ir::ValueId x, const std::vector<Widths>& widths, Mode mode,
                                     Span span) {
    const ExtentId zero = c.extents().constant(0);
    for (size_t k = 0; k < widths.size(); ++k) {
        if (widths[k].low == zero && widths[k].high == zero) continue;
        const std::string message =
            fmt::format("`pad` repeats elements of axis {} of {}: it has none", k, c.text(c.builder.type(x)));
        if (!c.require_extent(c.builder.type(x).shape[k], Relation::greater_equal, c.extents().constant(1),
                              message, span)) {
            return std::nullopt;
        }
        x = Side(c, x, k, widths[k], mode).run();
    }
    return x;
}

/// What stands before and after an axis.
struct Fills {
    ir::ValueId low, high;
    bool operator==(const Fills&) const = default;
};

/// NumPy's forms: one value, (before, after), ((before, after), ..) for each axis.
std::optional<std::vector<Fills>> read_fills(Checker& c, const std::optional<Argument>& value, DType dtype,
                                             size_t rank) {
    if (!value) return std::vector<Fills>(rank, {zero_of(c, dtype), zero_of(c, dtype)});
    const std::vector<Argument> items = items_of(*value);
    const bool each = std::any_of(items.begin(), items.end(),
                                  [](const Argument& i) { return i.value.as_tuple() != nullptr; });
    std::vector<Fills> out;
    for (size_t k = 0; k < (each ? items.size() : 1); ++k) {
        std::vector<ir::ValueId> pair;
        for (const Argument& a : each ? items_of(items[k]) : items) {
            const auto id = c.as_dtype(a, dtype, "`constant_values`");
            if (!id) return std::nullopt;
            if (!c.builder.type(*id).scalar()) {
                c.error(a.span, fmt::format("`constant_values` is a scalar: found {}", c.text(a.value)));
                return std::nullopt;
            }
            pair.push_back(*id);
        }
        if (pair.empty() || pair.size() > 2) {
            c.error(value->span, "`constant_values` has one value or two for each axis");
            return std::nullopt;
        }
        out.push_back({pair.front(), pair.back()});
    }
    if (out.size() == 1) out.resize(rank, out[0]);
    if (out.size() == rank) return out;
    c.error(value->span, fmt::format("`constant_values` names {} axes: the rank is {}", out.size(), rank));
    return std::nullopt;
}

/// One window with a value all around, as many axes of x as there are from `first` to `end`.
ir::ValueId surrounded(Checker& c, ir::ValueId x, const std::vector<Widths>& widths, size_t first, size_t end,
                       ir::ValueId fill) {
    ExtentPool& pool = c.extents();
    const Shape own = c.builder.type(x).shape;
    Shape shape = own;
    ir::IndexMap map = identity_map(c, shape.size());
    for (size_t k = first; k < end; ++k) {
        shape[k] = pool.add(pool.add(shape[k], widths[k].low), widths[k].high);
        map[k].offset = pool.negate(widths[k].low);
    }
    return shape == own ? x : window(c, x, std::move(map), std::move(shape), fill);
}

/// Axis by axis, as NumPy does, where the values around differ: a later axis has the corners.
std::optional<ir::ValueId> constant_sides(Checker& c, ir::ValueId x, const std::vector<Widths>& widths,
                                          const std::optional<Argument>& value) {
    const auto fills = read_fills(c, value, c.builder.type(x).dtype, widths.size());
    if (!fills) return std::nullopt;
    const Fills first = fills->front();
    const bool one = std::count(fills->begin(), fills->end(), first) == std::ssize(*fills);
    if (one && first.low == first.high) return surrounded(c, x, widths, 0, widths.size(), first.low);
    for (size_t k = 0; k < widths.size(); ++k) {
        const auto [low, high] = (*fills)[k];
        x = surrounded(c, x, widths, k, k + 1, high);
        if (low == high || widths[k].low == c.extents().constant(0)) continue;
        const Shape shape = c.builder.type(x).shape;
        x = before(c, shape, k, widths[k].low, c.filled(low, shape), x);
    }
    return x;
}

}  // namespace

Value run_pad(Checker& c, Slots& slots, const Call& call) {
    const auto x = array_argument(c, *slots[0], "`pad`");
    if (!x) return {};
    const auto widths = read_widths(c, *slots[1], c.builder.type(*x).rank());
    const auto* named = slots[2] ? slots[2]->value.as<TextValue>() : nullptr;
    if (slots[2] && !named) {
        c.error(slots[2]->span, fmt::format("`mode` is a text: found {}", c.text(slots[2]->value)));
        return {};
    }
    const std::string mode = named ? named->text : "constant";
    constexpr std::pair<std::string_view, Mode> kModes[] = {
        {"edge", Mode::edge}, {"wrap", Mode::wrap}, {"reflect", Mode::reflect}};
    std::optional<ir::ValueId> padded;
    bool known = mode == "constant";
    if (widths && known) padded = constant_sides(c, *x, *widths, slots[3]);
    for (const auto& [name, repeat] : kModes) {
        if (mode != name) continue;
        known = true;
        if (widths) padded = repeating(c, *x, *widths, repeat, call.span);
        if (slots[3]) c.error(slots[3]->span, "`constant_values` needs `mode=\"constant\"`");
    }
    if (!known) {
        c.error(slots[2]->span, fmt::format("`pad` has no mode \"{}\"", mode))
            .help("the modes are \"constant\", \"edge\", \"wrap\" and \"reflect\"");
    }
    return padded ? Value(TypedValue{*padded}) : Value();
}

}  // namespace fuseline::dsl
