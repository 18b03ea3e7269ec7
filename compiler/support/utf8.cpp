// UTF-8 decoding, display width, safe text.
#include "compiler/support/utf8.h"

#include <fmt/format.h>

namespace fuseline {
namespace {

constexpr CodePoint kInvalid{0xFFFD, 1, false};

struct Range {
    char32_t first, last;
};
constexpr Range kZeroWidth[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},
    {0x64B, 0x65F},   {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2069},
    {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF},
};
constexpr Range kDoubleWidth[] = {
    {0x1100, 0x115F}, {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

/// Controls, line separators, and what is invisible or turns the direction of the text around it.
constexpr Range kUnsafe[] = {
    {0x0, 0x1F},      {0x7F, 0x9F},     {0x61C, 0x61C},   {0x200B, 0x200B},
    {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x2069}, {0xFEFF, 0xFEFF},
};

std::string escaped(char32_t c) { return fmt::format("\\u{{{:x}}}", static_cast<uint32_t>(c)); }

template <size_t N>
bool within(const Range (&ranges)[N], char32_t c) {
    for (const Range& r : ranges) {
        if (c >= r.first && c <= r.last) return true;
    }
    return false;
}

int sequence_length(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    return 0;
}

}  // namespace

CodePoint decode_utf8(std::string_view text, size_t at) {
    if (at >= text.size()) return {0, 0, true};
    const auto lead = static_cast<unsigned char>(text[at]);
    const int length = sequence_length(lead);
    if (length == 1) return {lead, 1, true};
    if (length == 0 || at + length > text.size()) return kInvalid;
    char32_t value = lead & (0x7F >> length);
    for (int i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[at + i]);
        if ((byte & 0xC0) != 0x80) return kInvalid;
        value = value << 6 | (byte & 0x3F);
    }
    constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < kSmallest[length] || value > 0x10FFFF || surrogate) return kInvalid;
    return {value, static_cast<uint8_t>(length), true};
}

int display_width(char32_t c) {
    if (c < 0x300) return 1;
    if (within(kZeroWidth, c)) return 0;
    return within(kDoubleWidth, c) ? 2 : 1;
}

bool is_unsafe(char32_t c) { return c != '\t' && within(kUnsafe, c); }

int shown_width(CodePoint c) {
    if (!c.valid) return 1;
    return is_unsafe(c.value) ? static_cast<int>(escaped(c.value).size()) : display_width(c.value);
}

std::string printable(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const CodePoint c = decode_utf8(text, at);
        if (!c.valid) {
            out += "\xEF\xBF\xBD";
        } else if (is_unsafe(c.value)) {
            out += escaped(c.value);
        } else {
            out += text.substr(at, c.length);
        }
        at += c.length;
    }
    return out;
}

}  // namespace fuseline
