// Statements and blocks: an explicit stack of open blocks, and recovery after errors.
#pragma once

#include <optional>
#include <vector>

#include "dsl/ast.h"
#include "dsl/expression_parser.h"
#include "dsl/token_cursor.h"

namespace fuseline {

class StatementParser {
public:
    StatementParser(TokenCursor& cursor, ExpressionParser& expressions, ast::Tree& tree)
        : cursor_(cursor), expressions_(expressions), tree_(tree) {}

    /// One statement outside functions, appended to the script.
    void script_statement();
    /// `{ ... }` of a function whose header starts at `column`.
    std::vector<ast::StmtId> body(uint32_t column);
    /// A body that is one expression, after `=`.
    std::vector<ast::StmtId> expression_body();
    /// A block whose statements are thrown away, because its header was wrong.
    void discarded_block(uint32_t column);

    /// `f32[n, 3]`. Empty, and reported, if none stands here.
    std::optional<ast::TypeExpr> type();
    /// Tests that nothing follows on the line. False, and reported, if something does.
    bool end_statement(ast::ExprId last = {});
    /// After an error in a statement that began at token `start`: goes to where the next one begins.
    void recover(size_t start, uint32_t column);
    /// After an error in the header of a block: goes to its `{`. False if there is none.
    bool find_block(uint32_t column);
    /// True once a missing or superfluous brace makes later ones meaningless.
    bool braces_lost() const { return braces_lost_; }

private:
    struct Block {
        enum class Kind : uint8_t { body, then, otherwise, loop, discarded } kind = Kind::body;
        ast::StmtId owner;
        uint32_t column = 0;    ///< where the line of its header starts
        Span open;              ///< `{`
        bool indented = false;  ///< without braces (an error): it ends where the indentation does
        std::vector<ast::StmtId> statements;
        std::vector<ast::StmtId> chain;  ///< then, otherwise: the ifs of an `else if` chain, outermost first
    };

    // Blocks (block_parser.cpp).
    void run_blocks();
    bool open_block(Block block);
    void push_block(Block block);
    bool at_block_end() const;
    bool definition_at_column(uint32_t column) const;
    void close_block();
    void leave_braces(const Block& b);
    void report_unclosed(const Block& b);
    void finish_block(Block b);
    void after_then(Block b);
    void else_if(Block b, uint32_t column);
    void finish_chain(const std::vector<ast::StmtId>& chain);

    // Statements that open blocks.
    void if_statement();
    void while_statement();
    void for_statement();
    bool for_header(ast::Stmt& s);
    void stray_else();
    void nested_definition();

    // Simple statements.
    void statement();
    void dispatch(const Token& t);
    bool keyword_statement(const Token& t);
    bool foreign_start(const Token& t);
    bool operator_start(const Token& t);
    bool increment(const Token& t);
    bool jump(ast::StmtKind kind);
    bool return_statement();
    bool assert_statement();
    bool expression_or_assignment();
    bool typed_assignment();
    bool assignment(ast::ExprId left);
    bool update(ast::ExprId left, OpId op);
    std::optional<ast::Target> target(ast::ExprId id);
    bool check_value(ast::ExprId value);
    void append(ast::Stmt s);
    void append_id(ast::StmtId id);
    void report_unused(const ast::Stmt& s);
    void check_script_expression(const ast::Stmt& s);
    ast::StmtId add(ast::Stmt s);
    ast::Stmt start(ast::StmtKind kind) const;

    TokenCursor& cursor_;
    ExpressionParser& expressions_;
    ast::Tree& tree_;
    std::vector<Block> blocks_;
    std::vector<ast::StmtId> body_;
    int loops_ = 0;
    uint32_t column_ = 0;  ///< of the first token of the statement at hand
    size_t start_ = 0;     ///< the index of that token
    bool braces_lost_ = false;
    Span suspect_open_;  ///< a `{` whose `}` stands too far left
    Span suspect_close_;
};

}  // namespace fuseline
