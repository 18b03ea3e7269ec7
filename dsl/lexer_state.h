// The state of the lexer: what lexer.cpp (words, symbols, strays) and lexer_literals.cpp share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/diagnostics.h"
#include "compiler/support/utf8.h"
#include "dsl/token.h"

namespace fuseline {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Lexer {
public:
    Lexer(const SourceFile& file, Diagnostics& diagnostics);

    /// All tokens of the file.
    TokenList run();

private:
    char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool starts_with(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
    Span span(size_t from, size_t to) const {
        return {base_ + static_cast<uint32_t>(from), base_ + static_cast<uint32_t>(to)};
    }
    DiagnosticBuilder error(size_t from, size_t to, std::string message) {
        return diagnostics_.error(span(from, to), std::move(message));
    }

    void check_encoding();
    void skip_blanks();
    void token();
    Token& emit(TokenKind kind, size_t from);
    size_t name_length(size_t at) const;
    void word();
    void number();
    bool numbered_field(size_t from);
    bool second_point(size_t from);
    bool radix_number(size_t from);
    TokenKind decimal_number(size_t from);
    size_t fraction(TokenKind& kind);
    void exponent(TokenKind& kind);
    TokenKind number_suffix(size_t from, TokenKind kind);
    bool ends_after_sign() const;
    void check_digits(size_t from, TokenKind kind);
    void digits();
    void string();
    void single_quoted();
    bool drop_prefix(size_t from);
    void escape(std::string& value, bool triple);
    void symbol();
    void stray();
    bool continues_line();
    bool lookalike(size_t from, CodePoint c);

    std::string_view text_;
    uint32_t base_;
    Diagnostics& diagnostics_;
    std::vector<std::string> symbols_;
    TokenList out_;
    size_t at_ = 0;
    size_t line_ = 0;
    bool starts_line_ = true;
    bool cut_ = false;
};

}  // namespace fuseline
