// The checker: evaluates a function's syntax tree to values and so builds its graph. One Checker builds one
// graph.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/diagnostics.h"
#include "dsl/ast.h"
#include "dsl/module.h"
#include "dsl/scope.h"
#include "dsl/value.h"

namespace fuseline::dsl {

/// Calls that are inlined may nest this deep; blocks this deep in all the calls that are open.
inline constexpr int kMaxCallDepth = 100;
/// Functions are inlined at each call, so a short program can describe a huge one.
inline constexpr size_t kMaxOperations = 100'000;
inline constexpr int kMaxBlockDepth = 300;

/// A value with the place of the expression that gave it.
struct Argument {
    Value value;
    Span span;
    std::string name;  ///< keyword, "" when positional
    Span name_span;
};

/// What a call says.
struct Call {
    Span span;  ///< the whole call
    Span callee_span;
    std::string name;  ///< the callee as written
    std::vector<Argument> arguments;
};

/// What the script adds to the checking of its expressions.
class ScriptHooks {
public:
    virtual ~ScriptHooks() = default;
    /// The parameter of the current graph that stands for a variable.
    virtual Value fetch(const StoredValue& stored) = 0;
    /// Takes over a check that a statement of the script asks for; false leaves it to the graph.
    virtual bool check(const ir::Check& check, Span span) = 0;
    /// A parameter of the current graph for a constant that crosses into an entry.
    virtual ir::ValueId cross(const Value& value, DType dtype, std::string_view function,
                              std::string_view parameter) = 0;
};

/// The counter of a loop over arrays while its body is checked: a size between two others, both included.
struct Counter {
    std::string symbol;
    ExtentId low, high;
    ir::RegionId region;  ///< the loop's; checks of sizes with the counter stand there
};

/// left == right, or left >= right, with a check.
struct TestedRelation {
    ir::RegionId place;  ///< where the check stands
    ExtentId left, right;
    bool equal;
};

/// What is known about sizes: equalities that were asserted or are tested.
struct SizeFacts {
    std::vector<std::pair<ExtentId, ExtentId>> assumed, equal;
    std::vector<TestedRelation> tested;
    std::map<std::string, ExtentId> substitutions;
};

class Join;
struct Pending;
struct RegionPair;
struct BranchEnds;

/// Parts lie in the files that the sections name. A faulty value has been reported when it is an error value.
class Checker {
public:
    Checker(Modules& modules, Diagnostics& diagnostics, std::string graph_name);

    Modules& modules;
    Diagnostics* diagnostics;
    ir::Builder builder;
    Frame* frame = nullptr;
    ScriptHooks* script = nullptr;
    std::set<std::string, std::less<>> script_names;     ///< for messages: functions do not see them
    std::vector<std::pair<ExtentId, ExtentId>> assumed;  ///< equalities of sizes that are asserted or tested
    std::vector<Counter> counters;     ///< of the loops over arrays that are open, outermost first
    std::vector<ir::RegionId> guards;  ///< sides of branches over arrays that are open, outermost first
    int trials = 0;  ///< greater than 0: a loop's body is run for its types alone and leaves no checks behind
    std::set<std::string, std::less<>> loop_symbols;        ///< sizes that are counters of loops over arrays
    std::map<std::string, Span, std::less<>> symbol_spans;  ///< where each size of the graph is bound
    std::map<std::string, ExtentId>
        spoken;  ///< for messages: sizes that the program has no name for, as it gives them

    ExtentPool& extents() { return builder.extents(); }
    const ast::Expr& expr(ast::ExprId id) const { return frame->tree()[id]; }
    const ast::Stmt& stmt(ast::StmtId id) const { return frame->tree()[id]; }

