// iota, arange, linspace: arrays of evenly spaced numbers.
#include <fmt/format.h>

#include <cmath>

#include "dsl/creation.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

Argument at(Value v, Span span) { return {std::move(v), span, {}, {}}; }

/// start + step * i as i64, cast where another type was asked for.
Value integer_sequence(Checker& c, const Argument& start, const Argument& stop, const Argument& step,
                       const std::optional<Argument>& type) {
    const auto a = c.as_size(start, "`start`");
    const auto b = c.as_size(stop, "`stop`");
    const auto s = c.as_size(step, "`step`");
    const auto dtype = dtype_argument(c, type, DType::i64_);
    if (!a || !b || !s || !dtype) return {};
    ExtentPool& pool = c.extents();
    if (pool.constant_value(*s) == 0) {
        c.error(step.span, "the step is 0");
        return {};
    }
    const ExtentId count = pool.max0(pool.negate(pool.floordiv(pool.sub(*a, *b), *s)));
    const ir::ValueId index = c.builder.index(ir::Affine{*a, {{0, *s}}}, {count});
    return Value(TypedValue{c.builder.cast(index, *dtype)});
}

/// start + i * step in f64 for numbers known at compile time; the step as NumPy rounds it.
Value float_sequence(Checker& c, const Argument& start, const Argument& stop, const Argument& step,
                     const std::optional<Argument>& type, Span span) {
    for (const Argument* a : {&start, &stop, &step}) {
        if (a->value.constant_number()) continue;
        c.not_yet(a->span, "`arange` of floats that are not known at compile time");
        return {};
    }
    const double a = to_f64(start.value);
    const double s = to_f64(step.value);
    const double count = std::ceil((to_f64(stop.value) - a) / s);
    if (!(std::abs(count) < 9.0e15)) {
        c.error(span, "the sequence has no end or too many elements");
        return {};
    }
    const auto dtype = dtype_argument(c, type, DType::f64_);
    if (!dtype) return {};
    const ExtentId extent = c.extents().constant(static_cast<int64_t>(std::max(count, 0.0)));
    const ir::Affine index{{}, {{0, c.extents().constant(1)}}};
    const ir::ValueId i = c.builder.cast(c.builder.index(index, {extent}), DType::f64_);
    const Value scaled =
        c.apply_op(OpId::mul_, {at(Value(TypedValue{i}), span), at(Value((a + s) - a), span)}, span);
    const Value sum = c.apply_op(OpId::add_, {at(Value(a), span), at(scaled, span)}, span);
    return Value(TypedValue{c.builder.cast(sum.as<TypedValue>()->id, *dtype)});
}

bool floating(Checker& c, const Argument& a) {
    const auto dtype = c.element_type(a, "`arange`");
    return dtype && is_float(*dtype);
}

}  // namespace

Value run_iota(Checker& c, Slots& slots, const Call& call) {
    const auto shape = c.as_shape(*slots[0]);
    if (!shape) return {};
    if (shape->size() != 1) {
        c.error(call.span, "`iota` takes one integer");
        return {};
    }
    return Value(TypedValue{c.builder.index(ir::Affine{{}, {{0, c.extents().constant(1)}}}, *shape)});
}

Value run_arange(Checker& c, Slots& slots, const Call& call) {
    const bool one = !slots[1] || slots[1]->value.as<NoneValue>();
    const Argument start = one ? at(Value::integer(0), call.span) : *slots[0];
    const Argument stop = one ? *slots[0] : *slots[1];
    const Argument step = slots[2] ? *slots[2] : at(Value::integer(1), call.span);
    if (floating(c, start) || floating(c, stop) || floating(c, step)) {
        return float_sequence(c, start, stop, step, slots[3], call.span);
    }
    return integer_sequence(c, start, stop, step, slots[3]);
}

namespace {

/// The type in which linspace computes: that of typed floats among its ends, else f64.
std::optional<DType> linspace_type(Checker& c, const Argument& start, const Argument& stop) {
    std::optional<DType> dtype;
    for (const Argument* a : {&start, &stop}) {
        const auto own = c.element_type(*a, "`linspace`");
        if (!own) return std::nullopt;
        if (!a->value.as<TypedValue>() || !is_float(*own)) continue;
        dtype = dtype ? promote(*dtype, *own) : own;
    }
    return dtype.value_or(DType::f64_);
}

}  // namespace

/// start + i * ((stop - start) / (num - 1)), the last element stop itself, as NumPy does.
Value run_linspace(Checker& c, Slots& slots, const Call& call) {
    const Span span = call.span;
    const auto op = [&](OpId id, const Argument& a, const Argument& b) {
        return at(c.apply_op(id, {a, b}, span), span);
    };
    const Argument one = at(Value::integer(1), span);
    const Argument num = slots[2] ? *slots[2] : at(Value::integer(50), span);
    const auto shape = c.as_shape(num);
    const auto computed = linspace_type(c, *slots[0], *slots[1]);
    if (!shape || !computed) return {};
    const auto dtype = dtype_argument(c, slots[4], *computed);
    const bool* endpoint = slots[3] ? slots[3]->value.as<bool>() : nullptr;
    if (slots[3] && !endpoint) {
        c.error(slots[3]->span, "`endpoint` is true or false, known at compile time");
        return {};
    }
    if (!dtype || shape->size() != 1) return {};
    const bool closed = !endpoint || *endpoint;
    const Argument size = at(c.from_extent(shape->front()), span);
    const Argument last = op(OpId::max_, closed ? op(OpId::sub_, size, one) : size, one);
    const ir::ValueId index = c.builder.index(ir::Affine{{}, {{0, c.extents().constant(1)}}}, *shape);
    const Argument i = at(Value(TypedValue{c.builder.cast(index, *computed)}), span);
    const Argument step = op(OpId::div_, op(OpId::sub_, *slots[1], *slots[0]), last);
    Argument y = op(OpId::add_, op(OpId::mul_, i, step), *slots[0]);
    if (closed) {
        const Argument is_last = op(OpId::eq_, at(Value(TypedValue{index}), span), last);
        y = at(c.apply_op(OpId::where_, {is_last, *slots[1], y}, span), span);
    }
    const auto* t = y.value.as<TypedValue>();
    return t ? Value(TypedValue{c.builder.cast(t->id, *dtype)}) : Value();
}

}  // namespace fuseline::dsl
