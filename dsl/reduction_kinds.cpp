// How each kind of reduction is built: a fold of one operator, or a composition of folds.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dsl/reductions.h"

namespace fuseline::dsl {

namespace {

using ir::ValueId;

/// The elements where `where` is true, else `otherwise`.
ValueId select(const ReductionCall& r, ValueId elements, ValueId otherwise) {
    return r.where ? elementwise(r.builder(), OpId::where_, {*r.where, elements, otherwise}) : elements;
}

ValueId zero_like(const ReductionCall& r, ValueId value) {
    return constant_of(r.builder(), r.builder().type(value).dtype, 0.0);
}

/// The elements as the row combines them: converted, or turned into truth and counts.
ValueId elements_of(const ReductionCall& r) {
    ir::Builder& b = r.builder();
    if (r.row.types == ReductionTypes::boolean || r.row.types == ReductionTypes::count) {
        const ValueId truth =
            is_bool(r.own()) ? r.array : elementwise(b, OpId::ne_, {r.array, zero_like(r, r.array)});
        return b.cast(truth, r.result_type());
    }
    return b.cast(r.array, r.accumulator());
}

/// Two sums and what each has lost, as one: Knuth's two-sum, which needs no order of the operands.
std::vector<ValueId> two_sum(ir::Builder& b, const std::vector<ValueId>& x, const std::vector<ValueId>& y) {
    const ValueId sum = elementwise(b, OpId::add_, {x[0], y[0]});
    const ValueId virtual_y = elementwise(b, OpId::sub_, {sum, x[0]});
    const ValueId virtual_x = elementwise(b, OpId::sub_, {sum, virtual_y});
    const ValueId lost = elementwise(
        b, OpId::add_,
        {elementwise(b, OpId::sub_, {x[0], virtual_x}), elementwise(b, OpId::sub_, {y[0], virtual_y})});
    const ValueId before = elementwise(b, OpId::add_, {x[1], y[1]});
    return {sum, elementwise(b, OpId::add_, {before, lost})};
}

/// With infinities the compensation is NaN and the plain sum is right.
ValueId compensated_sum(const ReductionCall& r, ValueId elements) {
    ir::Builder& b = r.builder();
    const ValueId zero = zero_like(r, elements);
    const ValueId identity = identity_of(b, ReductionIdentity::zero, b.type(elements).dtype);
    const ValueId none = r.c.filled(zero, b.type(elements).shape);
    const auto state = reduce_states(r.c, {elements, none}, {identity, zero}, r.axes,
                                     [&](const auto& x, const auto& y) { return two_sum(b, x, y); });
    const ValueId sum = elementwise(b, OpId::add_, {state[0], zero});
    const ValueId exact = elementwise(b, OpId::add_, {sum, state[1]});
    return elementwise(b, OpId::where_, {elementwise(b, OpId::isfinite_, {exact}), exact, sum});
}

/// The sum of the selected elements, in their type.
ValueId total(const ReductionCall& r, ValueId elements) {
    const ValueId identity =
        identity_of(r.builder(), ReductionIdentity::zero, r.builder().type(elements).dtype);
    const ValueId selected = select(r, elements, identity);
    return r.accumulate == Accumulate::kahan ? compensated_sum(r, selected) : sum_over(r.c, selected, r.axes);
}

/// The number of elements behind each result, less `less` and at least 0, as `dtype`; a scalar without
/// `where`.
ValueId contributors(const ReductionCall& r, ExtentId less, DType dtype) {
    ir::Builder& b = r.builder();
    ExtentPool& e = r.c.extents();
    const ExtentId zero = e.constant(0);
    if (!r.where) {
        ExtentId count = e.constant(1);
        for (uint32_t axis : r.axes) count = e.mul(count, r.shape()[axis]);
        if (less != zero) count = e.max(e.sub(count, less), zero);
        return b.cast(b.extent(count), dtype);
    }
    ValueId count = sum_over(r.c, b.cast(*r.where, DType::i64_), r.axes);
    if (less != zero) {
        count = elementwise(b, OpId::sub_, {count, b.extent(less)});
        count = elementwise(b, OpId::max_, {count, zero_like(r, count)});
    }
    return b.cast(count, dtype);
}

/// Each result needs an element: sizes are tested at launch, `where` with the data.
bool require_contributors(ReductionCall& r) {
    ir::Builder& b = r.builder();
    ExtentPool& e = r.c.extents();
    if (r.row.empty != ReductionEmpty::error || r.initial) return true;
    if (r.where) {
        const ValueId no = identity_of(b, ReductionIdentity::no, DType::bool_);
        ValueId some = reduce_by(r.c, OpId::or_, *r.where, no, r.axes);
        std::vector<uint32_t> rest(b.type(some).rank());
        for (uint32_t k = 0; k < rest.size(); ++k) rest[k] = k;
        const ValueId yes = identity_of(b, ReductionIdentity::yes, DType::bool_);
        some = reduce_by(r.c, OpId::and_, some, yes, rest);
        b.node(
            ir::Structure::assert_, {{some}}, {},
            fmt::format("{}: `where` selects no element for a result, and there is no `initial`", r.title()));
        return true;
    }
    // Without results nothing is missing: then each extent need only be >= 0.
    ExtentId results = e.constant(1);
    const std::vector<ExtentId> shape = r.shape();
    for (uint32_t axis = 0; axis < shape.size(); ++axis) {
        if (std::find(r.axes.begin(), r.axes.end(), axis) == r.axes.end())
            results = e.mul(results, shape[axis]);
    }
    const ExtentId least = e.min(results, e.constant(1));
    for (uint32_t axis : r.axes) {
        const std::string message = fmt::format("{}: axis {} is empty", r.title(), axis);
        if (e.constant_value(shape[axis]) == 0 && e.is_one(least)) {
            r.c.error(r.span, message).help("`initial=...` is the result over nothing");
            return false;
        }
        if (!r.c.require_extent(shape[axis], ir::Check::Relation::greater_equal, least, message, r.span))
            return false;
    }
    return true;
}

ValueId initial_in(const ReductionCall& r, DType dtype) {
    return r.builder().cast(r.initial->value.as<TypedValue>()->id, dtype);
}

/// The mean of the selected elements, in the accumulator's type.
ValueId mean_of(const ReductionCall& r) {
    const ValueId sum = total(r, elements_of(r));
    const ValueId count = contributors(r, r.c.extents().constant(0), r.accumulator());
    return elementwise(r.builder(), OpId::div_, {sum, count});
}

ValueId variance_of(const ReductionCall& r) {
    ir::Builder& b = r.builder();
    const ValueId mean = spread_over(r.c, mean_of(r), r.axes, r.shape());
    const ValueId distance = elementwise(b, OpId::sub_, {elements_of(r), mean});
    const ValueId sum = total(r, elementwise(b, OpId::mul_, {distance, distance}));
    return elementwise(b, OpId::div_, {sum, contributors(r, *r.ddof, r.accumulator())});
}

}  // namespace

std::optional<ValueId> build_fold(ReductionCall& r) {
    if (!require_contributors(r)) return std::nullopt;
    ir::Builder& b = r.builder();
    const ValueId elements = elements_of(r);
    const bool sums = r.row.combine == OpId::add_;
    ValueId result = elements;
    if (sums) {
        result = total(r, elements);
    } else {
        const ValueId identity = identity_of(b, r.row.identity, b.type(elements).dtype);
        result = reduce_by(r.c, r.row.combine, select(r, elements, identity), identity, r.axes);
    }
    if (r.initial) {
        const ValueId operands[2] = {result, initial_in(r, b.type(result).dtype)};
        result = b.elementwise(r.row.combine, operands, b.type(result).dtype);
    }
    return b.cast(result, r.result_type());
}

std::optional<ValueId> build_mean(ReductionCall& r) { return r.builder().cast(mean_of(r), r.result_type()); }

std::optional<ValueId> build_var(ReductionCall& r) {
    return r.builder().cast(variance_of(r), r.result_type());
}

std::optional<ValueId> build_std(ReductionCall& r) {
    return r.builder().cast(elementwise(r.builder(), OpId::sqrt_, {variance_of(r)}), r.result_type());
}

namespace {

/// Whether state y (value, index) goes before state x: NaN first, then the order of `less` with
/// -0.0 < +0.0, then the lower index.
ValueId goes_before(ir::Builder& b, OpId less, const std::vector<ValueId>& y, const std::vector<ValueId>& x) {
    ValueId first = elementwise(b, less, {y[0], x[0]});
    ValueId same = elementwise(b, OpId::eq_, {y[0], x[0]});
    const DType dtype = b.type(y[0]).dtype;
    if (is_float(dtype)) {
        const ValueId one = constant_of(b, dtype, 1.0);
        const ValueId sign_y = elementwise(b, OpId::copysign_, {one, y[0]});
        const ValueId sign_x = elementwise(b, OpId::copysign_, {one, x[0]});
        const ValueId nan_y = elementwise(b, OpId::isnan_, {y[0]});
        const ValueId nan_x = elementwise(b, OpId::isnan_, {x[0]});
        const ValueId by_sign = elementwise(b, OpId::and_, {same, elementwise(b, less, {sign_y, sign_x})});
        const ValueId by_nan = elementwise(b, OpId::and_, {nan_y, elementwise(b, OpId::not_, {nan_x})});
        first = elementwise(b, OpId::or_, {first, elementwise(b, OpId::or_, {by_sign, by_nan})});
        const ValueId level = elementwise(b, OpId::and_, {same, elementwise(b, OpId::eq_, {sign_y, sign_x})});
        same = elementwise(b, OpId::or_, {level, elementwise(b, OpId::and_, {nan_y, nan_x})});
    }
    const ValueId earlier = elementwise(b, OpId::lt_, {y[1], x[1]});
    return elementwise(b, OpId::or_, {first, elementwise(b, OpId::and_, {same, earlier})});
}

/// The index of each element: along the axis, or the flat one.
ValueId places_of(const ReductionCall& r) {
    ExtentPool& e = r.c.extents();
    const std::vector<ExtentId> shape = r.shape();
    ir::Affine place{e.constant(0), {}};
    ExtentId stride = e.constant(1);
    for (size_t k = r.axes.size(); k-- > 0;) {
        place.terms.insert(place.terms.begin(), {r.axes[k], stride});
        stride = e.mul(stride, shape[r.axes[k]]);
    }
    // An extent of 0 makes coefficients that an affine expression has no place for; it has no elements
    // either.
    std::erase_if(place.terms, [&](const ir::Affine::Term& t) { return t.coefficient == e.constant(0); });
    return r.builder().index(std::move(place), shape);
}

}  // namespace

std::optional<ValueId> build_arg(ReductionCall& r) {
    if (!require_contributors(r)) return std::nullopt;
    ir::Builder& b = r.builder();
    if (r.axes.empty()) return b.constant(DType::i64_, Scalar::of_i64(0));
    const bool widen = is_bool(r.own());
    const ValueId values = b.cast(r.array, widen ? DType::i64_ : computed_type(r.own()));
    const ValueId identity = identity_of(b, r.row.identity, b.type(values).dtype);
    const ValueId last = b.constant(DType::i64_, Scalar::of_i64(std::numeric_limits<int64_t>::max()));
    const auto state =
        reduce_states(r.c, {select(r, values, identity), select(r, places_of(r), last)}, {identity, last},
                      r.axes, [&](const auto& x, const auto& y) {
                          const ValueId take = goes_before(b, r.row.combine, y, x);
                          return std::vector<ValueId>{elementwise(b, OpId::where_, {take, y[0], x[0]}),
                                                      elementwise(b, OpId::where_, {take, y[1], x[1]})};
                      });
    return state[1];
}

std::optional<ValueId> build_logsumexp(ReductionCall& r) {
    ir::Builder& b = r.builder();
    const ValueId elements = elements_of(r);
    const DType dtype = b.type(elements).dtype;
    const ValueId lowest = identity_of(b, ReductionIdentity::lowest, dtype);
    const ValueId largest = reduce_by(r.c, OpId::max_, select(r, elements, lowest), lowest, r.axes);
    // An infinite or missing maximum would make inf - inf; exp needs no help there.
    const ValueId finite = elementwise(b, OpId::isfinite_, {largest});
    const ValueId shift = elementwise(b, OpId::where_, {finite, largest, zero_like(r, largest)});
    const ValueId moved = elementwise(b, OpId::sub_, {elements, spread_over(r.c, shift, r.axes, r.shape())});
    const ValueId sum = total(r, elementwise(b, OpId::exp_, {moved}));
    const ValueId result = elementwise(b, OpId::add_, {elementwise(b, OpId::log_, {sum}), shift});
    return b.cast(result, r.result_type());
}

}  // namespace fuseline::dsl
