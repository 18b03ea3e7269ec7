// The lexer: one pass over the bytes of a file. Numbers and texts are in lexer_literals.cpp.
#include "dsl/lexer.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/ops/op_table.h"
#include "compiler/support/utf8.h"
#include "dsl/lexer_state.h"
#include "dsl/lexer_tables.h"

namespace fuseline {
namespace {

using namespace lexer_tables;

bool is_foreign_letter(char32_t c) {
    return std::any_of(std::begin(kLetters), std::end(kLetters),
                       [c](const Letters& r) { return c >= r.first && c <= r.last; });
}

/// Does `x op= e` exist for an operator of this rule?
bool has_update_form(TypeRule rule) {
    return rule == TypeRule::arithmetic || rule == TypeRule::true_divide || rule == TypeRule::power ||
           rule == TypeRule::bitwise || rule == TypeRule::shift;
}

/// All symbols, longest first.
std::vector<std::string> symbol_list() {
    std::vector<std::string> out(std::begin(kPunctuation), std::end(kPunctuation));
    out.insert(out.end(), std::begin(kForeignSymbols), std::end(kForeignSymbols));
    for (size_t i = 0; i < op_count(); ++i) {
        const OpRow& r = row(static_cast<OpId>(i));
        if (r.fixity == Fixity::function || is_ascii_letter(r.spelling.front())) continue;
        out.emplace_back(r.spelling);
        if (r.fixity == Fixity::infix && has_update_form(r.rule))
            out.push_back(std::string(r.spelling) + "=");
    }
    std::sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace

Lexer::Lexer(const SourceFile& file, Diagnostics& diagnostics)
    : text_(file.text), base_(file.base), diagnostics_(diagnostics), symbols_(symbol_list()) {}

TokenList Lexer::run() {
    check_encoding();
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) token();
    emit(TokenKind::end, at_).reported = cut_;
    return std::move(out_);
}

void Lexer::check_encoding() {
    for (size_t at = 0; at < text_.size();) {
        const CodePoint c = decode_utf8(text_, at);
        if (!c.valid) {
            error(at, at + 1,
                  fmt::format("byte 0x{:02x} is not valid UTF-8", static_cast<unsigned char>(text_[at])))
                .help("save the file as UTF-8");
            return;
        }
        at += c.length;
    }
}

void Lexer::skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
        const char c = text_[at_];
        if (c == '\n') {
            starts_line_ = true;
            line_ = at_ + 1;
        } else if (c == '#') {
            at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
        } else if (c != ' ' && c != '\t' && !(c == '\r' && peek(1) == '\n')) {
            return;
        }
    }
}

void Lexer::token() {
    const char c = peek();
    if (name_length(at_) > 0) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"') return string();
    if (c == '\'') return single_quoted();
    symbol();
}

Token& Lexer::emit(TokenKind kind, size_t from) {
    Token t;
    t.kind = kind;
    t.span = span(from, at_);
    t.text = text_.substr(from, at_ - from);
    t.column = static_cast<uint32_t>(from - line_);
    t.starts_line = starts_line_;
    t.reported = kind == TokenKind::bad;
    starts_line_ = false;
    out_.tokens.push_back(t);
    return out_.tokens.back();
}

/// Bytes of the name that starts at `at`; 0 where none does.
size_t Lexer::name_length(size_t at) const {
    size_t end = at;
    while (end < text_.size()) {
        const CodePoint c = decode_utf8(text_, end);
        const bool ascii = c.value < 0x80;
        const char byte = text_[end];
        if (ascii ? !is_ascii_letter(byte) && !(is_digit(byte) && end > at)
                  : !c.valid || !is_foreign_letter(c.value))
            break;
        end += c.length;
    }
    return end - at;
}

void Lexer::word() {
    const size_t from = at_;
    at_ += name_length(at_);
    emit(is_keyword(text_.substr(from, at_ - from)) ? TokenKind::keyword : TokenKind::name, from);
}

void Lexer::symbol() {
    for (const std::string& s : symbols_) {
        if (!starts_with(s)) continue;
        const size_t from = at_;
        at_ += s.size();
        emit(TokenKind::symbol, from);
        return;
    }
    stray();
}

void Lexer::stray() {
    const size_t from = at_;
    const CodePoint c = decode_utf8(text_, at_);
    at_ += c.length;
    if (!c.valid) {
        emit(TokenKind::bad, from);
        return;
    }
    if (std::find(std::begin(kOddBlanks), std::end(kOddBlanks), c.value) != std::end(kOddBlanks)) {
        error(from, at_, fmt::format("stray blank U+{:04X}", static_cast<uint32_t>(c.value)))
            .help("use a plain space");
        return;
    }
    if (lookalike(from, c)) return;
    const bool visible = !is_unsafe(c.value) && display_width(c.value) > 0;
    auto report = error(from, at_,
                        visible ? fmt::format("stray character `{}`", text_.substr(from, c.length))
                                : fmt::format("stray character U+{:04X}", static_cast<uint32_t>(c.value)));
    for (const Stray& s : kStrays) {
        if (c.value == static_cast<unsigned char>(s.c) && !s.help.empty()) report.help(std::string(s.help));
    }
    if (c.value == '\\' && continues_line()) return;
    emit(TokenKind::bad, from);
}

/// Steps over the end of a line after `\`, so that its next line is read as its author meant it.
bool Lexer::continues_line() {
    const size_t next = std::min(text_.find_first_not_of(" \t\r", at_), text_.size());
    if (next == text_.size() || text_[next] != '\n') return false;
    at_ = line_ = next + 1;
    return true;
}

bool Lexer::lookalike(size_t from, CodePoint c) {
    for (const Lookalike& l : kLookalikes) {
        if (l.c != c.value) continue;
        error(from, at_, fmt::format("stray character `{}`", text_.substr(from, c.length)))
            .help(fmt::format("write {}", l.ascii));
        Token& t = emit(l.token ? TokenKind::symbol : TokenKind::bad, from);
        if (l.token) t.text = l.ascii;
        return true;
    }
    return false;
}

TokenList lex(const SourceMap& sources, size_t file, Diagnostics& diagnostics) {
    return Lexer(sources.file(file), diagnostics).run();
}

bool is_keyword(std::string_view word) {
    return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

std::vector<std::string> keywords() { return {std::begin(kKeywords), std::end(kKeywords)}; }

}  // namespace fuseline
