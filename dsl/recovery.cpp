// Types, ends of statements, and where the statement parser goes on after an error.
#include <fmt/format.h>

#include "dsl/statement_parser.h"

namespace fuseline {

using ast::ExprId;
using ast::ExprKind;
using ast::TypeExpr;

std::optional<TypeExpr> StatementParser::type() {
    const Token* name = cursor_.name("a type");
    if (name == nullptr) return std::nullopt;
    TypeExpr out;
    out.span = out.name_span = name->span;
    out.name = name->text;
    if (cursor_.line_ended() || !cursor_.is("[")) return out;
    const Span open = cursor_.take().span;
    ++cursor_.depth;
    for (;;) {
        if (cursor_.is("]") && out.dims.empty()) {
            cursor_.fail(cover(open, cursor_.peek().span), "an array type names its extents")
                .help(fmt::format("a scalar is `{0}`, a vector `{0}[n]`", out.name));
            return std::nullopt;
        }
        if (cursor_.is(":")) {
            cursor_.fail("an array type names its extents")
                .help(fmt::format("write a name in place of `:`, as in `{}[n]`", out.name));
            return std::nullopt;
        }
        const ExprId extent = expressions_.expression(true);
        if (!extent) return std::nullopt;
        out.dims.push_back(extent);
        if (cursor_.accept(",")) continue;
        if (cursor_.is("]")) break;
        if (cursor_.peek().starts_line || cursor_.at_end() || cursor_.is("{") || cursor_.is("}") ||
            cursor_.is(")")) {
            expressions_.report_unclosed(open, "]");
        } else {
            cursor_.fail(fmt::format("expected `,` or `]`, but {}", cursor_.found()));
        }
        return std::nullopt;
    }
    --cursor_.depth;
    out.span = cover(out.span, cursor_.take().span);
    return out;
}

bool StatementParser::end_statement(ExprId last) {
    if (cursor_.is(";")) {
        while (cursor_.is(";")) {
            const Token& t = cursor_.take();
            const bool more = !cursor_.line_ended() && !cursor_.is("}") && !cursor_.is(";");
            cursor_.report(t.span, "a statement ends with its line")
                .help(more ? "put the next statement on a line of its own" : "leave the `;` out");
        }
        return true;
    }
    const Token& t = cursor_.peek();
    if (cursor_.line_ended() || t.is("}")) return true;
    if (t.is(")") || t.is("]")) {
        cursor_.fail(fmt::format("`{}` has no opening bracket", t.text));
        return false;
    }
    auto report = cursor_.fail(fmt::format("expected the end of the line, but found `{}`", t.text));
    const bool after_name = last && tree_[last].kind == ExprKind::name && !tree_[last].parenthesised;
    const bool value = t.kind == TokenKind::name || t.kind == TokenKind::string ||
                       t.kind == TokenKind::integer || t.kind == TokenKind::floating;
    if (after_name && value) report.help(fmt::format("for a call write `{}(...)`", tree_[last].text));
    if (t.is("..")) report.help("a range `a..b` stands only after `in`");
    if (t.is("for")) report.help("a comprehension stands in brackets: `[x[i] for i in 0..n]`");
    return false;
}

void StatementParser::recover(size_t start, uint32_t column) {
    int braces = 0;
    for (;; cursor_.take()) {
        const Token& t = cursor_.peek();
        if (t.kind == TokenKind::end) break;
        if (t.starts_line && cursor_.position() != start) {
            const bool left = t.column <= column;
            const bool definition = starts_statement(t) && left;
            const bool closes = t.is(")") || t.is("]");
            const bool fresh = cursor_.depth <= 0 || starts_statement(t) || (left && !closes);
            if (definition || (braces == 0 && fresh)) break;
        }
        if (t.is("{")) ++braces;
        if (t.is("}") && braces-- == 0) break;
        if (t.is("(") || t.is("[")) ++cursor_.depth;
        if (t.is(")") || t.is("]")) --cursor_.depth;
    }
    cursor_.depth = 0;
}

bool StatementParser::find_block(uint32_t column) {
    bool found = false;
    for (;; cursor_.take()) {
        const Token& t = cursor_.peek();
        found = t.is("{") || (t.is(":") && cursor_.peek(1).starts_line);
        if (found || t.kind == TokenKind::end || t.is("}")) break;
        if (t.starts_line && (cursor_.depth <= 0 || starts_statement(t) || t.column <= column)) {
            if (cursor_.position() != start_) break;
        }
        if (t.is("(") || t.is("[")) ++cursor_.depth;
        if (t.is(")") || t.is("]")) --cursor_.depth;
    }
    cursor_.depth = 0;
    return found;
}

}  // namespace fuseline
