// The syntax tree of a .dsl file: flat arenas addressed by ids, so that depth costs no stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ops/op_table.h"
#include "compiler/support/source.h"

namespace fuseline::ast {

/// Index into Tree::exprs / Tree::statements; the default is "absent".
struct ExprId {
    uint32_t index = UINT32_MAX;
    explicit operator bool() const { return index != UINT32_MAX; }
    auto operator<=>(const ExprId&) const = default;
};
struct StmtId {
    uint32_t index = UINT32_MAX;
    explicit operator bool() const { return index != UINT32_MAX; }
    auto operator<=>(const StmtId&) const = default;
};

enum class ExprKind : uint8_t {
    integer,        ///< text: digits as written, without '_' (any base)
    floating,       ///< text: as written, without '_'
    imaginary,      ///< text: digits before 'i'
    boolean,        ///< text: "true" or "false"
    string,         ///< text: the value, escapes resolved
    none,           ///< `none`
    name,           ///< text
    unary,          ///< op; operands[0]
    binary,         ///< op (arithmetic, bit, `and`, `or`, `@`); operands[0], operands[1]
    compare,        ///< chain a < b <= c: operands a, b, c; ops < and <=
    conditional,    ///< `a if c else b`: operands a, c, b
    call,           ///< operands[0] the callee, then the arguments; names aligned with arguments
    subscript,      ///< operands[0] the base; subscripts
    field,          ///< operands[0] the base; text the name after the point
    array,          ///< [a, b, c]: operands
    tuple,          ///< (a, b) or (a,): operands
    comprehension,  ///< operands[0] the body; clauses, filter; bracketed or the argument of a reducing call
    range,          ///< a..b by s (in clauses and `for` only): operands a, b and s or absent
    reversed,       ///< reversed(a..b): operands[0] a range
};

struct Subscript {
    enum class Kind : uint8_t { index, slice, ellipsis, newaxis } kind = Kind::index;
    Span span;
    ExprId value;              ///< index: any expression
    ExprId start, stop, step;  ///< slice: each may be absent
};

struct Clause {
    std::string name;
    Span name_span;
    ExprId range;  ///< a `range` or `reversed` expression
};

struct Expr {
    ExprKind kind = ExprKind::none;
    Span span;
    Span op_span;  ///< the operator's token, the callee's parenthesis or the name after a point
    OpId op{};     ///< unary, binary
    std::string text;
    std::vector<ExprId> operands;
    std::vector<OpId> ops;           ///< compare
    std::vector<std::string> names;  ///< call: keyword of each argument, "" when positional
    std::vector<Span> name_spans;    ///< call: aligned with names
    std::vector<Subscript> subscripts;
    std::vector<Clause> clauses;
    ExprId filter;
    bool parenthesised = false;
};

/// `f32`, `f32[n, 3]`, `t[n]`; dims of a scalar are empty.
struct TypeExpr {
    Span span;
    std::string name;
    Span name_span;
    std::vector<ExprId> dims;
};

enum class StmtKind : uint8_t {
    assign,      ///< targets = value; one target unless a tuple; `type` with a single plain name
    augment,     ///< targets[0] op= value
    expression,  ///< value
    if_,         ///< value the condition; body; otherwise (an `else if` is an if_ inside otherwise)
    while_,      ///< value the condition; body
    for_,        ///< loop; body
    break_,
    continue_,
    return_,  ///< value, or absent
    assert_,  ///< value; message
};

/// A name or an indexed name on the left of `=`.
struct Target {
    Span span;
    std::string name;
    Span name_span;
    std::vector<Subscript> subscripts;
};

struct Stmt {
    StmtKind kind = StmtKind::expression;
    Span span;
    std::vector<Target> targets;
    std::optional<TypeExpr> type;
    OpId op{};  ///< augment
    Span op_span;
    ExprId value;
    ExprId message;
    Clause loop;  ///< for_
    std::vector<StmtId> body;
    std::vector<StmtId> otherwise;
};

struct Parameter {
    Span span;
    std::string name;
    Span name_span;
    std::optional<TypeExpr> type;
    ExprId default_value;
    bool is_const = false;
};

struct Result {
    std::string name;  ///< "" for an unnamed result
    Span name_span;
    TypeExpr type;
};

enum class FunctionKind : uint8_t { array, elemental, external };

struct Function {
    FunctionKind kind = FunctionKind::array;
    Span span;  ///< the whole definition
    std::string name;
    Span name_span;
    std::vector<Parameter> parameters;
    std::vector<Result> results;  ///< empty when `->` is left out
    bool results_named = false;
    std::vector<StmtId> body;  ///< `= e` is a body of one expression statement
    struct ExternItem {
        std::string key;  ///< "cuda", "cpu"
        Span key_span;
        std::string code;
    };
    std::vector<ExternItem> extern_items;
};

struct Import {
    Span span;
    std::string path;
    Span path_span;
};

struct OptionStatement {
    Span span;
    std::string name;
    Span name_span;
};

struct Param {
    Span span;
    std::string name;
    Span name_span;
    TypeExpr type;
    ExprId default_value;
};

/// One file. Script statements keep their order; `print`, `save`, `show` are expression statements that call
/// those names, `x: f32[n] = load(..)` an assign with a type.
struct Tree {
    size_t file = 0;  ///< index in the SourceMap
    std::vector<Expr> exprs;
    std::vector<Stmt> statements;
    std::vector<Import> imports;
    std::vector<OptionStatement> options;
    std::vector<Param> params;
    std::vector<Function> functions;
    std::vector<StmtId> script;

    const Expr& operator[](ExprId id) const { return exprs[id.index]; }
    const Stmt& operator[](StmtId id) const { return statements[id.index]; }
};

}  // namespace fuseline::ast
