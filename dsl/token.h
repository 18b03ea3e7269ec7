// Tokens of a .dsl text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/source.h"

namespace fuseline {

enum class TokenKind : uint8_t {
    name,
    keyword,
    integer,    ///< text as written
    floating,   ///< text as written
    imaginary,  ///< text as written, with the `i`
    string,     ///< `string` is the index of its value
    symbol,     ///< operators, brackets and the usual wrong spellings (`&&`, `||`, `!`, `;` ...)
    bad,        ///< already reported; a parser that meets it fails without a word
    end,        ///< the end of the file
};

struct Token {
    TokenKind kind = TokenKind::end;
    Span span;
    std::string_view text;  ///< in the source
    uint32_t column = 0;    ///< bytes from the start of its line
    uint32_t string = 0;
    bool starts_line = false;  ///< the first token of its line
    bool reported = false;     ///< what is wrong here was reported already

    bool is(std::string_view symbol_or_keyword) const {
        return (kind == TokenKind::symbol || kind == TokenKind::keyword) && text == symbol_or_keyword;
    }
    bool is_name(std::string_view name) const { return kind == TokenKind::name && text == name; }
};

struct TokenList {
    std::vector<Token> tokens;         ///< ends with one `end` token
    std::vector<std::string> strings;  ///< values of string literals, escapes resolved
};

}  // namespace fuseline