    // messages.cpp: faults inside prelude functions are told at the call.
    DiagnosticBuilder error(Span span, std::string message);
    DiagnosticBuilder not_yet(Span span, std::string_view feature);
    std::string text(const Value& value);
    std::string text(ExtentId e);
    std::string text(const ir::Type& type);
    std::string shape_text(const std::vector<ExtentId>& shape);
    std::string source_text(Span span) const;
    /// Adds "`n` is bound here" for each size in the extents.
    void note_sizes(DiagnosticBuilder& d, std::initializer_list<ExtentId> sizes);

    // expressions.cpp, names.cpp, subscripts.cpp
    Value evaluate(ast::ExprId id);
    Argument argument(ast::ExprId id);
    Value name_value(const ast::Expr& e);
    std::optional<Value> global_value(std::string_view name, Span span);
    Value literal(const ast::Expr& e);
    Value field(const ast::Expr& e, const Value& base);
    Value subscript(const ast::Expr& e, const Value& base, const std::vector<Value>& indices);
    Value shape_of(const Argument& a);
    Value dtype_of(const Argument& a);
    std::vector<std::string> visible_names() const;

    // operators.cpp
    Value apply_op(OpId op, const std::vector<Argument>& operands, Span span);
    Value compare(const ast::Expr& e, const std::vector<Argument>& operands);
    Value logical(OpId op, const Argument& a, const Argument& b, Span span);

    // convert.cpp
    /// The value as an array or scalar of its own type; weak ones take their default.
    std::optional<ir::ValueId> typed(const Argument& a);
    /// The value as `dtype`: weak ones convert, typed ones must have it.
    std::optional<ir::ValueId> as_dtype(const Argument& a, DType dtype, std::string_view what);
    /// The type of elements that a number has or would take.
    std::optional<DType> element_type(const Argument& a, std::string_view what);
    /// An integer known before the computation starts.
    std::optional<ExtentId> as_size(const Argument& a, std::string_view what);
    /// The size expression behind an integer scalar of the graph, if it is one over sizes, parameters and
    /// constants.
    std::optional<ExtentId> extent_of(ir::ValueId id);
    Value from_extent(ExtentId e);
    /// A shape argument: an integer or a tuple; each extent >= 0, tested at launch where unproved.
    std::optional<std::vector<ExtentId>> as_shape(const Argument& a);
    std::optional<int64_t> as_constant_integer(const Argument& a, std::string_view what);

    // shapes.cpp
    std::optional<std::vector<ExtentId>> broadcast_shape(const std::vector<ir::ValueId>& values, Span span,
                                                         std::string_view what);
    /// Reports that two extents of `a` and `b` are not known to be equal.
    void report_misfit(ir::ValueId a, ir::ValueId b, ExtentId left, ExtentId right, Span span,
                       std::string_view what);
    /// A view of `value` in a shape that it broadcasts to; scalars stay scalars.
    ir::ValueId broadcast_to(ir::ValueId value, const std::vector<ExtentId>& shape);
    /// A view of a scalar as an array.
    ir::ValueId filled(ir::ValueId scalar, const std::vector<ExtentId>& shape);
    bool same_extent(ExtentId a, ExtentId b);
    bool different_extent(ExtentId a, ExtentId b);
    ExtentId canonical(ExtentId e);
    /// a <= b for all sizes that the checks let through and all steps of the loops around.
    bool known_le(ExtentId a, ExtentId b);
    void assume_equal(ExtentId a, ExtentId b);
    SizeFacts facts() const { return {assumed, equal_, tested_, substitutions_}; }
    void restore(SizeFacts facts);
    void restore_after(ir::RegionId loop, SizeFacts facts);
    /// e >= 0 follows from what is tested.
    bool tested_nonnegative(ExtentId e);
    /// e >= 0, in the same way.
    bool require_size(ExtentId e, Span span);
    /// Proves left == right (left >= right) or adds a check at launch; false after a report that it cannot
    /// hold.
    bool require_extent(ExtentId left, ir::Check::Relation relation, ExtentId right, std::string message,
                        Span span);

