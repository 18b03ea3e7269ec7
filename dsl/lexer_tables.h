// What the lexer knows by heart: reserved words, letters of names, strays and what was probably meant.
#pragma once

#include <string_view>

namespace fuseline::lexer_tables {

inline constexpr std::string_view kKeywords[] = {
    "fn", "elemental", "extern", "import",   "option", "param", "const", "return", "for",  "in",    "while",
    "if", "else",      "break",  "continue", "and",    "or",    "not",   "assert", "true", "false", "none",
};

/// Symbols that are no operators of the table.
inline constexpr std::string_view kPunctuation[] = {
    "(", ")", "[", "]", "{", "}", ",", ":", ".", "..", "...", "=", "->",
};

/// Spellings of other languages that the parser understands, reports and replaces.
inline constexpr std::string_view kForeignSymbols[] = {"&&", "||", "!", "===", "!==", "<>", ";"};

/// An ASCII character that no token holds, and the advice.
struct Stray {
    char c;
    std::string_view help;
};
inline constexpr Stray kStrays[] = {
    {'~', "for a bool write `not x`; to flip the bits of an integer write `x ^ -1`"},
    {'?', "a choice is written `a if c else b`; for arrays `where(c, a, b)`"},
    {'\\', "a line goes on by itself inside brackets and after an operator, a comma or `=`"},
    {'$', ""},
    {'`', "text stands in double quotes"},
};

/// A character outside ASCII that stands for an ASCII one; with `token`, the lexer goes on as if that had
/// been written.
struct Lookalike {
    char32_t c;
    std::string_view ascii;
    bool token;
};
inline constexpr Lookalike kLookalikes[] = {
    {0x00D7, "*", true},     {0x00F7, "/", true},     {0x00B7, "*", true},     {0x2212, "-", true},
    {0x2013, "-", true},     {0x2014, "-", true},     {0x2264, "<=", true},    {0x2265, ">=", true},
    {0x2260, "!=", true},    {0x2192, "->", true},    {0x2026, "...", true},   {0x22C5, "*", true},
    {0x2227, "and", false},  {0x2228, "or", false},   {0x00AC, "not", false},  {0x221E, "inf", false},
    {0x201C, "\"", false},   {0x201D, "\"", false},   {0x2018, "\"", false},   {0x2019, "\"", false},
    {0x00B2, "** 2", false}, {0x00B3, "** 3", false}, {0x221A, "sqrt", false}, {0xFF08, "(", true},
    {0xFF09, ")", true},     {0xFF0C, ",", true},     {0xFF1A, ":", true},
};

/// Blanks that are not a space or a tab; the lexer reports them and goes on.
inline constexpr char32_t kOddBlanks[] = {0x00A0, 0x2002, 0x2003, 0x2009, 0x202F, 0x3000, 0x200B, 0xFEFF};

/// Letters of names outside ASCII, as closed ranges.
struct Letters {
    char32_t first, last;
};
inline constexpr Letters kLetters[] = {
    {0xAA, 0xAA},     {0xB5, 0xB5},     {0xBA, 0xBA},     {0xC0, 0xD6},     {0xD8, 0xF6},
    {0xF8, 0x2AF},    {0x300, 0x373},   {0x376, 0x37D},   {0x37F, 0x386},   {0x388, 0x481},
    {0x48A, 0x559},   {0x561, 0x588},   {0x5D0, 0x5EA},   {0x620, 0x65F},   {0x66E, 0x6D3},
    {0x900, 0x963},   {0x980, 0xDFF},   {0xE01, 0xE3A},   {0xE40, 0xE4E},   {0x10A0, 0x10FF},
    {0x1100, 0x11FF}, {0x1E00, 0x1FFC}, {0x2080, 0x2089}, {0x2090, 0x209C}, {0x2102, 0x2102},
    {0x210D, 0x211D}, {0x3041, 0x3096}, {0x30A1, 0x30FA}, {0x3105, 0x312F}, {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF}, {0xA000, 0xA48C}, {0xAC00, 0xD7A3}, {0xF900, 0xFAD9}, {0x20000, 0x2FA1D},
};

}  // namespace fuseline::lexer_tables
