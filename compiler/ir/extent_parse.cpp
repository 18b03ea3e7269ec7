// Reads the text of extents with explicit stacks, so that deep nesting is no danger.
#include <algorithm>
#include <charconv>

#include "compiler/ir/extent.h"

namespace fuseline {

namespace {

enum class Operator : uint8_t { add, sub, mul, floordiv, mod, negate, parenthesis, min, max };

int precedence(Operator op) {
    if (op == Operator::add || op == Operator::sub) return 1;
    if (op == Operator::negate) return 3;
    return op == Operator::parenthesis || op == Operator::min || op == Operator::max ? 0 : 2;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || byte >= 0x80;
}

class Parser {
public:
    Parser(ExtentPool& pool, std::string_view text) : pool_(pool), text_(text) {}

    std::optional<ExtentId> parse();

private:
    struct Entry {
        Operator op;
        size_t first_value;
    };

    bool operand();
    bool after_operand();
    bool number(bool negative);
    bool name();
    bool close();
    bool comma();
    bool apply();
    bool reduce_to(int least);
    ExtentId binary(Operator op, ExtentId a, ExtentId b);
    bool small(ExtentId e) const { return pool_.leaves(e) <= ExtentPool::kMaxLeaves; }
    bool accept(std::string_view token);
    void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }

    ExtentPool& pool_;
    std::string_view text_;
    size_t at_ = 0;
    bool wants_operand_ = true;
    std::vector<ExtentId> values_;
    std::vector<Entry> operators_;
};

bool Parser::accept(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
}

std::optional<ExtentId> Parser::parse() {
    for (skip_blanks(); at_ < text_.size(); skip_blanks())
        if (!(wants_operand_ ? operand() : after_operand())) return std::nullopt;
    if (wants_operand_ || !reduce_to(1) || !operators_.empty()) return std::nullopt;
    return values_[0];
}

bool Parser::operand() {
    if (accept("(")) {
        operators_.push_back({Operator::parenthesis, values_.size()});
        return true;
    }
    if (accept("-")) {
        skip_blanks();
        if (at_ < text_.size() && is_digit(text_[at_])) return number(true);
        operators_.push_back({Operator::negate, values_.size()});
        return true;
    }
    if (is_digit(text_[at_])) return number(false);
    return is_name(text_[at_]) && name();
}

/// The sign belongs to the literal, so that the least int64 can be read.
bool Parser::number(bool negative) {
    size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string digits = (negative ? "-" : "") + std::string(text_.substr(at_, end - at_));
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || stop != digits.data() + digits.size()) return false;
    at_ = end;
    values_.push_back(pool_.constant(value));
    wants_operand_ = false;
    return true;
}

bool Parser::name() {
    const size_t start = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '(') {
        ++at_;
        if (word != "min" && word != "max") return false;
        operators_.push_back({word == "min" ? Operator::min : Operator::max, values_.size()});
        return true;
    }
    values_.push_back(pool_.symbol(word));
    wants_operand_ = false;
    return true;
}

bool Parser::after_operand() {
    if (accept(")")) return close();
    if (accept(",")) return comma();
    Operator op = Operator::add;
    if (accept("+"))
        op = Operator::add;
    else if (accept("-"))
        op = Operator::sub;
    else if (accept("*"))
        op = Operator::mul;
    else if (accept("//"))
        op = Operator::floordiv;
    else if (accept("%"))
        op = Operator::mod;
    else
        return false;
    if (!reduce_to(precedence(op))) return false;
    operators_.push_back({op, values_.size()});
    wants_operand_ = true;
    return true;
}

bool Parser::comma() {
    if (!reduce_to(1) || operators_.empty() || operators_.back().op == Operator::parenthesis) return false;
    wants_operand_ = true;
    return true;
}

bool Parser::close() {
    if (!reduce_to(1) || operators_.empty()) return false;
    const Entry open = operators_.back();
    operators_.pop_back();
    if (open.op == Operator::parenthesis) return true;
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(open.first_value);
    std::vector<ExtentId> operands(first, values_.end());
    values_.erase(first, values_.end());
    if (open.op == Operator::max)
        values_.push_back(pool_.max(std::move(operands)));
    else
        values_.push_back(operands.size() == 1 ? pool_.wrap(operands[0]) : pool_.min(std::move(operands)));
    return small(values_.back());
}

/// Applies waiting operators that bind at least as tightly.
bool Parser::reduce_to(int least) {
    while (!operators_.empty() && precedence(operators_.back().op) >= least)
        if (!apply()) return false;
    return true;
}

bool Parser::apply() {
    const Operator op = operators_.back().op;
    operators_.pop_back();
    const ExtentId right = values_.back();
    if (op == Operator::negate) {
        values_.back() = pool_.negate(right);
        return true;
    }
    if (values_.size() < 2) return false;
    values_.pop_back();
    values_.back() = binary(op, values_.back(), right);
    return small(values_.back());
}

ExtentId Parser::binary(Operator op, ExtentId a, ExtentId b) {
    switch (op) {
        case Operator::add: return pool_.add(a, b);
        case Operator::sub: return pool_.sub(a, b);
        case Operator::mul: return pool_.mul(a, b);
        case Operator::floordiv: return pool_.floordiv(a, b);
        default: return pool_.mod(a, b);
    }
}

}  // namespace

std::optional<ExtentId> ExtentPool::parse(std::string_view text) { return Parser(*this, text).parse(); }

}  // namespace fuseline