    // types.cpp
    std::optional<DType> element_dtype(const ast::TypeExpr& type);
    /// A dimension of a type; its names are bound.
    std::optional<ExtentId> declared_size(ast::ExprId dim);
    /// A type whose dimensions are all bound.
    std::optional<ir::Type> resolve_type(const ast::TypeExpr& type);
    /// The value checked against a declared type; weak ones convert.
    Value check_declared(const Argument& a, const ir::Type& type, Span type_span, std::string_view what);

    // calls.cpp, arguments.cpp, bind.cpp, elemental.cpp
    bool refuse_callee(const ast::Expr& e);
    bool refuse_array_code(Span span, std::string_view what);
    Value call(const ast::Expr& e, const Value& callee, std::vector<Argument> arguments);
    Value call_value(const Value& function, Call call);
    Value call_function(const FunctionDefinition& f, Call call);
    Value call_dtype(DType dtype, const Call& call);
    Value call_elementwise(OpId op, Call call);
    bool match_arguments(const FunctionDefinition& f, Call& call,
                         std::vector<std::optional<Argument>>& slots);
    Value map_elemental(const FunctionDefinition& f, std::vector<std::optional<Argument>>& slots,
                        const Call& call);

    // statements.cpp, results.cpp, asserts.cpp
    void run_block(std::span<const ast::StmtId> block);
    void run_statement(ast::StmtId id);
    void assign(const std::string& name, Span span, Value value);
    /// Names a computed value for people; parameters have names, and constants and sizes stand for
    /// themselves.
    void name_result(ir::ValueId id, const std::string& name);
    Value run_body();
    std::optional<ir::ValueId> scalar_condition(const Argument& a, std::string_view instead);
    std::optional<std::string> assert_message(const ast::Stmt& s);
    std::vector<Argument> assert_sizes(const ast::Stmt& s, const std::string& message);

    /// How many values the frame's function gives, and the checker's name for the k-th that is returned.
    size_t result_arity();
    static std::string result_slot(size_t k);

    // branches.cpp, loops.cpp
    /// `rest`: the statements that went into the branches.
    void branch(ir::ValueId condition, const std::function<void()>& yes, const std::function<void()>& no,
                Span span, std::span<const ast::StmtId> rest);
    Value join_arms(const RegionPair& pair, const Argument& yes, const Argument& no, Span span);
    void run_loop(const ast::Stmt& s);

private:
    std::optional<Value> size_op(OpId op, const std::vector<Argument>& operands, Span span);
    Value bounded_size(Value value, Span span);
    std::optional<Value> size_power(ExtentId base, ExtentId exponent);
    std::optional<Value> size_comparison(OpId op, ExtentId a, ExtentId b);
    std::optional<Value> structural_op(OpId op, const std::vector<Argument>& operands);
    bool same_tuple(const TupleValue& a, const TupleValue& b);
    Value fold_constants(OpId op, const std::vector<Argument>& operands, Span span);
    Value report_typing(Span span, const std::string& why, const std::string& help);
    std::string with_operands(const std::string& why, const std::vector<Argument>& operands);
    std::optional<std::vector<DType>> meeting_types(OpId op, const std::vector<Argument>& operands);
    Value graph_op(OpId op, const std::vector<Argument>& operands, Span span);
    std::optional<ir::ValueId> operand(const Argument& a, DType own, DType wanted, std::string_view what);
    std::optional<Value> constant_power(const std::vector<Argument>& operands, DType dtype, Span span);

    std::optional<ExtentId> combine_sizes(OpId op, ExtentId a, ExtentId b);
    std::optional<ExtentId> parameter_size(ir::ValueId id);
    bool report_unbound(ast::ExprId dim);
    std::vector<std::string> local_sizes() const;
    void add_check(ir::Check check, Span span);
    ir::RegionId place_of(ExtentId left, ExtentId right);

