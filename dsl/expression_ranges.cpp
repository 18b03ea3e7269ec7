// Comprehensions and ranges of the expression parser.
#include <fmt/format.h>

#include "dsl/expression_parser.h"

namespace fuseline {

using ast::Expr;
using ast::ExprId;
using ast::ExprKind;

/// Is the `for` at hand the start of a comprehension? Reports where it is not.
bool ExpressionParser::comprehension_allowed() {
    const Bracket& b = bracket();
    const Token& t = cursor_.peek();
    if (b.kind == Bracket::Kind::group && !b.is_tuple) {
        cursor_.fail("a comprehension does not stand in parentheses of its own")
            .help("write `[x[i] for i in 0..n]`, or give it to a reduction: `sum(x[i] for i in 0..n)`");
        return false;
    }
    const size_t before = b.node.operands.size() - (b.kind == Bracket::Kind::call ? 1 : 0);
    if (before == 0 && !b.keyword_span.known()) return true;
    if (b.kind == Bracket::Kind::call && t.is("for")) {
        cursor_.fail("a comprehension is the first argument and the only positional one");
    } else {
        cursor_.fail("the body of a comprehension is one value")
            .help("several values stand in parentheses: `(a, b) for ...`");
    }
    return false;
}

void ExpressionParser::start_comprehension() {
    Expr node;
    node.kind = ExprKind::comprehension;
    node.span = span_of(value_);
    node.op_span = cursor_.peek().span;
    node.operands = {value_};
    bracket().comprehension = std::move(node);
    clause();
}

/// `for NAME in` or `, NAME in`; a range follows.
void ExpressionParser::clause() {
    Bracket& b = bracket();
    cursor_.take();
    if (cursor_.is("(") || cursor_.is("[")) {
        cursor_.fail("a range binds one name").help("write `for i in 0..n, j in 0..m`");
        return fail();
    }
    const Token* name = cursor_.name("the name of a loop variable");
    if (name == nullptr) return fail();
    if (!cursor_.accept("in")) {
        cursor_.fail(fmt::format("expected `in`, but {}", cursor_.found()))
            .help(fmt::format("write `for {} in 0..n`", name->text));
        return fail();
    }
    b.comprehension->clauses.push_back({std::string(name->text), name->span, {}});
    b.phase = Bracket::Phase::start;
    want_operand(true);
}

/// `reversed(` right after `in`.
bool ExpressionParser::reversed_range(const Token& t) {
    if (!t.is_name("reversed") || !cursor_.is("(", 1) || bracket().kind == Bracket::Kind::reversed)
        return false;
    cursor_.take();
    Expr node;
    node.kind = ExprKind::reversed;
    node.span = t.span;
    node.op_span = t.span;
    open_bracket(Bracket::Kind::reversed, std::move(node));
    return true;
}

void ExpressionParser::range_item(const Token& t) {
    Bracket& b = bracket();
    switch (b.phase) {
        case Bracket::Phase::start:
            if (!t.is("..")) return expected_range();
            b.range = {value_};
            b.phase = Bracket::Phase::stop;
            cursor_.take();
            return want_operand(true);
        case Bracket::Phase::stop:
            b.range.push_back(value_);
            if (!t.is_name("by") || cursor_.line_ended()) {
                b.range.push_back({});
                return end_range();
            }
            b.phase = Bracket::Phase::step;
            cursor_.take();
            return want_operand(false);
        case Bracket::Phase::step: b.range.push_back(value_); return end_range();
        case Bracket::Phase::range_done: return after_clause();
        case Bracket::Phase::filter: b.comprehension->filter = value_; return after_clause();
        case Bracket::Phase::items: return;
    }
}

void ExpressionParser::expected_range() {
    const Token& t = cursor_.peek();
    const Expr& start = tree_[value_];
    const bool call = start.kind == ExprKind::call && tree_[start.operands[0]].kind == ExprKind::name;
    const std::string callee = call ? tree_[start.operands[0]].text : "";
    auto report = cursor_.fail(start.span, "expected a range `a..b` after `in`");
    fail();
    if (bracket().kind == Bracket::Kind::reversed) {
        report.help("`reversed` takes a range: `reversed(a..b)`");
    } else if (callee == "range") {
        report.help("write `0..n` for `range(n)` and `a..b by s` for `range(a, b, s)`");
    } else if (t.is(":")) {
        report.help("write `..` in place of `:`");
    } else if (t.is("...")) {
        report.help("write `..` in place of `...`");
    } else {
        report.help("to visit the elements of an array, index it: `for i in 0..n`, then `x[i]`");
    }
}

void ExpressionParser::end_range() {
    Bracket& b = bracket();
    Expr node;
    node.kind = ExprKind::range;
    node.span = cover(span_of(b.range[0]), span_of(value_));
    node.operands = std::move(b.range);
    value_ = add(std::move(node));
    b.phase = Bracket::Phase::range_done;
    if (b.kind != Bracket::Kind::reversed) return after_clause();
    if (!cursor_.is(")")) return expected_closer();
    b.node.operands = {value_};
    close();
}

/// A range or a filter is complete; `value_` is the range.
void ExpressionParser::after_clause() {
    Bracket& b = bracket();
    const Token& t = cursor_.peek();
    if (!b.comprehension) {
        state_ = State::finished;
        return;
    }
    Expr& c = *b.comprehension;
    const bool filtered = b.phase == Bracket::Phase::filter;
    if (!filtered) c.clauses.back().range = value_;
    if (t.is(closer(b.kind))) return end_comprehension();
    if (t.is(",")) {
        const Token& next = cursor_.peek(1);
        const bool clause_follows = cursor_.is("in", 2) && next.kind == TokenKind::name;
        if (!clause_follows) return end_comprehension();
        if (!filtered) return clause();
        cursor_.fail(next.span, "the `if` of a comprehension stands after its last range");
    } else if (t.is("if") && !filtered) {
        b.phase = Bracket::Phase::filter;
        cursor_.take();
        return want_operand(true);
    } else if (t.is("if")) {
        cursor_.fail("a comprehension has one `if`").help("join the conditions with `and`");
    } else if (t.is("else")) {
        cursor_.fail("`if` after a range filters and has no `else`")
            .help("put a conditional bound in parentheses");
    } else if (t.is("for")) {
        cursor_.fail("further ranges follow after a comma").help("write `, j in a..b`");
    } else {
        return expected_closer();
    }
    fail();
}

void ExpressionParser::end_comprehension() {
    Bracket& b = bracket();
    Expr node = std::move(*b.comprehension);
    b.comprehension.reset();
    b.phase = Bracket::Phase::items;
    b.after_comprehension = true;
    const ExprId last = node.filter ? node.filter : node.clauses.back().range;
    node.span = cover(node.span, span_of(last));
    if (b.kind == Bracket::Kind::array && node.filter) {
        cursor_.report(span_of(node.filter), "an array comprehension cannot leave elements out")
            .help("filter in a reduction, `sum(... if c)`, or choose with `where(c, a, b)`");
    }
    value_ = add(std::move(node));
    const Token& t = cursor_.peek();
    if (b.kind == Bracket::Kind::call) return call_item(t);
    if (t.is("]")) return item(t);
    expected_closer();
}

}  // namespace fuseline
