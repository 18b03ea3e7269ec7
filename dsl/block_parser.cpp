// Blocks of the statement parser: opening, closing, `else` chains, and braces that are missing.
#include <fmt/format.h>

#include "dsl/parser.h"
#include "dsl/parser_hints.h"
#include "dsl/statement_parser.h"

namespace fuseline {

using ast::Stmt;
using ast::StmtId;
using ast::StmtKind;

std::vector<StmtId> StatementParser::body(uint32_t column) {
    Block b;
    b.column = column;
    body_.clear();
    if (open_block(std::move(b))) run_blocks();
    return std::move(body_);
}

std::vector<StmtId> StatementParser::expression_body() {
    Stmt s = start(StmtKind::expression);
    s.value = expressions_.expression(true);
    if (!s.value || !check_value(s.value) || !end_statement(s.value)) return {};
    s.span = tree_[s.value].span;
    return {add(std::move(s))};
}

void StatementParser::discarded_block(uint32_t column) {
    Block b;
    b.kind = Block::Kind::discarded;
    b.column = column;
    if (open_block(std::move(b))) run_blocks();
}

void StatementParser::run_blocks() {
    while (!blocks_.empty()) at_block_end() ? close_block() : statement();
}

/// Takes the `{`. What stands in its place is reported, and lines that are indented deeper make the block.
bool StatementParser::open_block(Block block) {
    const Token& t = cursor_.peek();
    if (t.is("{")) {
        if (t.starts_line) cursor_.report(t.span, "`{` stands on the line of its header");
        block.open = cursor_.take().span;
        push_block(std::move(block));
        return true;
    }
    if (t.is(":")) {
        cursor_.fail("a block is not opened by `:`").help("write `{` here and `}` on a line after the block");
        cursor_.take();
    } else {
        cursor_.fail(fmt::format("expected `{{`, but {}", cursor_.found()));
        if (!cursor_.line_ended() && find_block(block.column)) return open_block(std::move(block));
    }
    block.indented = true;
    push_block(std::move(block));
    return true;
}

void StatementParser::push_block(Block block) {
    if (blocks_.size() >= static_cast<size_t>(kMaxNesting)) {
        cursor_.fail(block.open, fmt::format("blocks nest deeper than {}", kMaxNesting));
        braces_lost_ = true;
        while (!cursor_.at_end()) cursor_.take();
    }
    if (block.kind == Block::Kind::loop) ++loops_;
    blocks_.push_back(std::move(block));
}

bool StatementParser::definition_at_column(uint32_t column) const {
    const Token& t = cursor_.peek();
    const bool jump = t.is("return") || t.is("break") || t.is("continue") || t.is("assert") || t.is("while");
    return t.starts_line && starts_statement(t) && !jump && t.column <= column;
}

bool StatementParser::at_block_end() const {
    const Token& t = cursor_.peek();
    if (cursor_.at_end() || t.is("}") || definition_at_column(blocks_.front().column)) return true;
    return blocks_.back().indented && t.starts_line && t.column <= blocks_.back().column;
}

void StatementParser::close_block() {
    Block b = std::move(blocks_.back());
    blocks_.pop_back();
    if (b.kind == Block::Kind::loop) --loops_;
    leave_braces(b);
    finish_block(std::move(b));
}

void StatementParser::leave_braces(const Block& b) {
    const Token& t = cursor_.peek();
    if (b.indented) {
        if (t.is("}") && t.starts_line && t.column == b.column) cursor_.take();
        return;
    }
    if (!t.is("}")) return report_unclosed(b);
    if (t.starts_line && t.column < b.column && !suspect_open_.known()) {
        suspect_open_ = b.open;
        suspect_close_ = t.span;
    }
    cursor_.take();
}

void StatementParser::report_unclosed(const Block& b) {
    if (braces_lost_) return;
    braces_lost_ = true;
    if (suspect_open_.known()) {
        cursor_.fail(suspect_open_, "`{` is never closed")
            .note(suspect_close_, "this `}` is indented as if it closed an earlier `{`");
        return;
    }
    auto report = cursor_.fail(b.open, "`{` is never closed");
    if (!cursor_.at_end()) report.note(cursor_.peek().span, "a `}` is missing before this");
}

void StatementParser::finish_block(Block b) {
    const Span end = cursor_.previous().span;
    switch (b.kind) {
        case Block::Kind::body: body_ = std::move(b.statements); return;
        case Block::Kind::discarded: return;
        case Block::Kind::then:
            tree_.statements[b.owner.index].body = std::move(b.statements);
            return after_then(std::move(b));
        case Block::Kind::otherwise:
            tree_.statements[b.owner.index].otherwise = std::move(b.statements);
            return finish_chain(b.chain);
        case Block::Kind::loop:
            Stmt& s = tree_.statements[b.owner.index];
            s.body = std::move(b.statements);
            s.span = cover(s.span, end);
            append_id(b.owner);
            if (!b.indented) end_statement();
    }
}

/// `else`, `else if` or the end of the statement.
void StatementParser::after_then(Block b) {
    const Token& t = cursor_.peek();
    const bool elif = t.is_name("elif") && !cursor_.is("=", 1);
    const bool belongs = !b.indented || t.column == b.column;
    if ((!t.is("else") && !elif) || !belongs) return finish_chain(b.chain);
    if (elif) cursor_.report(t.span, "`elif` is not a keyword").help("write `else if`");
    start_ = cursor_.position();
    cursor_.take();
    const uint32_t column = b.column;
    if (elif || cursor_.is("if")) return else_if(std::move(b), column);
    Block next;
    next.kind = Block::Kind::otherwise;
    next.owner = b.owner;
    next.column = column;
    next.chain = std::move(b.chain);
    open_block(std::move(next));
}

void StatementParser::else_if(Block b, uint32_t column) {
    Stmt s = start(StmtKind::if_);
    cursor_.accept("if");
    s.value = expressions_.condition();
    if (!s.value && !find_block(column)) return finish_chain(b.chain);
    Block next;
    next.kind = Block::Kind::then;
    next.column = column;
    next.chain = std::move(b.chain);
    next.owner = add(std::move(s));
    tree_.statements[b.owner.index].otherwise = {next.owner};
    next.chain.push_back(next.owner);
    open_block(std::move(next));
}

void StatementParser::finish_chain(const std::vector<StmtId>& chain) {
    const Token& last = cursor_.previous();
    for (StmtId id : chain) tree_.statements[id.index].span = cover(tree_[id].span, last.span);
    append_id(chain.front());
    if (last.is("}")) end_statement();
}

void StatementParser::if_statement() {
    Stmt s = start(StmtKind::if_);
    cursor_.take();
    s.value = expressions_.condition();
    if (!s.value && !find_block(column_)) return recover(start_, column_);
    Block b;
    b.kind = Block::Kind::then;
    b.column = column_;
    b.owner = add(std::move(s));
    b.chain = {b.owner};
    open_block(std::move(b));
}

void StatementParser::while_statement() {
    Stmt s = start(StmtKind::while_);
    cursor_.take();
    s.value = expressions_.condition();
    if (!s.value && !find_block(column_)) return recover(start_, column_);
    Block b;
    b.kind = Block::Kind::loop;
    b.column = column_;
    b.owner = add(std::move(s));
    open_block(std::move(b));
}

void StatementParser::for_statement() {
    Stmt s = start(StmtKind::for_);
    cursor_.take();
    if (!for_header(s) && !find_block(column_)) return recover(start_, column_);
    Block b;
    b.kind = Block::Kind::loop;
    b.column = column_;
    b.owner = add(std::move(s));
    open_block(std::move(b));
}

bool StatementParser::for_header(Stmt& s) {
    if (cursor_.is("(")) {
        cursor_.fail("the header of `for` has no parentheses").help("write `for i in 0..n { ... }`");
        return false;
    }
    const Token* name = cursor_.name("the name of a loop variable");
    if (name == nullptr) return false;
    s.loop.name = name->text;
    s.loop.name_span = name->span;
    if (!cursor_.accept("in")) {
        cursor_.fail(fmt::format("expected `in`, but {}", cursor_.found()))
            .help(fmt::format("write `for {} in 0..n {{ ... }}`", name->text));
        return false;
    }
    s.loop.range = expressions_.range();
    return static_cast<bool>(s.loop.range);
}

/// `else` or `elif` where no `if` ends: its block is read and thrown away.
void StatementParser::stray_else() {
    const Token& t = cursor_.take();
    cursor_.report(t.span, fmt::format("`{}` without an `if` before it", t.text));
    Block b;
    b.kind = Block::Kind::discarded;
    b.column = column_;
    if (find_block(column_)) open_block(std::move(b));
}

/// A definition inside a function: reported, its block read and thrown away.
void StatementParser::nested_definition() {
    const Token& t = cursor_.take();
    const std::string_view meant = hints::definition_word(t.text);
    cursor_.report(t.span, fmt::format("`{}` stands only outside functions", meant.empty() ? t.text : meant));
    Block b;
    b.kind = Block::Kind::discarded;
    b.column = column_;
    if (find_block(column_)) open_block(std::move(b));
}

}  // namespace fuseline
