// Simple statements, types and recovery of the statement parser. Blocks are in block_parser.cpp.
#include "dsl/statement_parser.h"

#include <fmt/format.h>

#include "dsl/parser_hints.h"

namespace fuseline {

using ast::Expr;
using ast::ExprId;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtId;
using ast::StmtKind;
using ast::Target;

namespace {

/// The operator of `op=`.
std::optional<OpId> update_op(const Token& t) {
    if (t.kind != TokenKind::symbol || t.text.size() < 2 || t.text.back() != '=' || infix_op(t.text))
        return std::nullopt;
    return infix_op(t.text.substr(0, t.text.size() - 1));
}

bool is_value_start(const Token& t) {
    return t.kind == TokenKind::name || t.kind == TokenKind::integer || t.kind == TokenKind::floating ||
           t.kind == TokenKind::string;
}

/// The name that an expression calls, or "".
std::string callee_name(const ast::Tree& tree, const Expr& e) {
    if (e.kind != ExprKind::call) return {};
    const Expr& callee = tree[e.operands[0]];
    return callee.kind == ExprKind::name ? callee.text : std::string{};
}

bool is_script_effect(std::string_view name) { return name == "print" || name == "save" || name == "show"; }

}  // namespace

void StatementParser::script_statement() {
    statement();
    run_blocks();
}

StmtId StatementParser::add(Stmt s) {
    tree_.statements.push_back(std::move(s));
    return {static_cast<uint32_t>(tree_.statements.size() - 1)};
}

Stmt StatementParser::start(StmtKind kind) const {
    Stmt s;
    s.kind = kind;
    s.span = cursor_.peek().span;
    return s;
}

void StatementParser::append(Stmt s) {
    s.span = cover(s.span, cursor_.previous().span);
    append_id(add(std::move(s)));
}

void StatementParser::append_id(StmtId id) {
    const Stmt& s = tree_[id];
    if (blocks_.empty()) {
        if (s.kind == StmtKind::expression) check_script_expression(s);
        tree_.script.push_back(id);
        return;
    }
    Block& b = blocks_.back();
    const bool in_body = b.kind == Block::Kind::body;
    if (in_body && !b.statements.empty()) {
        const Stmt& last = tree_[b.statements.back()];
        if (last.kind == StmtKind::expression) report_unused(last);
    } else if (!in_body && s.kind == StmtKind::expression) {
        report_unused(s);
    }
    b.statements.push_back(id);
}

void StatementParser::report_unused(const Stmt& s) {
    const Expr& e = tree_[s.value];
    const std::string callee = callee_name(tree_, e);
    if (is_script_effect(callee)) {
        // In a block of the script the block itself was the error.
        if (blocks_.front().kind != Block::Kind::body) return;
        cursor_.report(s.span,
                       fmt::format("`{}` is a script statement and stands only outside functions", callee));
        return;
    }
    auto report = cursor_.report(s.span, "the value of this expression is not used");
    if (e.kind == ExprKind::compare && e.ops.size() == 1 && row(e.ops[0]).spelling == "==") {
        report.help("to assign, write `=`");
    } else {
        report.help("assign it to a name, or give it back with `return`");
    }
}

void StatementParser::check_script_expression(const Stmt& s) {
    const std::string callee = callee_name(tree_, tree_[s.value]);
    if (is_script_effect(callee)) return;
    const std::string near = callee.empty() ? "" : nearest_name(callee, {"print", "save", "show"});
    auto report = cursor_.report(s.span, "the value of this expression is not used");
    if (!near.empty()) {
        report.help(fmt::format("did you mean `{}`?", near));
    } else {
        report.help("assign it to a name, or show it with `print(...)`");
    }
}

void StatementParser::statement() {
    start_ = cursor_.position();
    column_ = cursor_.peek().column;
    dispatch(cursor_.peek());
    if (cursor_.position() == start_) cursor_.take();
}

void StatementParser::dispatch(const Token& t) {
    if (t.is(";")) {
        end_statement();
        return;
    }
    if (keyword_statement(t) || foreign_start(t) || operator_start(t) || increment(t)) return;
    if (!expression_or_assignment()) recover(start_, column_);
}

bool StatementParser::keyword_statement(const Token& t) {
    if (t.kind != TokenKind::keyword) return false;
    if (cursor_.is("=", 1) && !cursor_.peek(1).starts_line) {
        cursor_.fail(t.span, fmt::format("`{}` is a keyword and cannot be a name", t.text))
            .help("choose another name");
        return recover(start_, column_), true;
    }
    if (blocks_.empty() && (t.is("if") || t.is("while") || t.is("for"))) {
        cursor_.report(t.span, fmt::format("`{}` stands only in a function", t.text))
            .help("put these lines in a function and call it");
    }
    if (t.is("if")) return if_statement(), true;
    if (t.is("while")) return while_statement(), true;
    if (t.is("for")) return for_statement(), true;
    if (t.is("else")) return stray_else(), true;
    if (starts_statement(t) && !t.is("return") && !t.is("break") && !t.is("continue") && !t.is("assert")) {
        return nested_definition(), true;
    }
    bool done = false;
    if (t.is("break")) {
        done = jump(StmtKind::break_);
    } else if (t.is("continue")) {
        done = jump(StmtKind::continue_);
    } else if (t.is("return")) {
        done = return_statement();
    } else if (t.is("assert")) {
        done = assert_statement();
    } else if (t.is("const")) {
        cursor_.fail(t.span, "`const` stands only before a parameter")
            .help("names need no announcement: `name = value`");
    } else {
        return false;
    }
    if (!done) recover(start_, column_);
    return true;
}

/// Words that start a statement in other languages.
bool StatementParser::foreign_start(const Token& t) {
    const Token& next = cursor_.peek(1);
    if (t.kind != TokenKind::name || next.starts_line) return false;
    const bool word_follows = is_value_start(next) || next.kind == TokenKind::keyword;
    if (t.text == "elif" && !next.is("=")) return stray_else(), true;
    if (!hints::definition_word(t.text).empty() && next.kind == TokenKind::name)
        return nested_definition(), true;
    if (hints::is_binding_word(t.text) && next.kind == TokenKind::name) {
        cursor_.report(t.span, fmt::format("`{}` is not needed before a name", t.text))
            .help("write `name = value`");
        cursor_.take();
        return false;
    }
    const std::string_view advice = hints::foreign_statement(t.text);
    if (advice.empty() || !(word_follows || next.is("{") || next.is(":"))) return false;
    cursor_.fail(t.span, fmt::format("there is no `{}` statement", t.text)).help(std::string(advice));
    recover(start_, column_);
    return true;
}

/// A line that starts with a binary operator. A leading sign is a value only where nothing stands before it.
bool StatementParser::operator_start(const Token& t) {
    if (t.kind != TokenKind::symbol && t.kind != TokenKind::keyword) return false;
    const bool infix = infix_op(t.text).has_value() || !hints::infix_spelling(t.text).empty();
    if (!infix) return false;
    const bool sign = prefix_op(t.text).has_value();
    if (sign && !blocks_.empty() && blocks_.back().statements.empty()) return false;
    auto report = cursor_.fail(t.span, fmt::format("a line cannot start with the operator `{}`", t.text));
    const Token& next = cursor_.peek(1);
    if (t.is("//") || (t.is("/") && (next.is("*") || next.is("**")))) {
        report.help("a comment starts with `#`");
    } else {
        report.help(fmt::format("to go on with the line above, end it with `{}`", t.text));
        if (sign)
            report.help(
                fmt::format("for a value of its own write `return {}...` or `({}...)`", t.text, t.text));
    }
    recover(start_, column_);
    return true;
}

/// `x++` and `x--`.
bool StatementParser::increment(const Token& t) {
    const Token& sign = cursor_.peek(1);
    const Token& again = cursor_.peek(2);
    const bool twice =
        (sign.is("+") || sign.is("-")) && again.is(sign.text) && sign.span.end == again.span.begin;
    if (t.kind != TokenKind::name || !twice || !cursor_.peek(3).starts_line) return false;
    cursor_.fail(cover(sign.span, again.span), fmt::format("`{0}{0}` is not an operator", sign.text))
        .help(fmt::format("write `{} {}= 1`", t.text, sign.text));
    recover(start_, column_);
    return true;
}

bool StatementParser::jump(StmtKind kind) {
    Stmt s = start(kind);
    const Token& t = cursor_.take();
    if (loops_ == 0) cursor_.report(t.span, fmt::format("`{}` stands only in a loop", t.text));
    if (!end_statement()) return false;
    append(std::move(s));
    return true;
}

bool StatementParser::return_statement() {
    Stmt s = start(StmtKind::return_);
    const Token& t = cursor_.take();
    if (blocks_.empty()) cursor_.report(t.span, "`return` stands only in a function");
    if (!cursor_.line_ended() && !cursor_.is("}") && !cursor_.is(";")) {
        s.value = expressions_.expression();
        if (!s.value || !check_value(s.value)) return false;
    }
    if (!end_statement(s.value)) return false;
    append(std::move(s));
    return true;
}

bool StatementParser::assert_statement() {
    Stmt s = start(StmtKind::assert_);
    cursor_.take();
    s.value = expressions_.condition();
    if (!s.value) return false;
    if (tree_[s.value].kind == ExprKind::tuple) {
        cursor_.report(tree_[s.value].span, "a tuple is not a condition")
            .help("write `assert condition, \"message\"` without parentheses");
    }
    if (cursor_.accept(",")) {
        s.message = expressions_.expression(true);
        if (!s.message) return false;
    }
    if (!end_statement()) return false;
    append(std::move(s));
    return true;
}

bool StatementParser::expression_or_assignment() {
    if (cursor_.peek().kind == TokenKind::name && cursor_.is(":", 1)) return typed_assignment();
    Stmt s = start(StmtKind::expression);
    s.value = expressions_.expression(true);
    if (!s.value) return false;
    if (cursor_.line_ended()) {
        append(std::move(s));
        return true;
    }
    if (cursor_.is("=")) return assignment(s.value);
    if (const auto op = update_op(cursor_.peek())) return update(s.value, *op);
    if (cursor_.is(",")) {
        cursor_.fail("several names on the left of `=` stand in parentheses").help("write `(a, b) = ...`");
        return false;
    }
    if (!end_statement(s.value)) return false;
    append(std::move(s));
    return true;
}

bool StatementParser::typed_assignment() {
    Stmt s = start(StmtKind::assign);
    const Token& name = cursor_.take();
    cursor_.take();
    s.targets.push_back({name.span, std::string(name.text), name.span, {}});
    s.type = type();
    if (!s.type) return false;
    if (cursor_.line_ended() || !cursor_.is("=")) {
        cursor_.fail(fmt::format("expected `=` and a value for `{}`, but {}", name.text, cursor_.found()));
        return false;
    }
    s.op_span = cursor_.take().span;
    s.value = expressions_.expression(true);
    if (!s.value || !check_value(s.value) || !end_statement(s.value)) return false;
    append(std::move(s));
    return true;
}

bool StatementParser::assignment(ExprId left) {
    Stmt s;
    s.kind = StmtKind::assign;
    const Expr& e = tree_[left];
    s.span = e.span;
    const std::vector<ExprId> parts = e.kind == ExprKind::tuple ? e.operands : std::vector<ExprId>{left};
    for (ExprId part : parts) {
        auto one = target(part);
        if (!one) return false;
        s.targets.push_back(std::move(*one));
    }
    s.op_span = cursor_.take().span;
    s.value = expressions_.expression(true);
    if (!s.value || !check_value(s.value)) return false;
    if (!cursor_.line_ended() && cursor_.is("=")) {
        const bool later = cursor_.on_other_line(s.op_span, cursor_.peek().span);
        cursor_.fail("one statement assigns once")
            .help(later ? "the line above ends with an operator, so it goes on here"
                        : "write one assignment a line");
        return false;
    }
    if (!end_statement(s.value)) return false;
    append(std::move(s));
    return true;
}

bool StatementParser::update(ExprId left, OpId op) {
    Stmt s;
    s.kind = StmtKind::augment;
    s.op = op;
    s.span = tree_[left].span;
    auto one = target(left);
    if (!one) return false;
    s.targets.push_back(std::move(*one));
    s.op_span = cursor_.take().span;
    s.value = expressions_.expression(true);
    if (!s.value || !check_value(s.value) || !end_statement(s.value)) return false;
    append(std::move(s));
    return true;
}

/// A value may not be followed by a comma: a tuple has parentheses.
bool StatementParser::check_value(ExprId) {
    if (cursor_.line_ended() || !cursor_.is(",")) return true;
    cursor_.fail("several values stand in parentheses").help("write `(a, b)`");
    return false;
}

std::optional<Target> StatementParser::target(ExprId id) {
    const Expr& e = tree_[id];
    const Expr& base = e.kind == ExprKind::subscript ? tree_[e.operands[0]] : e;
    if (base.kind == ExprKind::name) return Target{e.span, base.text, base.span, e.subscripts};
    auto report = cursor_.fail(e.span, "this cannot be assigned to");
    if (e.kind == ExprKind::subscript && base.kind == ExprKind::subscript) {
        report.help("one subscript holds all indices: `x[i, j] = ...`");
    } else if (e.kind == ExprKind::call && blocks_.empty()) {
        report.help("a function is defined with `fn name(x) = ...`");
    } else if (e.kind == ExprKind::compare || e.kind == ExprKind::binary) {
        report.help("a name or an indexed name stands on the left of `=`");
    }
    return std::nullopt;
}

}  // namespace fuseline
