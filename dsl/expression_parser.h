// Expressions: precedence climbing over an explicit stack, so that nesting costs no machine stack.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/ast.h"
#include "dsl/token_cursor.h"

namespace fuseline {

class ExpressionParser {
public:
    ExpressionParser(TokenCursor& cursor, ast::Tree& tree) : cursor_(cursor), tree_(tree) {}

    /// The longest expression from here on. An absent id means that an error was reported (or had been).
    /// `newline`: the first token may stand on a later line.
    ast::ExprId expression(bool newline = false);
    /// The same where a bool is meant: `=` is reported and read as `==`.
    ast::ExprId condition();
    /// What follows `in`: `a..b`, `a..b by s` or `reversed(...)`.
    ast::ExprId range();

    /// Reports an opened bracket that what stands here does not continue or close.
    void report_unclosed(Span open, std::string_view wanted);

private:
    enum class State : uint8_t { operand, operation, finished, failed };

    /// What waits for an operand.
    struct Frame {
        enum class Kind : uint8_t { bracket, prefix, infix, condition, otherwise } kind;
        OpId op{};
        Span span;              ///< the operator's token
        ast::ExprId left;       ///< infix: left operand; conditional: the first arm
        ast::ExprId condition;  ///< otherwise
    };

    /// An open bracket, or the outermost level.
    struct Bracket {
        enum class Kind : uint8_t { root, group, array, call, subscript, reversed } kind = Kind::root;
        enum class Phase : uint8_t { items, start, stop, step, filter, range_done } phase = Phase::items;
        Span open;
        ast::Expr node;
        bool is_condition = false;
        bool after_comprehension = false;
        std::optional<ast::Expr> comprehension;
        std::vector<ast::ExprId> range;
        ast::Subscript slice;
        int colons = 0;
        std::string keyword;
        Span keyword_span;
        bool is_tuple = false;
    };

    static std::string_view closer(Bracket::Kind kind);
    ast::ExprId run(Bracket root);
    ast::ExprId add(ast::Expr node);
    void want_operand(bool newline);
    void fail() { state_ = State::failed; }
    Bracket& bracket() { return brackets_.back(); }
    Span span_of(ast::ExprId id) const { return tree_[id].span; }

    // Where a value is expected.
    void operand();
    bool operand_of_bracket(const Token& t);
    bool operand_of_call(const Token& t);
    bool operand_of_subscript(const Token& t);
    bool reversed_range(const Token& t);
    bool prefix(const Token& t);
    bool not_is_out_of_place(const Token& t, OpId op);
    bool opening(const Token& t);
    bool atom(const Token& t);
    void literal(ast::ExprKind kind, const Token& t);
    void name(const Token& t);
    void expected_value();

    // After a value.
    void operation();
    bool postfix(const Token& t);
    bool field();
    bool identity(const Token& t);
    bool infix(const Token& t);
    bool conditional(const Token& t);
    void push_infix(OpId op, const Token& t);
    void reduce(int precedence, bool keep_equal);
    void reduce_all();
    void apply();
    void compare(const Frame& f);
    void warn_of_bit_operator(ast::ExprId operand);
    void finish_conditional();

    // Where an item of a bracket ends.
    void finish_item();
    void item(const Token& t);
    void call_item(const Token& t);
    void subscript_item(const Token& t);
    void assignment_for_comparison();
    void add_argument();
    void add_subscript();
    void open_bracket(Bracket::Kind kind, ast::Expr node);
    void close();
    void close_group(Bracket& b);
    void expected_closer();

    // Comprehensions and ranges.
    bool comprehension_allowed();
    void start_comprehension();
    void clause();
    void range_item(const Token& t);
    void expected_range();
    void end_range();
    void after_clause();
    void end_comprehension();

    TokenCursor& cursor_;
    ast::Tree& tree_;
    std::vector<Frame> frames_;
    std::vector<Bracket> brackets_;
    State state_ = State::operand;
    bool newline_ = false;
    ast::ExprId value_;
};

}  // namespace fuseline
