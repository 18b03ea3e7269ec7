// TokenCursor: looking, stepping, reporting.
#include "dsl/token_cursor.h"

#include <algorithm>

#include <fmt/format.h>

namespace fuseline {

const Token& TokenCursor::peek(size_t ahead) const {
    return list_.tokens[std::min(at_ + ahead, list_.tokens.size() - 1)];
}

const Token& TokenCursor::take() {
    const Token& t = peek();
    if (at_ + 1 < list_.tokens.size()) ++at_;
    return t;
}

bool TokenCursor::accept(std::string_view symbol_or_keyword) {
    if (!is(symbol_or_keyword)) return false;
    take();
    return true;
}

bool TokenCursor::on_other_line(Span a, Span b) const {
    const uint32_t from = std::min(a.begin, b.begin) - file_.base;
    const uint32_t to = std::max(a.begin, b.begin) - file_.base;
    return std::string_view(file_.text).substr(from, to - from).find('\n') != std::string_view::npos;
}

Span TokenCursor::here() const {
    if (!line_ended() || at_ == 0) return peek().span;
    const uint32_t end = previous().span.end;
    return {end, end};
}

std::string TokenCursor::found() const {
    const Token& t = peek();
    if (t.kind == TokenKind::end) return "the file ends";
    if (line_ended()) return "the line ends";
    if (t.kind == TokenKind::string) return "found a text";
    return fmt::format("found `{}`", t.text);
}

DiagnosticBuilder TokenCursor::fail(Span span, std::string message) {
    if (peek().reported) {
        dropped_ = {};
        return DiagnosticBuilder(dropped_);
    }
    return diagnostics_.error(span, std::move(message));
}

const Token* TokenCursor::name(std::string_view what) {
    const Token& t = peek();
    if (!line_ended() && t.kind == TokenKind::name) return &take();
    if (!line_ended() && t.kind == TokenKind::keyword) {
        fail(fmt::format("`{}` is a keyword and cannot be {}", t.text, what)).help("choose another name");
    } else {
        fail(fmt::format("expected {}, but {}", what, found()));
    }
    return nullptr;
}

bool starts_statement(const Token& t) {
    constexpr std::string_view kStarters[] = {"fn",     "elemental", "extern", "import",   "option", "param",
                                              "return", "while",     "break",  "continue", "assert"};
    return t.kind == TokenKind::keyword &&
           std::find(std::begin(kStarters), std::end(kStarters), t.text) != std::end(kStarters);
}

}  // namespace fuseline
