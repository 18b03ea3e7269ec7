// Evaluates one expression with explicit stacks.
#include "dsl/expressions.h"

#include <fmt/format.h>

#include "dsl/branches.h"
#include "dsl/builtins.h"
#include "dsl/selection.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

Value Checker::evaluate(ast::ExprId id) { return Evaluator(*this).run(id); }

Argument Checker::argument(ast::ExprId id) { return {evaluate(id), expr(id).span, {}, {}}; }

Value Evaluator::run(ast::ExprId root) {
    tasks_.push_back({root, 0});
    while (!tasks_.empty()) step();
    return std::move(values_.back());
}

void Evaluator::leave(Value value) {
    tasks_.pop_back();
    values_.push_back(std::move(value));
}

void Evaluator::step() {
    const Task task = tasks_.back();
    const ast::Expr& e = c_.expr(task.id);
    if (e.kind == ast::ExprKind::conditional) return conditional(e, task.stage);
    if (task.stage != 0) return leave(finish(e));
    if (refuse(e)) return leave({});
    tasks_.back().stage = 1;
    start(e);
}

namespace {

/// The operands that are evaluated before the expression itself; a callee that is a name or a field is none.
std::vector<ast::ExprId> evaluated_first(const ast::Tree& tree, const ast::Expr& e) {
    std::vector<ast::ExprId> ids = e.operands;
    if (e.kind == ast::ExprKind::call) {
        const ast::Expr& callee = tree[e.operands[0]];
        const bool method = callee.kind == ast::ExprKind::field && callee.text != "dtype";
        if (callee.kind == ast::ExprKind::name || method) ids.erase(ids.begin());
    }
    for (ast::ExprId id : index_expressions(e.subscripts)) ids.push_back(id);
    return ids;
}

}  // namespace

void Evaluator::start(const ast::Expr& e) { push_children(evaluated_first(c_.frame->tree(), e)); }

void Evaluator::push_children(const std::vector<ast::ExprId>& ids) {
    for (auto at = ids.rbegin(); at != ids.rend(); ++at) tasks_.push_back({*at, 0});
}

std::vector<Value> Evaluator::pop_values(size_t count) {
    std::vector<Value> out(std::make_move_iterator(values_.end() - static_cast<ptrdiff_t>(count)),
                           std::make_move_iterator(values_.end()));
    values_.resize(values_.size() - count);
    return out;
}

std::vector<Argument> Evaluator::arguments_of(const std::vector<ast::ExprId>& ids) {
    std::vector<Value> values = pop_values(ids.size());
    std::vector<Argument> arguments;
    for (size_t i = 0; i < ids.size(); ++i) {
        arguments.push_back({std::move(values[i]), c_.expr(ids[i]).span, {}, {}});
    }
    return arguments;
}

/// Whether the expression that begins is, in lists, an argument of a built-in function that takes lists.
/// Tasks that have begun are the expressions around it.
bool Evaluator::in_list_argument() const {
    for (size_t k = tasks_.size() - 1; k-- > 0;) {
        if (tasks_[k].stage == 0) continue;
        const ast::Expr& e = c_.expr(tasks_[k].id);
        if (e.kind == ast::ExprKind::array || e.kind == ast::ExprKind::tuple) continue;
        if (e.kind != ast::ExprKind::call) return false;
        const ast::Expr& callee = c_.expr(e.operands[0]);
        const Builtin* b = callee.kind == ast::ExprKind::name ? find_builtin(callee.text) : nullptr;
        return b && b->lists;
    }
    return false;
}

/// Kinds of expression that this version does not build, and calls that need not look at their arguments.
bool Evaluator::refuse(const ast::Expr& e) {
    switch (e.kind) {
        case ast::ExprKind::imaginary: c_.not_yet(e.span, "a complex number"); return true;
        case ast::ExprKind::array: {
            const bool one =
                e.operands.size() == 1 && c_.expr(e.operands[0]).kind == ast::ExprKind::comprehension;
            if (!one && in_list_argument()) return false;
            c_.not_yet(e.span, one ? "a comprehension" : "an array constant");
            return true;
        }
        case ast::ExprKind::comprehension: c_.not_yet(e.span, "a comprehension"); return true;
        case ast::ExprKind::range:
        case ast::ExprKind::reversed: c_.error(e.span, "a range stands only after `in`"); return true;
        case ast::ExprKind::call: return c_.refuse_callee(e);
        default: return false;
    }
}

Value Evaluator::finish_binary(const ast::Expr& e) {
    const std::vector<Argument> operands = arguments_of(e.operands);
    if (row(e.op).rule == TypeRule::logical && operands.size() == 2) {
        return c_.logical(e.op, operands[0], operands[1], e.span);
    }
    return c_.apply_op(e.op, operands, e.span);
}

