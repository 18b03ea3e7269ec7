// Indexing: integers, slices, new axes and masks become index maps.
#include "dsl/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/views.h"

namespace fuseline::dsl {

namespace {

using Kind = ast::Subscript::Kind;
using Relation = ir::Check::Relation;

/// A bound or an index: a number that may count from the end, or a size that must lie inside.
constexpr std::string_view kAnIndex = "an index", kABound = "a bound of a slice";

struct Bound {
    ExtentId value;
    bool literal = false;
    bool negative = false;  ///< a literal below 0
};

class Selector {
public:
    Selector(Checker& c, ir::ValueId array) : c_(c), array_(array), own_(c.builder.type(array).shape) {}
    std::optional<Selection> run(const std::vector<Index>& indices, Span span);

private:
    std::optional<Bound> bound(const Argument& a, std::string_view what);
    bool inside(const Bound& b, bool may_end, const Argument& a, std::string_view what);
    bool take_index(const Index& index);
    bool take_slice(const Index& index);
    std::optional<ExtentId> stride(const Index& index, bool& backward);
    void keep(ExtentId extent, ExtentId offset, ExtentId step);
    ExtentId constant(int64_t value) { return c_.extents().constant(value); }
    ExtentId start_of(const Bound& b, ExtentId n, bool backward);
    ExtentId stop_of(const Bound& b, ExtentId n, bool backward);

