// UTF-8 decoding and what a terminal makes of a code point.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fuseline {

/// One code point of a text. An invalid byte decodes as U+FFFD of length 1 with `valid` false.
struct CodePoint {
    char32_t value = 0;
    uint8_t length = 0;  ///< bytes; 0 at the end of the text
    bool valid = true;
};

/// The code point that starts at byte `at`.
CodePoint decode_utf8(std::string_view text, size_t at);

/// Columns of a terminal: 0 for combining marks, 2 for East Asian wide characters and emoji, else 1.
int display_width(char32_t c);

/// Control characters (but for tabs), line separators, invisible ones and those that change the direction.
bool is_unsafe(char32_t c);

/// Columns of a terminal for a code point in a printable text.
int shown_width(CodePoint c);

/// The text with unsafe characters as `\u{202e}` and invalid bytes as U+FFFD.
std::string printable(std::string_view text);

}  // namespace fuseline
