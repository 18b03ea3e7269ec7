// Operators, operands and the main loop of the expression parser. Brackets are in expression_brackets.cpp.
#include "dsl/expression_parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "dsl/parser.h"
#include "dsl/parser_hints.h"

namespace fuseline {

using ast::Expr;
using ast::ExprId;
using ast::ExprKind;

namespace {

/// The operator in infix position that a token means, wrong spellings included.
std::optional<OpId> infix_of(const Token& t) {
    if (t.kind != TokenKind::symbol && t.kind != TokenKind::keyword) return std::nullopt;
    if (const auto op = infix_op(t.text)) return op;
    const std::string_view meant = hints::infix_spelling(t.text);
    return meant.empty() ? std::nullopt : infix_op(meant);
}

bool is_comparison(const OpRow& r) { return r.rule == TypeRule::comparison || r.rule == TypeRule::equality; }

bool is_number(ExprKind kind) {
    return kind == ExprKind::integer || kind == ExprKind::floating || kind == ExprKind::imaginary;
}

}  // namespace

ExprId ExpressionParser::expression(bool newline) {
    newline_ = newline;
    return run({});
}

ExprId ExpressionParser::condition() {
    newline_ = false;
    Bracket root;
    root.is_condition = true;
    return run(std::move(root));
}

ExprId ExpressionParser::range() {
    newline_ = false;
    Bracket root;
    root.phase = Bracket::Phase::start;
    return run(std::move(root));
}

ExprId ExpressionParser::run(Bracket root) {
    frames_.clear();
    brackets_.clear();
    brackets_.push_back(std::move(root));
    frames_.push_back({Frame::Kind::bracket, {}, {}, {}, {}});
    state_ = State::operand;
    while (state_ == State::operand || state_ == State::operation) {
        state_ == State::operand ? operand() : operation();
    }
    return state_ == State::finished ? value_ : ExprId{};
}

ExprId ExpressionParser::add(Expr node) {
    tree_.exprs.push_back(std::move(node));
    return {static_cast<uint32_t>(tree_.exprs.size() - 1)};
}

void ExpressionParser::want_operand(bool newline) {
    state_ = State::operand;
    newline_ = newline;
}

void ExpressionParser::operand() {
    if (cursor_.line_ended() && !newline_) return expected_value();
    const Token& t = cursor_.peek();
    if (frames_.back().kind == Frame::Kind::bracket && operand_of_bracket(t)) return;
    if (prefix(t) || opening(t) || atom(t)) return;
    expected_value();
}

bool ExpressionParser::prefix(const Token& t) {
    if (t.kind != TokenKind::symbol && t.kind != TokenKind::keyword) return false;
    auto op = prefix_op(t.text);
    const std::string_view meant = op ? std::string_view{} : hints::prefix_spelling(t.text);
    if (!meant.empty()) {
        op = prefix_op(meant);
        cursor_.report(t.span, fmt::format("`{}` is not an operator", t.text))
            .help(fmt::format("write `{}`", meant));
    }
    if (!op) return false;
    if (not_is_out_of_place(t, *op)) return true;
    frames_.push_back({Frame::Kind::prefix, *op, t.span, {}, {}});
    cursor_.take();
    want_operand(false);
    return true;
}

/// `a == not b` and `-not b`: the loose operator cannot be the operand of a tighter one.
bool ExpressionParser::not_is_out_of_place(const Token& t, OpId op) {
    const Frame& top = frames_.back();
    const bool tighter = (top.kind == Frame::Kind::infix || top.kind == Frame::Kind::prefix) &&
                         row(top.op).precedence > row(op).precedence;
    if (row(op).rule != TypeRule::logical || !tighter) return false;
    cursor_
        .fail(t.span, fmt::format("`{}` binds less tightly than the `{}` before it", row(op).spelling,
                                  row(top.op).spelling))
        .help(fmt::format("write `({} ...)`", row(op).spelling));
    fail();
    return true;
}

bool ExpressionParser::opening(const Token& t) {
    if (!t.is("(") && !t.is("[")) return false;
    Expr node;
    node.kind = t.is("(") ? ExprKind::tuple : ExprKind::array;
    node.span = node.op_span = t.span;
    open_bracket(t.is("(") ? Bracket::Kind::group : Bracket::Kind::array, std::move(node));
    return true;
}

bool ExpressionParser::atom(const Token& t) {
    switch (t.kind) {
        case TokenKind::integer: literal(ExprKind::integer, t); return true;
        case TokenKind::floating: literal(ExprKind::floating, t); return true;
        case TokenKind::imaginary: literal(ExprKind::imaginary, t); return true;
        case TokenKind::string: literal(ExprKind::string, t); return true;
        case TokenKind::name: name(t); return true;
        case TokenKind::keyword: break;
        default: return false;
    }
    if (!t.is("true") && !t.is("false") && !t.is("none")) return false;
    literal(t.is("none") ? ExprKind::none : ExprKind::boolean, t);
    return true;
}

void ExpressionParser::literal(ExprKind kind, const Token& t) {
    Expr node;
    node.kind = kind;
    node.span = t.span;
    if (kind == ExprKind::string) {
        node.text = cursor_.string_value(t);
    } else if (kind != ExprKind::none) {
        node.text = t.text;
        std::erase(node.text, '_');
        if (kind == ExprKind::imaginary) node.text.pop_back();
    }
    cursor_.take();
    value_ = add(std::move(node));
    state_ = State::operation;
}

void ExpressionParser::name(const Token& t) {
    const Token& next = cursor_.peek(1);
    if (t.text == "lambda" && !next.starts_line && (next.kind == TokenKind::name || next.is(":"))) {
        cursor_.fail("there are no lambda expressions")
            .help("define a function, `fn name(x) = expression`, and pass its name");
        return fail();
    }
    const std::string_view meant = hints::literal_spelling(t.text);
    if (!meant.empty()) {
        cursor_.report(t.span, fmt::format("unknown name `{}`", t.text))
            .help(fmt::format("write `{}`", meant));
    }
    Expr node;
    node.kind = ExprKind::name;
    node.span = t.span;
    node.text = t.text;
    cursor_.take();
    value_ = add(std::move(node));
    state_ = State::operation;
}

void ExpressionParser::expected_value() {
    const Token& t = cursor_.peek();
    const Bracket& b = bracket();
    fail();
    const bool left_open = t.starts_line || t.is("{") || t.is("}") || t.kind == TokenKind::end;
    if (b.open.known() && left_open) return report_unclosed(b.open, closer(b.kind));
    if (cursor_.at_end() || (cursor_.line_ended() && !newline_)) {
        cursor_.fail(fmt::format("expected a value, but {}", cursor_.found()));
    } else if (infix_of(t)) {
        cursor_.fail(t.span, fmt::format("`{}` needs a value on its left", t.text));
    } else if (t.kind == TokenKind::keyword) {
        cursor_.fail(t.span, fmt::format("expected a value, but found the keyword `{}`", t.text));
    } else {
        auto report = cursor_.fail(t.span, fmt::format("expected a value, but found `{}`", t.text));
        if (t.is("..") && b.phase == Bracket::Phase::start) report.help("a range names its start: `0..n`");
        const Token& before = cursor_.previous();
        const bool list = t.is("{") && (before.is("=") || before.is("(") || before.is(","));
        if (list) report.help("an array is written `[a, b]`");
    }
}

void ExpressionParser::operation() {
    const Token& t = cursor_.peek();
    if (cursor_.line_ended()) {
        if (!t.is("else") || !conditional(t)) finish_item();
        return;
    }
    const bool after_reversed = bracket().phase == Bracket::Phase::range_done;
    if (after_reversed && frames_.back().kind == Frame::Kind::bracket) return finish_item();
    if (!postfix(t) && !infix(t) && !conditional(t)) finish_item();
}

bool ExpressionParser::postfix(const Token& t) {
    if (t.is(".")) return field();
    const bool call = t.is("(");
    if (!call && !t.is("[")) return false;
    const Expr& base = tree_[value_];
    if (call && is_number(base.kind) && !base.parenthesised) {
        cursor_.fail(cover(base.span, t.span), "a number cannot be called")
            .help(fmt::format("for a product write `{} * (...)`", base.text));
        fail();
        return true;
    }
    Expr node;
    node.kind = call ? ExprKind::call : ExprKind::subscript;
    node.span = cover(base.span, t.span);
    node.op_span = t.span;
    node.operands = {value_};
    open_bracket(call ? Bracket::Kind::call : Bracket::Kind::subscript, std::move(node));
    return true;
}

bool ExpressionParser::field() {
    cursor_.take();
    const Token* field = cursor_.name("the name of a field");
    if (field == nullptr) {
        fail();
        return true;
    }
    Expr node;
    node.kind = ExprKind::field;
    node.span = cover(span_of(value_), field->span);
    node.op_span = field->span;
    node.text = field->text;
    node.operands = {value_};
    value_ = add(std::move(node));
    return true;
}

/// `x is none` and `x is not none` of Python.
bool ExpressionParser::identity(const Token& t) {
    if (!t.is_name("is")) return false;
    const bool negated = cursor_.is("not", 1);
    const OpId op = negated ? OpId::ne_ : OpId::eq_;
    cursor_.report(t.span, negated ? "`is not` is not an operator" : "`is` is not an operator")
        .help(fmt::format("write `{}`", row(op).spelling));
    if (negated) cursor_.take();
    reduce(row(op).precedence, row(op).right_associative);
    push_infix(op, t);
    return true;
}

bool ExpressionParser::infix(const Token& t) {
    if (identity(t)) return true;
    const auto op = infix_of(t);
    if (!op) return false;
    if (row(*op).spelling != t.text) {
        cursor_.report(t.span, fmt::format("`{}` is not an operator", t.text))
            .help(fmt::format("write `{}`", row(*op).spelling));
    }
    reduce(row(*op).precedence, row(*op).right_associative);
    push_infix(*op, t);
    return true;
}

void ExpressionParser::push_infix(OpId op, const Token& t) {
    frames_.push_back({Frame::Kind::infix, op, t.span, value_, {}});
    cursor_.take();
    want_operand(true);
}

/// Applies the waiting operators that bind tighter than `precedence`, and, but for `keep_equal`, as tight.
void ExpressionParser::reduce(int precedence, bool keep_equal) {
    for (;;) {
        const Frame& top = frames_.back();
        if (top.kind != Frame::Kind::infix && top.kind != Frame::Kind::prefix) return;
        const int tightness = row(top.op).precedence;
        if (tightness < precedence || (tightness == precedence && keep_equal)) return;
        apply();
    }
}

void ExpressionParser::reduce_all() {
    while (frames_.back().kind == Frame::Kind::infix || frames_.back().kind == Frame::Kind::prefix) apply();
}

void ExpressionParser::apply() {
    const Frame f = frames_.back();
    frames_.pop_back();
    if (f.kind == Frame::Kind::infix && is_comparison(row(f.op))) return compare(f);
    Expr node;
    node.op = f.op;
    node.op_span = f.span;
    if (f.kind == Frame::Kind::prefix) {
        node.kind = ExprKind::unary;
        node.span = cover(f.span, span_of(value_));
        node.operands = {value_};
    } else {
        node.kind = ExprKind::binary;
        node.span = cover(span_of(f.left), span_of(value_));
        node.operands = {f.left, value_};
    }
    value_ = add(std::move(node));
}

void ExpressionParser::compare(const Frame& f) {
    Expr node;
    const Expr& left = tree_[f.left];
    warn_of_bit_operator(f.left);
    warn_of_bit_operator(value_);
    if (left.kind == ExprKind::compare && !left.parenthesised) {
        // The chain moves to a new node, so that operands keep smaller ids than what uses them.
        node = std::move(tree_.exprs[f.left.index]);
        tree_.exprs[f.left.index] = Expr{};
    } else {
        node.kind = ExprKind::compare;
        node.span = left.span;
        node.op_span = f.span;
        node.operands = {f.left};
    }
    node.span = cover(node.span, span_of(value_));
    node.operands.push_back(value_);
    node.ops.push_back(f.op);
    value_ = add(std::move(node));
}

void ExpressionParser::warn_of_bit_operator(ExprId operand) {
    const Expr& e = tree_[operand];
    if (e.kind != ExprKind::binary || e.parenthesised) return;
    const std::string_view logical = hints::logical_for_bit(row(e.op).spelling);
    if (logical.empty()) return;
    cursor_
        .report(e.op_span,
                fmt::format("`{}` binds tighter than the comparison beside it", row(e.op).spelling))
        .help(fmt::format("for bools write `{}`; for bits put `a {} b` in parentheses", logical,
                          row(e.op).spelling));
}

bool ExpressionParser::conditional(const Token& t) {
    const bool in_comprehension = bracket().comprehension.has_value();
    if (!t.is("else") && (!t.is("if") || in_comprehension)) return false;
    reduce_all();
    if (t.is("else")) {
        while (frames_.back().kind == Frame::Kind::otherwise) finish_conditional();
        Frame& top = frames_.back();
        if (top.kind != Frame::Kind::condition) return false;
        top.kind = Frame::Kind::otherwise;
        top.condition = value_;
    } else if (frames_.back().kind == Frame::Kind::condition) {
        cursor_.fail("an `if` inside the condition of another needs parentheses");
        fail();
        return true;
    } else {
        frames_.push_back({Frame::Kind::condition, {}, t.span, value_, {}});
    }
    cursor_.take();
    want_operand(false);
    return true;
}

void ExpressionParser::finish_conditional() {
    const Frame f = frames_.back();
    frames_.pop_back();
    Expr node;
    node.kind = ExprKind::conditional;
    node.span = cover(span_of(f.left), span_of(value_));
    node.op_span = f.span;
    node.operands = {f.left, f.condition, value_};
    value_ = add(std::move(node));
}

}  // namespace fuseline
