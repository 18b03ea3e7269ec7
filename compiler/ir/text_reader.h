// Tokens of the IR's text form, with places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/source.h"

namespace fuseline::ir {

/// A piece of text without the blanks around it.
struct Piece {
    std::string_view text;
    Span span;
};

/// "%d1.1": `name` is "d1", empty for a numbered value.
struct ValueToken {
    std::string spelling;
    std::string name;
    Span span;
};

/// Throws UserError with one diagnostic.
[[noreturn]] void fail(Span span, std::string message);

/// Reads tokens of one text from front to back; every failure is a UserError. Blanks, newlines and `// ...`
/// comments separate tokens.
class TextReader {
public:
    TextReader(std::string_view text, uint32_t base) : text_(text), base_(base) {}

    bool at_end();
    /// Whether the text goes on with `symbol` (punctuation); `accept` steps over it.
    bool peek(std::string_view symbol);
    bool accept(std::string_view symbol);
    void expect(std::string_view symbol);
    /// The same for a whole word.
    bool accept_word(std::string_view word);

    Piece word(std::string_view what);        ///< an identifier
    std::string name(std::string_view what);  ///< an identifier or a quoted text
    std::string quoted();
    int number(std::string_view what, int low, int high);
    ValueToken value();

    /// Text of one line up to one of the `stops` outside parentheses.
    Piece raw(std::string_view stops);
    /// The comma-separated pieces of "[..]".
    std::vector<Piece> bracket_list();

    size_t position() const { return position_; }
    void rewind(size_t position) { position_ = position; }
    /// The place from `begin` to where the reader stands.
    Span since(size_t begin) const;
    /// The place of the next token.
    Span here();

private:
    void skip();
    bool is_at(size_t position, std::string_view symbol) const;

    std::string_view text_;
    uint32_t base_;
    size_t position_ = 0;
};

}  // namespace fuseline::ir
