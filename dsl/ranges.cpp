// The counter of a `for`: Python's range, evaluated once before the loop.
#include <fmt/format.h>

#include "dsl/loops.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

/// A bound of a range: an integer scalar of any kind.
Argument Loop::integer_bound(ast::ExprId id) {
    Argument a = c_.argument(id);
    const auto dtype = c_.element_type(a, "a bound of a range");
    if (!dtype) return {Value(), a.span, {}, {}};
    const auto* t = a.value.as<TypedValue>();
    const bool scalar = !t || c_.builder.type(t->id).scalar();
    if (is_integer(*dtype) && scalar) return a;
    c_.error(a.span, fmt::format("a bound of a range is an integer: found {}", c_.text(a.value)));
    return {Value(), a.span, {}, {}};
}

/// Sets start_, stop_ and, unless the loop variable is the counter itself, first_ and step_. False after a
/// report.
bool Loop::open_range() {
    const ast::Expr* range = &c_.expr(s_.loop.range);
    const bool reversed = range->kind == ast::ExprKind::reversed;
    if (reversed) range = &c_.expr(range->operands[0]);
    const Argument first = integer_bound(range->operands[0]);
    const Argument stop = integer_bound(range->operands[1]);
    std::optional<Argument> step;
    if (range->operands.size() > 2 && range->operands[2]) step = integer_bound(range->operands[2]);
    if (first.value.is_error() || stop.value.is_error() || (step && step->value.is_error())) return false;
    if (step && step->value.as<mpz_class>() && sgn(*step->value.as<mpz_class>()) == 0) {
        c_.error(step->span, "the step of a range is 0");
        return false;
    }
    set_counter(first, stop, step, reversed);
    return start_ && stop_;
}

void Loop::set_counter(const Argument& first, const Argument& stop, const std::optional<Argument>& step,
                       bool reversed) {
    const Span span = s_.loop.name_span;
    const auto op = [&](OpId id, const Argument& a, const Argument& b) {
        return Argument{c_.apply_op(id, {a, b}, span), span, {}, {}};
    };
    const auto i64 = [&](const Argument& a) {
        return c_.as_dtype(a, DType::i64_, "a bound of a range").value_or(ir::ValueId{});
    };
    if (!step && !reversed) {
        start_ = i64(first);
        stop_ = i64(stop);
        return;
    }
    const Argument one{Value::integer(1), span, {}, {}};
    const Argument stride = step.value_or(one);
    const Argument zero{Value::integer(0), span, {}, {}};
    const Argument count = op(OpId::sub_, zero, op(OpId::floordiv_, op(OpId::sub_, first, stop), stride));
    start_ = i64(zero);
    stop_ = i64(count);
    first_ = reversed ? op(OpId::add_, first, op(OpId::mul_, op(OpId::sub_, count, one), stride)) : first;
    step_ = reversed ? op(OpId::sub_, zero, stride) : stride;
}

}  // namespace fuseline::dsl