    Checker& c_;
    ir::ValueId array_;
    std::vector<ExtentId> own_;
    Selection out_;
};

/// An integer scalar that is known before the computation starts.
std::optional<Bound> Selector::bound(const Argument& a, std::string_view what) {
    const auto dtype = c_.element_type(a, what);
    if (!dtype) return std::nullopt;
    const auto* t = a.value.as<TypedValue>();
    const auto* w = a.value.as<WeakValue>();
    if (!is_integer(*dtype) || (t && !c_.builder.type(t->id).scalar())) {
        if (is_integer(*dtype) && what == kAnIndex)
            c_.not_yet(a.span, "indexing with an array");
        else
            c_.error(a.span, fmt::format("{} is an integer: found {}", what, c_.text(a.value)));
        return std::nullopt;
    }
    if ((t && !c_.extent_of(t->id)) || (w && !c_.extent_of(w->id))) {
        c_.not_yet(a.span, fmt::format("{} that the data decides", what));
        return std::nullopt;
    }
    const auto value = c_.as_size(a, what);
    if (!value) return std::nullopt;
    const bool literal = a.value.as<mpz_class>() != nullptr;
    return Bound{*value, literal, literal && *c_.extents().constant_value(*value) < 0};
}

/// 0 <= b < n, or <= n where the bound `may_end` the axis.
bool Selector::inside(const Bound& b, bool may_end, const Argument& a, std::string_view what) {
    ExtentPool& pool = c_.extents();
    const size_t axis = out_.map.size();
    const ExtentId n = own_[axis];
    const bool known = pool.constant_value(b.value).has_value();
    if (!known && pool.provably_nonnegative(pool.negate(c_.canonical(b.value)))) {
        c_.error(a.span, fmt::format("{} that is a size does not count from the end: found {}", what,
                                     c_.text(b.value)))
            .help(fmt::format("write `{}`", c_.text(pool.add(n, b.value))));
        return false;
    }
    const std::string message =
        fmt::format("{} `{}` is outside axis {}, whose extent is {}",
                    what == kAnIndex ? "the index" : "the bound", c_.source_text(a.span), axis, c_.text(n));
    const ExtentId least = may_end || b.negative ? b.value : pool.add(b.value, constant(1));
    const auto extent = pool.constant_value(n),
               wanted = pool.constant_value(b.negative ? pool.negate(least) : least);
    if (extent && wanted && *extent < *wanted) {
        c_.error(a.span, message);
        return false;
    }
    if (b.negative)
        return c_.require_extent(n, Relation::greater_equal, pool.negate(b.value), message, a.span);
    return c_.require_extent(b.value, Relation::greater_equal, constant(0), message, a.span) &&
           c_.require_extent(n, Relation::greater_equal, least, message, a.span);
}

/// An axis of the array that becomes the next axis of the result.
void Selector::keep(ExtentId extent, ExtentId offset, ExtentId step) {
    ir::Affine index{offset, {}};
    const auto axis = static_cast<uint32_t>(out_.shape.size());
    if (!c_.extents().is_one(extent)) index.terms.push_back({axis, step});
    out_.shape.push_back(extent);
    out_.map.push_back(std::move(index));
}

bool Selector::take_index(const Index& index) {
    const auto b = bound(index.value, kAnIndex);
    if (!b || !inside(*b, false, index.value, kAnIndex)) return false;
    const ExtentId n = own_[out_.map.size()];
    out_.map.push_back({b->negative ? c_.extents().add(n, b->value) : b->value, {}});
    return true;
}

/// The step's size, with its direction.
std::optional<ExtentId> Selector::stride(const Index& index, bool& backward) {
    ExtentPool& pool = c_.extents();
    if (!index.step) return constant(1);
    const auto step = bound(*index.step, "a step");
    if (!step) return std::nullopt;
    const auto known = pool.constant_value(step->value);
    if (known == 0) {
        c_.error(index.step->span, "the step of a slice is 0");
        return std::nullopt;
    }
    backward = (known && *known < 0) ||
               (!known && pool.provably_nonnegative(pool.negate(c_.canonical(step->value))));
    const ExtentId size = backward ? pool.negate(step->value) : step->value;
    if (!c_.require_extent(size, Relation::greater_equal, constant(1), "the step of a slice is not positive",
                           index.step->span)) {
        return std::nullopt;
    }
    return size;
}

/// Literals clip so that every selected index is inside: to [0, n] forward, to [-1, n - 1] backward. Where a
/// bound on the far side makes the slice empty anyway, it is left as it is.
ExtentId Selector::start_of(const Bound& b, ExtentId n, bool backward) {
    ExtentPool& pool = c_.extents();
    if (!b.literal) return b.value;
    if (backward) return b.negative ? pool.add(n, b.value) : pool.min(b.value, pool.sub(n, constant(1)));
    return b.negative ? pool.max0(pool.add(n, b.value)) : b.value;
}

ExtentId Selector::stop_of(const Bound& b, ExtentId n, bool backward) {
    ExtentPool& pool = c_.extents();
    const ExtentId one = constant(1);
    if (!b.literal) return b.value;
    if (!backward) return b.negative ? pool.add(n, b.value) : pool.min(b.value, n);
    return b.negative ? pool.sub(pool.max0(pool.add(pool.add(n, b.value), one)), one) : b.value;
}

bool Selector::take_slice(const Index& index) {
    ExtentPool& pool = c_.extents();
    const ExtentId n = own_[out_.map.size()];
    const ExtentId last = pool.sub(n, constant(1));
    bool backward = false;
    const auto step = stride(index, backward);
    if (!step) return false;
    ExtentId start = backward ? last : constant(0);
    ExtentId stop = backward ? constant(-1) : n;
    const auto side = [&](const std::optional<Argument>& a, ExtentId& into, auto clip) {
        if (!a || a->value.as<NoneValue>()) return true;
        const auto b = bound(*a, kABound);
        if (!b || (!b->literal && !inside(*b, !backward, *a, kABound))) return false;
        into = (this->*clip)(*b, n, backward);
        return true;
    };
    if (!side(index.start, start, &Selector::start_of)) return false;
    if (!side(index.stop, stop, &Selector::stop_of)) return false;
    const ExtentId length = backward ? pool.sub(start, stop) : pool.sub(stop, start);
    const ExtentId rounded = pool.add(length, pool.sub(*step, constant(1)));
    keep(pool.max0(pool.floordiv(rounded, *step)), start, backward ? pool.negate(*step) : *step);
    return true;
}

std::optional<Selection> Selector::run(const std::vector<Index>& indices, Span span) {
    size_t taken = 0, ellipses = 0;
    for (const Index& index : indices) {
        taken += index.kind == Kind::slice || index.kind == Kind::index ? 1 : 0;
        ellipses += index.kind == Kind::ellipsis ? 1 : 0;
    }
    if (ellipses > 1 || taken > own_.size()) {
        c_.error(span, ellipses > 1 ? "`...` may stand once"
                                    : fmt::format("too many indices: {} for {}", taken,
                                                  c_.text(c_.builder.type(array_))));
        return std::nullopt;
    }
    const auto rest = [&](size_t count) {
        for (; count > 0; --count) keep(own_[out_.map.size()], constant(0), constant(1));
    };
    bool sound = true;
    for (const Index& index : indices) {
        if (index.kind == Kind::newaxis) out_.shape.push_back(constant(1));
        if (index.kind == Kind::ellipsis) rest(own_.size() - taken);
        const size_t before = out_.map.size();
        if (index.kind == Kind::index) sound = take_index(index) && sound;
        if (index.kind == Kind::slice) sound = take_slice(index) && sound;
        const bool takes = index.kind == Kind::index || index.kind == Kind::slice;
        // A faulty index still takes its axis.
        if (takes && out_.map.size() == before) out_.map.push_back({});
    }
    if (!sound) return std::nullopt;
    rest(own_.size() - out_.map.size());
    return std::move(out_);
}

bool is_mask(Checker& c, const Index& index) {
    const auto* t = index.value.value.as<TypedValue>();
    if (!t || index.kind != Kind::index) return false;
    const ir::Type& type = c.builder.type(t->id);
    return is_bool(type.dtype) && !type.scalar();
}

/// A mask over the leading axes, spread over the rest.
std::optional<Selection> select_mask(Checker& c, ir::ValueId array, const std::vector<Index>& indices) {
    for (const Index& index : indices) {
        const bool all = index.kind == Kind::ellipsis ||
                         (index.kind == Kind::slice && !index.start && !index.stop && !index.step);
        if (is_mask(c, index) || (all && is_mask(c, indices[0]))) continue;
        c.not_yet(index.span, "a mask beside other indices");
        return std::nullopt;
    }
    if (std::count_if(indices.begin(), indices.end(), [&](const Index& i) { return is_mask(c, i); }) > 1) {
        c.not_yet(indices[1].span, "more than one mask");
        return std::nullopt;
    }
    const ir::ValueId mask = indices[0].value.value.as<TypedValue>()->id;
    const std::vector<ExtentId> own = c.builder.type(mask).shape;
    const std::vector<ExtentId> shape = c.builder.type(array).shape;
    bool fits = own.size() <= shape.size();
    for (size_t k = 0; fits && k < own.size(); ++k) fits = c.same_extent(own[k], shape[k]);
    if (!fits) {
        c.error(indices[0].span, fmt::format("a mask has the shape of what it selects from: found {} for {}",
                                             c.text(c.builder.type(mask)), c.text(c.builder.type(array))));
        return std::nullopt;
    }
    Selection out;
    out.mask = own == shape ? mask : c.builder.view(mask, identity_map(c, own.size()), shape);
    return out;
}

}  // namespace

std::vector<ast::ExprId> index_expressions(const std::vector<ast::Subscript>& subscripts) {
    std::vector<ast::ExprId> out;
    for (const ast::Subscript& s : subscripts) {
        for (ast::ExprId id : {s.value, s.start, s.stop, s.step}) {
            if (id) out.push_back(id);
        }
    }
    return out;
}

std::vector<Index> indices_of(const Checker& c, const std::vector<ast::Subscript>& subscripts,
                              const std::vector<Value>& values) {
    std::vector<Index> out;
    size_t next = 0;
    const auto take = [&](ast::ExprId id) { return Argument{values[next++], c.expr(id).span, {}, {}}; };
    for (const ast::Subscript& s : subscripts) {
        Index index;
        index.kind = s.kind;
        index.span = s.span;
        if (s.value) index.value = take(s.value);
        if (s.start) index.start = take(s.start);
        if (s.stop) index.stop = take(s.stop);
        if (s.step) index.step = take(s.step);
        out.push_back(std::move(index));
    }
    return out;
}

std::optional<Selection> select(Checker& c, ir::ValueId array, const std::vector<Index>& indices, Span span) {
    if (std::any_of(indices.begin(), indices.end(), [&](const Index& i) { return is_mask(c, i); }))
        return select_mask(c, array, indices);
    return Selector(c, array).run(indices, span);
}

}  // namespace fuseline::dsl
