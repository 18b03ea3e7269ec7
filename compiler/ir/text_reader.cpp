// Tokens of the IR's text form, with places.
#include "compiler/ir/text_reader.h"

#include <fmt/format.h>

#include <charconv>

#include "compiler/support/errors.h"

namespace fuseline::ir {

namespace {

/// Size expressions nest no deeper; the bound keeps their reader's recursion small.
constexpr int kMaxParentheses = 64;
constexpr size_t kMaxPiece = 1 << 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

void fail(Span span, std::string message) {
    Diagnostic d;
    d.span = span;
    d.message = std::move(message);
    throw UserError(std::vector<Diagnostic>{std::move(d)});
}

bool TextReader::is_at(size_t position, std::string_view symbol) const {
    return text_.substr(position).starts_with(symbol);
}

void TextReader::skip() {
    while (position_ < text_.size()) {
        if (is_at(position_, "//")) {
            position_ = std::min(text_.find('\n', position_), text_.size());
        } else if (is_blank(text_[position_])) {
            ++position_;
        } else {
            return;
        }
    }
}

bool TextReader::at_end() {
    skip();
    return position_ == text_.size();
}

Span TextReader::since(size_t begin) const {
    return {base_ + static_cast<uint32_t>(begin), base_ + static_cast<uint32_t>(position_)};
}

Span TextReader::here() {
    skip();
    const auto begin = base_ + static_cast<uint32_t>(position_);
    return {begin, begin + (position_ < text_.size() ? 1u : 0u)};
}

bool TextReader::peek(std::string_view symbol) {
    skip();
    return is_at(position_, symbol);
}

bool TextReader::accept(std::string_view symbol) {
    if (!peek(symbol)) return false;
    position_ += symbol.size();
    return true;
}

void TextReader::expect(std::string_view symbol) {
    if (!accept(symbol)) fail(here(), fmt::format("expected `{}`", symbol));
}

bool TextReader::accept_word(std::string_view word) {
    if (!peek(word)) return false;
    const size_t end = position_ + word.size();
    if (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) return false;
    position_ = end;
    return true;
}

Piece TextReader::word(std::string_view what) {
    skip();
    const size_t begin = position_;
    if (begin == text_.size() || !is_letter(text_[begin])) fail(here(), fmt::format("expected {}", what));
    while (position_ < text_.size() && (is_letter(text_[position_]) || is_digit(text_[position_])))
        ++position_;
    return {text_.substr(begin, position_ - begin), since(begin)};
}

std::string TextReader::name(std::string_view what) {
    return peek("\"") ? quoted() : std::string(word(what).text);
}

std::string TextReader::quoted() {
    expect("\"");
    const size_t begin = position_ - 1;
    std::string out;
    while (position_ < text_.size() && text_[position_] != '"' && text_[position_] != '\n') {
        char c = text_[position_++];
        if (c != '\\') {
            out += c;
            continue;
        }
        c = position_ < text_.size() ? text_[position_++] : '\0';
        if (c == '"' || c == '\\')
            out += c;
        else if (c == 'n')
            out += '\n';
        else if (c == 't')
            out += '\t';
        else if (c == 'x' && position_ + 2 <= text_.size() && hex_digit(text_[position_]) >= 0 &&
                 hex_digit(text_[position_ + 1]) >= 0) {
            out += static_cast<char>(16 * hex_digit(text_[position_]) + hex_digit(text_[position_ + 1]));
            position_ += 2;
        } else {
            fail(since(begin), "unknown escape in a quoted text (there are \\\" \\\\ \\n \\t \\xHH)");
        }
    }
    if (position_ == text_.size() || text_[position_] != '"')
        fail(since(begin), "the quoted text has no end");
    ++position_;
    return out;
}

int TextReader::number(std::string_view what, int low, int high) {
    skip();
    int value = 0;
    const char* begin = text_.data() + position_;
    const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (code != std::errc() || value < low || value > high) {
        fail(here(), fmt::format("expected {}: an integer from {} to {}", what, low, high));
    }
    position_ += static_cast<size_t>(end - begin);
    return value;
}

ValueToken TextReader::value() {
    skip();
    const size_t begin = position_;
    ValueToken token;
    expect("%");
    const auto digits = [&] {
        while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
    };
    const char first = position_ < text_.size() ? text_[position_] : '\0';
    if (is_digit(first)) {
        digits();
    } else {
        if (!is_letter(first) && first != '"') fail(since(begin), "expected a value such as %x or %0");
        token.name = name("a value's name");
        if (token.name.empty()) fail(since(begin), "a value's name has at least one character");
        if (position_ < text_.size() && text_[position_] == '.') {
            ++position_;
            digits();
        }
    }
    token.spelling = text_.substr(begin, position_ - begin);
    token.span = since(begin);
    return token;
}

Piece TextReader::raw(std::string_view stops) {
    skip();
    const size_t begin = position_;
    int depth = 0;
    for (; position_ < text_.size() && text_[position_] != '\n'; ++position_) {
        const char c = text_[position_];
        if (depth == 0 && stops.find(c) != std::string_view::npos) break;
        if (c == '(' && ++depth > kMaxParentheses) fail(since(begin), "parentheses are nested too deeply");
        if (c == ')') --depth;
    }
    size_t end = position_;
    while (end > begin && is_blank(text_[end - 1])) --end;
    if (end == begin) fail(here(), "expected an expression");
    if (end - begin > kMaxPiece) fail(since(begin), "the expression is too long");
    return {text_.substr(begin, end - begin),
            {base_ + static_cast<uint32_t>(begin), base_ + static_cast<uint32_t>(end)}};
}

std::vector<Piece> TextReader::bracket_list() {
    expect("[");
    std::vector<Piece> pieces;
    if (accept("]")) return pieces;
    do {
        pieces.push_back(raw(",]"));
    } while (accept(","));
    expect("]");
    return pieces;
}

}  // namespace fuseline::ir
