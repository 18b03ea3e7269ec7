// The lexer: one pass over the bytes of a file.
#include "dsl/lexer.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/ops/op_table.h"
#include "compiler/support/utf8.h"
#include "dsl/lexer_tables.h"

namespace fuseline {
namespace {

using namespace lexer_tables;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool is_letter(char32_t c) {
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
        if (r.fixity == Fixity::function || is_letter(r.spelling.front())) continue;
        out.emplace_back(r.spelling);
        if (r.fixity == Fixity::infix && has_update_form(r.rule)) out.push_back(std::string(r.spelling) + "=");
    }
    std::sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

class Lexer {
public:
    Lexer(const SourceFile& file, Diagnostics& diagnostics)
        : text_(file.text), base_(file.base), diagnostics_(diagnostics), symbols_(symbol_list()) {}

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
    bool radix_number(size_t from);
    TokenKind decimal_number(size_t from);
    void fraction(size_t from, TokenKind& kind);
    void exponent(TokenKind& kind);
    TokenKind number_suffix(size_t from, TokenKind kind);
    void check_digits(size_t from, TokenKind kind);
    void digits();
    void string();
    void single_quoted();
    void escape(std::string& value, bool triple);
    void symbol();
    void stray();
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

TokenList Lexer::run() {
    check_encoding();
    if (starts_with("\xEF\xBB\xBF")) at_ = 3;
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) token();
    emit(TokenKind::end, at_).reported = cut_;
    return std::move(out_);
}

void Lexer::check_encoding() {
    for (size_t at = 0; at < text_.size();) {
        const CodePoint c = decode_utf8(text_, at);
        if (!c.valid) {
            error(at, at + 1, fmt::format("byte 0x{:02x} is not valid UTF-8", static_cast<unsigned char>(text_[at])))
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
        if (ascii ? !is_letter(byte) && !(is_digit(byte) && end > at) : !c.valid || !is_letter(c.value)) break;
        end += c.length;
    }
    return end - at;
}

void Lexer::word() {
    const size_t from = at_;
    at_ += name_length(at_);
    emit(is_keyword(text_.substr(from, at_ - from)) ? TokenKind::keyword : TokenKind::name, from);
}

void Lexer::digits() {
    while (is_digit(peek()) || peek() == '_') ++at_;
}

void Lexer::number() {
    const size_t from = at_;
    if (radix_number(from)) return;
    const TokenKind kind = number_suffix(from, decimal_number(from));
    check_digits(from, kind);
    emit(kind, from);
}

bool Lexer::radix_number(size_t from) {
    const char radix = static_cast<char>(peek(1) | 0x20);
    if (peek() != '0' || (radix != 'x' && radix != 'b' && radix != 'o')) return false;
    at_ += 2;
    while (is_digit(peek()) || is_letter(peek())) ++at_;
    const std::string_view digits = text_.substr(from + 2, at_ - from - 2);
    const bool good = std::all_of(digits.begin(), digits.end(), [radix](char c) {
        return c == '_' || (radix == 'x' ? is_hex_digit(c) : c == '0' || c == '1');
    });
    if (radix == 'o') {
        error(from, at_, "octal numbers are not part of the language").help("write it as decimal, 0x.. or 0b..");
    } else if (digits.empty() || !good) {
        error(from, at_, fmt::format("'{}' is not a {} number", text_.substr(from, at_ - from),
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
    fraction(from, kind);
    exponent(kind);
    return kind;
}

void Lexer::fraction(size_t from, TokenKind& kind) {
    if (peek() != '.' || peek(1) == '.') return;
    kind = TokenKind::floating;
    const bool no_start = at_ == from;
    const std::string_view whole = text_.substr(from, at_ - from);
    const size_t point = at_++;
    const bool no_end = !is_digit(peek());
    digits();
    if (!no_start && !no_end) return;
    const std::string_view part = text_.substr(point + 1, at_ - point - 1);
    error(from, at_, "a decimal point needs digits on both sides")
        .help(fmt::format("write {}.{}", no_start ? "0" : whole, no_end ? "0" : part));
}

void Lexer::exponent(TokenKind& kind) {
    if (peek() != 'e' && peek() != 'E') return;
    const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (!is_digit(peek(1 + sign))) return;
    at_ += 1 + sign;
    digits();
    kind = TokenKind::floating;
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
    if (suffix == "i") return TokenKind::imaginary;
    if (suffix == "j" || suffix == "J") {
        error(from, end, "an imaginary number ends in 'i'").help(fmt::format("write {}i", number));
        return TokenKind::imaginary;
    }
    auto report = error(from, end, fmt::format("'{}{}' is neither a number nor a name", number, suffix));
    if (suffix == "f" || suffix == "F") {
        report.help(fmt::format("a literal takes the type of what it meets; for a typed one write f32({})", number));
    } else if (suffix != "e" && suffix != "E") {
        report.help(fmt::format("for a product write {} * {}", number, suffix));
    }
    return kind;
}

void Lexer::check_digits(size_t from, TokenKind kind) {
    const std::string_view number = text_.substr(from, at_ - from);
    for (size_t i = 0; i < number.size(); ++i) {
        if (number[i] != '_') continue;
        const bool inside = i > 0 && i + 1 < number.size() && is_hex_digit(number[i - 1]) && is_hex_digit(number[i + 1]);
        if (inside) continue;
        error(from, at_, "'_' may stand only between two digits");
        return;
    }
    const size_t value = number.find_first_not_of("0_");
    if (kind == TokenKind::integer && number[0] == '0' && value != std::string_view::npos && is_digit(number[value])) {
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
    error(from, at_, fmt::format("'{}' is not an escape", text_.substr(from, at_ - from)))
        .help("the escapes are \\n \\t \\r \\0 \\\\ \\\" \\'; a backslash itself is written \\\\");
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
    error(from, at_, "text stands in double quotes").help(fmt::format("write \"{}\"", value));
    emit(TokenKind::string, from).string = static_cast<uint32_t>(out_.strings.size());
    out_.strings.emplace_back(value);
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
    const bool control = c.value <= 0x20 || (c.value >= 0x7F && c.value < 0xA0);
    const bool visible = !control && display_width(c.value) > 0;
    auto report = error(from, at_, visible ? fmt::format("stray character '{}'", text_.substr(from, c.length))
                                           : fmt::format("stray character U+{:04X}", static_cast<uint32_t>(c.value)));
    for (const Stray& s : kStrays) {
        if (c.value == static_cast<unsigned char>(s.c) && !s.help.empty()) report.help(std::string(s.help));
    }
    emit(TokenKind::bad, from);
}

bool Lexer::lookalike(size_t from, CodePoint c) {
    for (const Lookalike& l : kLookalikes) {
        if (l.c != c.value) continue;
        error(from, at_, fmt::format("stray character '{}'", text_.substr(from, c.length)))
            .help(fmt::format("write {}", l.ascii));
        Token& t = emit(l.token ? TokenKind::symbol : TokenKind::bad, from);
        if (l.token) t.text = l.ascii;
        return true;
    }
    return false;
}

}  // namespace

TokenList lex(const SourceMap& sources, size_t file, Diagnostics& diagnostics) {
    return Lexer(sources.file(file), diagnostics).run();
}

bool is_keyword(std::string_view word) {
    return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

std::vector<std::string> keywords() { return {std::begin(kKeywords), std::end(kKeywords)}; }

}  // namespace fuseline