Value Evaluator::finish_call(const ast::Expr& e) {
    const std::vector<ast::ExprId> ids = evaluated_first(c_.frame->tree(), e);
    std::vector<Argument> arguments = arguments_of(ids);
    Value callee;
    if (ids.size() == e.operands.size()) {
        callee = arguments.front().value;
        arguments.erase(arguments.begin());
    }
    for (size_t i = 0; i < arguments.size() && i < e.names.size(); ++i) {
        arguments[i].name = e.names[i];
        arguments[i].name_span = e.name_spans[i];
    }
    return c_.call(e, callee, std::move(arguments));
}

Value Evaluator::finish(const ast::Expr& e) {
    switch (e.kind) {
        case ast::ExprKind::name: return c_.name_value(e);
        case ast::ExprKind::unary:
        case ast::ExprKind::binary: return finish_binary(e);
        case ast::ExprKind::compare: return c_.compare(e, arguments_of(e.operands));
        case ast::ExprKind::call: return finish_call(e);
        case ast::ExprKind::array:
        case ast::ExprKind::tuple: return Value::tuple(pop_values(e.operands.size()));
        case ast::ExprKind::field: return c_.field(e, pop_values(1).front());
        case ast::ExprKind::subscript: {
            std::vector<Value> values = pop_values(evaluated_first(c_.frame->tree(), e).size());
            const Value base = values.front();
            values.erase(values.begin());
            return c_.subscript(e, base, values);
        }
        default: return c_.literal(e);
    }
}

/// operands: yes, condition, no. The condition comes first; one that is known now leaves only its arm.
void Evaluator::conditional(const ast::Expr& e, int stage) {
    if (stage == 0) {
        tasks_.back().stage = 1;
        return push_children({e.operands[1]});
    }
    if (stage == 1) {
        const Value condition = pop_values(1).front();
        if (condition.is_error()) return leave({});
        if (const bool* known = condition.as<bool>()) {
            tasks_.back() = {e.operands[*known ? 0 : 2], 0};
            return;
        }
        const auto id =
            c_.scalar_condition({condition, c_.expr(e.operands[1]).span, {}, {}}, "where(c, a, b)");
        if (!id) return leave({});
        arms_.push_back({Value(TypedValue{*id}), {}, {}, c_.builder.insertion(), {}});
    }
    if (c_.frame->scalar_region) return conditional_regions(e, stage);
    if (stage == 1) {
        tasks_.back().stage = 2;
        return push_children({e.operands[0], e.operands[2]});
    }
    const Argument condition{arms_.back().condition, c_.expr(e.operands[1]).span, {}, {}};
    arms_.pop_back();
    const std::vector<Argument> arms = arguments_of({e.operands[0], e.operands[2]});
    if (!arms_fit(arms, e.span)) return leave({});
    leave(c_.apply_op(OpId::where_, {condition, arms[0], arms[1]}, e.span));
}

/// The shapes of the arms, in a message that does not speak of `where`.
bool Evaluator::arms_fit(const std::vector<Argument>& arms, Span span) {
    std::vector<ir::ValueId> arrays;
    for (const Argument& a : arms) {
        if (const auto* t = a.value.as<TypedValue>()) arrays.push_back(t->id);
    }
    return c_.broadcast_shape(arrays, span, "`if ... else`").has_value();
}

/// Stage 1 enters the first arm's region, 2 the second's, 3 makes the `if` node.
void Evaluator::conditional_regions(const ast::Expr& e, int stage) {
    Arms& arms = arms_.back();
    ir::Builder& b = c_.builder;
    if (stage == 1) {
        arms.yes = b.make_region();
        arms.no = b.make_region();
        b.set_insertion(arms.yes);
        tasks_.back().stage = 2;
        return push_children({e.operands[0]});
    }
    if (stage == 2) {
        arms.first = pop_values(1).front();
        b.set_insertion(arms.no);
        tasks_.back().stage = 3;
        return push_children({e.operands[2]});
    }
    const Value second = pop_values(1).front();
    const Arms done = std::move(arms);
    arms_.pop_back();
    b.set_insertion(done.outer);
    if (done.first.is_error() || second.is_error()) return leave({});
    const RegionPair regions{done.condition.as<TypedValue>()->id, done.yes, done.no};
    leave(c_.join_arms(regions, {done.first, c_.expr(e.operands[0]).span, {}, {}},
                       {second, c_.expr(e.operands[2]).span, {}, {}}, e.span));
}

}  // namespace fuseline::dsl
