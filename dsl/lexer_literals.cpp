// Numbers and texts of the lexer.
#include <algorithm>

#include <fmt/format.h>

#include "dsl/lexer_state.h"

namespace fuseline {
namespace {

constexpr size_t kNoPoint = std::string_view::npos;

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

void Lexer::digits() {
    while (is_digit(peek()) || peek() == '_') ++at_;
}

void Lexer::number() {
    const size_t from = at_;
    if (numbered_field(from) || radix_number(from)) return;
    const TokenKind kind = number_suffix(from, decimal_number(from));
    if (second_point(from)) return;
    check_digits(from, kind);
    emit(kind, from);
}

/// `x.3`: a point and digits right after a value.
bool Lexer::numbered_field(size_t from) {
    if (peek() != '.' || out_.tokens.empty()) return false;
    const Token& before = out_.tokens.back();
    const bool value = before.kind == TokenKind::name || before.is(")") || before.is("]");
    if (!value || before.span.end != span(from, from).begin) return false;
    ++at_;
    const size_t digit = at_;
    digits();
    error(from, at_, "a field has a name, not a number")
        .help(fmt::format("an element is taken with `[{}]`", text_.substr(digit, at_ - digit)));
    emit(TokenKind::bad, from);
    return true;
}

/// `1.5.2`: the digits after another point are of the same number.
bool Lexer::second_point(size_t from) {
    if (peek() != '.' || !is_digit(peek(1))) return false;
    while (peek() == '.' && is_digit(peek(1))) {
        ++at_;
        digits();
    }
    error(from, at_, fmt::format("`{}` is not a number", text_.substr(from, at_ - from)))
        .help("a number has one decimal point");
    emit(TokenKind::bad, from);
    return true;
}

bool Lexer::radix_number(size_t from) {
    const char radix = static_cast<char>(peek(1) | 0x20);
    if (peek() != '0' || (radix != 'x' && radix != 'b' && radix != 'o')) return false;
    at_ += 2;
    while (is_digit(peek()) || is_ascii_letter(peek())) ++at_;
    const std::string_view digits = text_.substr(from + 2, at_ - from - 2);
    const bool good = std::all_of(digits.begin(), digits.end(), [radix](char c) {
        return c == '_' || (radix == 'x' ? is_hex_digit(c) : c == '0' || c == '1');
    });
    if (radix == 'o') {
        error(from, at_, "octal numbers are not part of the language")
            .help("write it as decimal, 0x.. or 0b..");
    } else if (digits.empty() || !good) {
        error(from, at_,
              fmt::format("`{}` is not a {} number", text_.substr(from, at_ - from),
                          radix == 'x' ? "hexadecimal" : "binary"));
    } else {
        check_digits(from, TokenKind::integer);
    }
    emit(TokenKind::integer, from);
    return true;
}

TokenKind Lexer::decimal_number(size_t from) {
    TokenKind kind = TokenKind::integer;
    digits();
    const size_t point = fraction(kind);
    const size_t part = at_;
    exponent(kind);
    if (point == kNoPoint) return kind;
    const bool no_start = point == from;
    const bool no_end = part == point + 1;
    const bool reported_later = name_length(at_) > 0;
    if ((!no_start && !no_end) || reported_later) return kind;
    error(from, at_, "a decimal point needs digits on both sides")
        .help(fmt::format("write {}.{}{}", no_start ? "0" : text_.substr(from, point - from),
                          no_end ? "0" : text_.substr(point + 1, part - point - 1),
                          text_.substr(part, at_ - part)));
    return kind;
}

/// The point and the digits after it, if they stand here; gives the place of the point.
size_t Lexer::fraction(TokenKind& kind) {
    if (peek() != '.' || peek(1) == '.') return kNoPoint;
    kind = TokenKind::floating;
    const size_t point = at_++;
    if (is_digit(peek())) digits();
    return point;
}

void Lexer::exponent(TokenKind& kind) {
    if (peek() != 'e' && peek() != 'E') return;
    const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (!is_digit(peek(1 + sign))) return;
    at_ += 1 + sign;
    digits();
    kind = TokenKind::floating;
}

/// A sign, and nothing after it that could be its operand.
bool Lexer::ends_after_sign() const {
    if (peek() != '+' && peek() != '-') return false;
    const size_t next = text_.find_first_not_of(" \t\r", at_ + 1);
    return next == std::string_view::npos || std::string_view("\n#)],}").find(text_[next]) != kNoPoint;
}

/// The letters right after a number: `i` makes it imaginary, all others are an error.
TokenKind Lexer::number_suffix(size_t from, TokenKind kind) {
    size_t end = at_;
    while (is_digit(end < text_.size() ? text_[end] : '\0') || name_length(end) > 0) {
        end += std::max<size_t>(name_length(end), 1);
    }
    const std::string_view suffix = text_.substr(at_, end - at_);
    if (suffix.empty()) return kind;
    const std::string_view number = text_.substr(from, at_ - from);
    at_ = end;
    if (number.ends_with('.') || number.starts_with('.')) {
        error(from, end, fmt::format("`{}{}` is neither a number nor a name", number, suffix))
            .help("a decimal point needs digits on both sides, and numbers have no fields");
        return kind;
    }
    if ((suffix == "e" || suffix == "E") && ends_after_sign()) {
        ++at_;
        error(from, at_, fmt::format("the exponent of `{}` has no digits", text_.substr(from, at_ - from)));
        return TokenKind::floating;
    }
    if (suffix == "i") return TokenKind::imaginary;
    if (suffix == "j" || suffix == "J") {
        error(from, end, "an imaginary number ends in `i`").help(fmt::format("write {}i", number));
        return TokenKind::imaginary;
    }
    auto report = error(from, end, fmt::format("`{}{}` is neither a number nor a name", number, suffix));
    if (suffix == "f" || suffix == "F") {
        report.help(
            fmt::format("a literal takes the type of what it meets; for a typed one write f32({})", number));
    } else if (suffix != "e" && suffix != "E") {
        report.help(fmt::format("for a product write {} * {}", number, suffix));
    }
    return kind;
}

void Lexer::check_digits(size_t from, TokenKind kind) {
    const std::string_view number = text_.substr(from, at_ - from);
    for (size_t i = 0; i < number.size(); ++i) {
        if (number[i] != '_') continue;
        const bool inside =
            i > 0 && i + 1 < number.size() && is_hex_digit(number[i - 1]) && is_hex_digit(number[i + 1]);
        if (inside) continue;
        error(from, at_, "`_` may stand only between two digits");
        return;
    }
    const size_t value = number.find_first_not_of("0_");
    if (kind == TokenKind::integer && number[0] == '0' && value != std::string_view::npos &&
        is_digit(number[value])) {
        error(from, at_, "a decimal number does not start with 0")
            .help(fmt::format("write {}", number.substr(value)));
    }
}

void Lexer::string() {
    const size_t from = at_;
    const bool triple = starts_with("\"\"\"");
    const std::string_view quote = triple ? "\"\"\"" : "\"";
    at_ += quote.size();
    std::string value;
    while (at_ < text_.size() && !starts_with(quote) && (triple || peek() != '\n')) {
        if (peek() == '\\') {
            escape(value, triple);
        } else {
            value += text_[at_++];
        }
    }
    if (starts_with(quote)) {
        const size_t line = line_;
        at_ += quote.size();
        drop_prefix(from);
        emit(TokenKind::string, from).string = static_cast<uint32_t>(out_.strings.size());
        out_.strings.push_back(std::move(value));
        const size_t newline = text_.substr(0, at_).rfind('\n');
        line_ = newline == std::string_view::npos ? line : newline + 1;
        return;
    }
    error(from, triple ? from + 3 : at_, fmt::format("this text is never closed with {}", quote));
    cut_ = triple;
    emit(TokenKind::bad, from);
}

/// One escape sequence, `at_` on its backslash.
void Lexer::escape(std::string& value, bool triple) {
    constexpr std::string_view kLetters = "ntr0\\\"'";
    constexpr std::string_view kValues{"\n\t\r\0\\\"'", 7};
    const size_t from = at_++;
    const size_t index = at_ < text_.size() ? kLetters.find(peek()) : std::string_view::npos;
    if (index != std::string_view::npos) {
        value += kValues[index];
        ++at_;
        return;
    }
    const CodePoint c = decode_utf8(text_, at_);
    if (c.length == 0) return;
    if (peek() == '\n') {
        // As in Python, the pair vanishes; in a text of one line the newline is left to end it.
        if (triple) ++at_;
        return;
    }
    at_ += c.length;
    value += text_.substr(from, at_ - from);
    error(from, at_, fmt::format("`{}` is not an escape", text_.substr(from, at_ - from)))
        .help("the escapes are \\n \\t \\r \\0 \\\\ \\\" \\'; a backslash itself is written \\\\");
}

/// The `f` of `f"{x}"`, with a report: it is taken for a part of the text.
bool Lexer::drop_prefix(size_t from) {
    if (out_.tokens.empty()) return false;
    const Token& before = out_.tokens.back();
    constexpr std::string_view kPrefixes = "fFrRbBuU";
    const bool prefix = before.kind == TokenKind::name && before.span.end == span(from, from).begin &&
                        before.text.size() == 1 && kPrefixes.find(before.text[0]) != kNoPoint;
    if (!prefix) return false;
    const size_t start = from - 1;
    auto report = error(start, at_, fmt::format("a text has no prefix `{}`", before.text));
    if (before.text == "f" || before.text == "F")
        report.help("`print` takes several values: `print(\"x =\", x)`");
    starts_line_ = before.starts_line;
    out_.tokens.pop_back();
    return true;
}

void Lexer::single_quoted() {
    const size_t from = at_++;
    while (at_ < text_.size() && peek() != '\'' && peek() != '\n') ++at_;
    if (peek() != '\'') {
        at_ = from + 1;
        error(from, at_, "stray character '").help("text stands in double quotes");
        emit(TokenKind::bad, from);
        return;
    }
    const std::string_view value = text_.substr(from + 1, at_ - from - 1);
    ++at_;
    if (!drop_prefix(from))
        error(from, at_, "text stands in double quotes").help(fmt::format("write \"{}\"", value));
    emit(TokenKind::string, from).string = static_cast<uint32_t>(out_.strings.size());
    out_.strings.emplace_back(value);
}

}  // namespace fuseline
