// Brackets of the expression parser: groups and tuples, array constants, calls, subscripts.
#include <fmt/format.h>

#include "dsl/expression_parser.h"
#include "dsl/parser.h"

namespace fuseline {

using ast::Expr;
using ast::ExprId;
using ast::ExprKind;
using ast::Subscript;

std::string_view ExpressionParser::closer(Bracket::Kind kind) {
    return kind == Bracket::Kind::array || kind == Bracket::Kind::subscript ? "]" : ")";
}

void ExpressionParser::open_bracket(Bracket::Kind kind, Expr node) {
    const Token& t = cursor_.peek();
    if (cursor_.depth >= kMaxNesting) {
        cursor_.fail(t.span, fmt::format("brackets nest deeper than {}", kMaxNesting))
            .help("name a part of the expression on a line of its own");
        return fail();
    }
    cursor_.take();
    ++cursor_.depth;
    Bracket b;
    b.kind = kind;
    b.open = t.span;
    b.node = std::move(node);
    if (kind == Bracket::Kind::reversed) b.phase = Bracket::Phase::start;
    brackets_.push_back(std::move(b));
    frames_.push_back({Frame::Kind::bracket, {}, t.span, {}, {}});
    want_operand(true);
}

/// What may stand in place of a value: a closing bracket after a comma, a keyword, the parts of a slice.
bool ExpressionParser::operand_of_bracket(const Token& t) {
    Bracket& b = bracket();
    if (b.phase == Bracket::Phase::start) return reversed_range(t);
    if (b.phase != Bracket::Phase::items) return false;
    switch (b.kind) {
        case Bracket::Kind::group:
            if (!t.is(")")) return false;
            if (b.node.operands.empty()) {
                cursor_.fail(cover(b.open, t.span), "empty parentheses hold no value");
                fail();
            } else {
                close();
            }
            return true;
        case Bracket::Kind::array:
            if (!t.is("]")) return false;
            close();
            return true;
        case Bracket::Kind::call: return operand_of_call(t);
        case Bracket::Kind::subscript: return operand_of_subscript(t);
        default: return false;
    }
}

bool ExpressionParser::operand_of_call(const Token& t) {
    Bracket& b = bracket();
    if (b.keyword_span.known()) return false;
    if (t.is(")")) {
        close();
        return true;
    }
    const bool keyword = t.kind == TokenKind::name && cursor_.is("=", 1);
    if (keyword) {
        b.keyword = t.text;
        b.keyword_span = t.span;
        cursor_.take();
        cursor_.take();
        want_operand(true);
        return true;
    }
    if (!b.after_comprehension) return false;
    cursor_.fail("after a comprehension only another range `j in a..b` or keyword arguments may follow");
    fail();
    return true;
}

bool ExpressionParser::operand_of_subscript(const Token& t) {
    Bracket& b = bracket();
    const bool fresh = b.colons == 0;
    if (t.is("...") && fresh) {
        b.slice.kind = Subscript::Kind::ellipsis;
        b.slice.span = t.span;
        cursor_.take();
        value_ = {};
        if (!cursor_.is(",") && !cursor_.is("]")) {
            expected_closer();
            return true;
        }
        subscript_item(cursor_.peek());
        return true;
    }
    const bool ends = t.is("]") || (t.is(",") && !fresh);
    if (!ends && !t.is(":")) return false;
    if (fresh && t.is("]")) {
        if (b.node.subscripts.empty()) {
            cursor_.fail(cover(b.open, t.span), "an index is missing").help("all elements are `x` or `x[:]`");
            fail();
        } else {
            close();
        }
        return true;
    }
    value_ = {};
    subscript_item(t);
    return true;
}

/// Everything up to the next token that belongs to no expression is applied; then that token decides.
void ExpressionParser::finish_item() {
    reduce_all();
    while (frames_.back().kind == Frame::Kind::otherwise) finish_conditional();
    const Token& t = cursor_.peek();
    const Frame& top = frames_.back();
    if (top.kind == Frame::Kind::condition) {
        cursor_.fail(top.span, "an `if` inside an expression needs an `else`")
            .help("write `a if condition else b`");
        return fail();
    }
    if (bracket().phase != Bracket::Phase::items) return range_item(t);
    if (bracket().kind == Bracket::Kind::root) {
        if (bracket().is_condition && t.is("=")) return assignment_for_comparison();
        state_ = State::finished;
        return;
    }
    item(t);
}

void ExpressionParser::item(const Token& t) {
    Bracket& b = bracket();
    if (b.kind == Bracket::Kind::subscript) {
        if (t.is(",") || t.is("]") || t.is(":")) return subscript_item(t);
        return expected_closer();
    }
    if (t.is("for")) return comprehension_allowed() ? start_comprehension() : fail();
    if (b.kind == Bracket::Kind::call) return call_item(t);
    if (t.is(",")) {
        b.node.operands.push_back(value_);
        b.is_tuple = true;
        cursor_.take();
        return want_operand(true);
    }
    if (t.is(closer(b.kind))) {
        b.node.operands.push_back(value_);
        return close();
    }
    if (t.is("=") && b.kind == Bracket::Kind::group) return assignment_for_comparison();
    expected_closer();
}

void ExpressionParser::assignment_for_comparison() {
    const Token& t = cursor_.peek();
    cursor_.report(t.span, "`=` assigns and gives no value").help("to compare, write `==`");
    push_infix(*infix_op("=="), t);
}

void ExpressionParser::call_item(const Token& t) {
    if (!t.is(",") && !t.is(")")) {
        if (!t.is("=")) return expected_closer();
        cursor_.fail("`=` in a call follows the plain name of a parameter").help("to compare, write `==`");
        return fail();
    }
    add_argument();
    if (state_ == State::failed) return;
    if (t.is(")")) return close();
    cursor_.take();
    want_operand(true);
}

void ExpressionParser::add_argument() {
    Bracket& b = bracket();
    const bool after_keyword = !b.node.names.empty() && !b.node.names.back().empty();
    if (!b.keyword_span.known() && after_keyword) {
        cursor_.fail(span_of(value_), "a positional argument stands before all keyword arguments")
            .note(b.node.name_spans.back(), "the keyword argument before it");
        return fail();
    }
    b.node.operands.push_back(value_);
    b.node.names.push_back(std::move(b.keyword));
    b.node.name_spans.push_back(b.keyword_span);
    b.keyword.clear();
    b.keyword_span = {};
}

/// One part of a subscript ends at `t`: `:` (in a slice), `,` or `]`. `value_` is the part, or absent.
void ExpressionParser::subscript_item(const Token& t) {
    Bracket& b = bracket();
    Subscript& s = b.slice;
    if (value_) s.span = cover(s.span, span_of(value_));
    ExprId* const parts[] = {&s.start, &s.stop, &s.step};
    *parts[b.colons] = value_;
    if (t.is(":")) {
        if (b.colons == 2) {
            cursor_.fail("a slice has at most three parts, `start:stop:step`");
            return fail();
        }
        s.kind = Subscript::Kind::slice;
        s.span = cover(s.span, t.span);
        ++b.colons;
        cursor_.take();
        return want_operand(true);
    }
    add_subscript();
    if (state_ == State::failed) return;
    if (t.is("]")) return close();
    cursor_.take();
    want_operand(true);
}

void ExpressionParser::add_subscript() {
    Bracket& b = bracket();
    Subscript& s = b.slice;
    if (s.kind == Subscript::Kind::index) {
        const Expr& index = tree_[s.start];
        if (index.kind == ExprKind::none) {
            cursor_.fail(index.span, "`none` is not an index").help("a new axis is written `newaxis`");
            return fail();
        }
        const bool new_axis = index.kind == ExprKind::name && index.text == "newaxis";
        if (new_axis) s.kind = Subscript::Kind::newaxis;
        if (!new_axis) s.value = s.start;
        s.start = {};
    }
    b.node.subscripts.push_back(s);
    s = {};
    b.colons = 0;
}

/// Closes the innermost bracket at the current token.
void ExpressionParser::close() {
    const Token& t = cursor_.take();
    --cursor_.depth;
    Bracket b = std::move(brackets_.back());
    brackets_.pop_back();
    frames_.pop_back();
    b.node.span = cover(b.node.span, t.span);
    state_ = State::operation;
    if (b.kind == Bracket::Kind::group && !b.is_tuple) {
        value_ = b.node.operands[0];
        Expr& inner = tree_.exprs[value_.index];
        inner.parenthesised = true;
        inner.span = b.node.span;
        return;
    }
    value_ = add(std::move(b.node));
    if (b.kind == Bracket::Kind::reversed) bracket().phase = Bracket::Phase::range_done;
}

void ExpressionParser::report_unclosed(Span open, std::string_view wanted) {
    cursor_.fail(open, fmt::format("`{}` is never closed", wanted == ")" ? "(" : "["))
        .note(cursor_.here(), fmt::format("a `{}` is missing before this", wanted));
}

/// The current token neither goes on with nor closes the innermost bracket.
void ExpressionParser::expected_closer() {
    const Bracket& b = bracket();
    const Token& t = cursor_.peek();
    const std::string_view wanted = closer(b.kind);
    fail();
    const bool left_open = t.starts_line || t.is("{") || t.is("}") || t.is(";") || t.kind == TokenKind::end;
    if (left_open) return report_unclosed(b.open, wanted);
    const bool wrong_closer = t.is(")") || t.is("]");
    const std::string text = wrong_closer
                                 ? fmt::format("expected `{}`, but found `{}`", wanted, t.text)
                                 : fmt::format("expected `,` or `{}`, but {}", wanted, cursor_.found());
    auto report = cursor_.fail(text);
    if (wrong_closer || cursor_.on_other_line(b.open, t.span)) {
        report.note(b.open, fmt::format("the `{}` to close", wanted == ")" ? "(" : "["));
    }
    if (t.is("..") && b.kind == Bracket::Kind::subscript) report.help("a slice is written `a:b`");
    if (t.is("..") && b.kind != Bracket::Kind::subscript)
        report.help("a range `a..b` stands only after `in`");
    if (t.is(":") && b.kind == Bracket::Kind::call) report.help("a keyword argument is written `name=value`");
}

}  // namespace fuseline