    Value fetched(const Value& value);
    void report_unknown(const ast::Expr& e);
    void report_unknown_function(const ast::Expr& callee);
    std::string as_function(const ast::Expr& e, const ast::Expr& callee) const;
    bool refuse_method(const ast::Expr& e, const ast::Expr& callee);
    std::optional<Value> callee_in_scope(std::string_view name) const;
    std::vector<std::string> function_names() const;
    Value transposed(const ast::Expr& e, const Argument& a);
    Value tuple_item(const ast::Expr& e, const TupleValue& tuple, const std::vector<Value>& indices);

    bool bind_parameters(const FunctionDefinition& f, std::vector<std::optional<Argument>>& slots,
                         Frame& callee, const Call& call);
    Value inline_function(const FunctionDefinition& f, std::vector<std::optional<Argument>>& slots,
                          const Call& call, bool scalar_region, bool lifted);
    Value spread(const Value& value, const std::vector<ExtentId>& shape, Span span);
    bool collect_yields(const Value& value, std::vector<ir::ValueId>& yields, Span span);
    Value results_of(ir::NodeId node, const Value& inside);

    std::string flag_name(ast::StmtKind kind) const;
    std::vector<std::string> flags() const;
    bool jumped(const Environment& names) const;
    std::optional<Argument> skip_condition(Span span);
    void set_flag(ast::StmtKind kind, Span span);
    void clear_flags();
    void settle_flags();
    bool ends_body(std::span<const ast::StmtId> block) const;
    bool run_in_block(std::span<const ast::StmtId> block, size_t i);
    bool run_if(const ast::Stmt& s, std::span<const ast::StmtId> rest);
    bool run_faulty_if(const ast::Stmt& s);
    void run_assign(const ast::Stmt& s);
    void assign_tuple(const ast::Stmt& s, const Argument& value);
    void run_augment(const ast::Stmt& s);
    void assign_target(const ast::Target& t, const ast::Stmt& s, const Argument& value);
    void update_target(const ast::Target& t, const ast::Stmt& s, const Argument& value);
    void run_expression(const ast::Stmt& s, ast::StmtId id);
    void run_return(const ast::Stmt& s);
    void run_assert(const ast::Stmt& s);
    std::optional<ir::Check> size_check(OpId op, ExtentId a, ExtentId b);
    bool assert_comparison(const ast::Expr& e, const std::string& message, std::vector<Argument>& data);
    void assert_value(const Argument& a, const std::string& message, std::vector<Argument>& data);

    Value declared_result(size_t k, const Argument& a);
    std::vector<Value> split_result(const Argument& a);
    void give_result(const Argument& a, Span span);
    void give_named_results(Span end);
    Value take_result();

    Value placeholder(const Value& other);
    Value unassigned(const std::string& name, const Value& other, ir::RegionId region);
    void join_one(Join& join, Pending& p, const Value& yes, const Value& no);
    void join_names(Join& join, std::vector<Pending> pending);
    bool read_outside(const std::string& name, Span span);
    bool needed(const std::string& name, const Environment& before, const BranchEnds& ends);
    std::vector<Pending> pair_names(Join& join, const Environment& before, const Environment& yes,
                                    const Environment& no, const BranchEnds& ends);

    size_t folded_ = 0;       ///< calls, and operations that left no node
    bool too_large_ = false;  ///< told
    std::vector<TestedRelation> tested_;
    std::vector<std::pair<ExtentId, ExtentId>> equal_;  ///< asserted equalities that are no substitution
    std::map<std::string, ExtentId> substitutions_;     ///< sizes asserted to be others
    /// Checks that the graph has: region, left, right, whether they are to be equal, message.
    std::set<std::tuple<ir::RegionId, ExtentId, ExtentId, bool, std::string>> checks_;
};

/// "write ..." for a function of NumPy or Python that is spelled in another way, or "".
std::string_view foreign_function(std::string_view name);

}  // namespace fuseline::dsl
