// The checker: evaluates a function's syntax tree to values and so builds its graph. One Checker builds one graph.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/diagnostics.h"
#include "dsl/ast.h"
#include "dsl/module.h"
#include "dsl/scope.h"
#include "dsl/value.h"

namespace fuseline::dsl {

/// Calls that are inlined may nest this deep, and so may blocks.
inline constexpr int kMaxCallDepth = 100;
inline constexpr int kMaxBlockDepth = 200;

/// A value with the place of the expression that gave it.
struct Argument {
    Value value;
    Span span;
    std::string name;  ///< keyword, "" when positional
    Span name_span;
};

/// What a call says.
struct Call {
    Span span;         ///< the whole call
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
    /// A parameter for a weak or constant scalar that crosses into an entry.
    virtual ir::ValueId cross(const Value& value, DType dtype, std::string_view function, std::string_view parameter) = 0;
};

class Checker {
public:
    Checker(Modules& modules, Diagnostics& diagnostics, std::string graph_name);

    Modules& modules;
    Diagnostics* diagnostics;
    ir::Builder builder;
    Frame* frame = nullptr;
    ScriptHooks* script = nullptr;
    std::set<std::string, std::less<>> script_names;  ///< for messages: names that functions do not see

    ExtentPool& extents() { return builder.extents(); }
    const ast::Expr& expr(ast::ExprId id) const { return frame->tree()[id]; }
    const ast::Stmt& stmt(ast::StmtId id) const { return frame->tree()[id]; }

    // Messages (messages.cpp). Faults inside prelude functions are told at the call.
    DiagnosticBuilder error(Span span, std::string message);
    DiagnosticBuilder not_yet(Span span, std::string_view feature);
    std::string text(const Value& value) const { return describe(value, builder_function()); }
    std::string text(ExtentId e) { return extents().text(e); }
    std::string text(const ir::Type& type) { return type_text(type, extents()); }
    /// Adds "n is bound here" for each size in the extents.
    void note_sizes(DiagnosticBuilder& d, std::initializer_list<ExtentId> sizes);

    // Expressions (expressions.cpp, names.cpp, subscripts.cpp).
    Value evaluate(ast::ExprId id);
    Value name_value(const ast::Expr& e);
    Value literal(const ast::Expr& e);
    Value field(const ast::Expr& e, const Value& base);
    Value subscript(const ast::Expr& e, const Value& base, const std::vector<Value>& indices);
    std::vector<std::string> visible_names() const;

    // Operators on values (operators.cpp).
    Value apply_op(OpId op, const std::vector<Argument>& operands, Span span);
    Value compare(const ast::Expr& e, const std::vector<Argument>& operands);
    Value conditional_select(const Argument& condition, const Argument& yes, const Argument& no, Span span);

    // From values to graph values (convert.cpp).
    /// The value as an array or scalar of its own type (weak ones default); nullopt after a report.
    std::optional<ir::ValueId> typed(const Argument& a);
    /// The value as `dtype`: weak ones convert, typed ones must have it.
    std::optional<ir::ValueId> as_dtype(const Argument& a, DType dtype, std::string_view what);
    /// The type of elements that a number has or would take, nullopt where it is none (reported with `what`).
    std::optional<DType> element_type(const Argument& a, std::string_view what);
    /// A size for a shape or a type; nullopt after a report. Integers that are known on the host only.
    std::optional<ExtentId> as_size(const Argument& a, std::string_view what);
    /// The size expression behind an integer scalar of the graph, if it is one over sizes, parameters and constants.
    std::optional<ExtentId> extent_of(ir::ValueId id);
    Value from_extent(ExtentId e);
    /// A shape argument: an integer or a tuple.
    std::optional<std::vector<ExtentId>> as_shape(const Argument& a);
    std::optional<int64_t> as_constant_integer(const Argument& a, std::string_view what);

    // Shapes (shapes.cpp).
    std::optional<std::vector<ExtentId>> broadcast_shape(const std::vector<ir::ValueId>& values,
                                                         const std::vector<Span>& spans, Span span,
                                                         std::string_view what);
    ir::ValueId broadcast_to(ir::ValueId value, const std::vector<ExtentId>& shape);
    bool same_extent(ExtentId a, ExtentId b);
    bool different_extent(ExtentId a, ExtentId b);
    ExtentId canonical(ExtentId e);
    void assume_equal(ExtentId a, ExtentId b);
    /// Proves left == right (>=), or adds a check at launch; false after a report that it cannot hold.
    bool require_extent(ExtentId left, ir::Check::Relation relation, ExtentId right, std::string message, Span span);
    ir::ValueId filled(ir::ValueId scalar, const std::vector<ExtentId>& shape);

    // Types (types.cpp).
    std::optional<DType> element_dtype(const ast::TypeExpr& type);
    /// A type whose dimensions are all bound.
    std::optional<ir::Type> resolve_type(const ast::TypeExpr& type);
    /// The value checked against a declared type; weak ones convert.
    Value check_declared(const Argument& a, const ir::Type& type, Span type_span, std::string_view what);

    // Calls (calls.cpp, bind.cpp, builtins*.cpp).
    Value call(const ast::Expr& e, const Value& callee, std::vector<Argument> arguments);
    Value call_function(const FunctionDefinition& f, Call call);
    Value call_dtype(DType dtype, const Call& call);
    Value call_elementwise(OpId op, Call call);
    bool match_arguments(const FunctionDefinition& f, Call& call, std::vector<std::optional<Argument>>& slots);
    bool bind_parameters(const FunctionDefinition& f, std::vector<std::optional<Argument>>& slots, Frame& callee,
                         const Call& call);

    // Statements (statements.cpp, branches.cpp, loops.cpp).
    void run_body();
    void run_block(std::span<const ast::StmtId> block);
    void assign(const std::string& name, Span span, Value value);
    Value take_result();
    /// The environments after two branches become one; see branches.cpp.
    struct Merge;
    void branch(const Argument& condition, const std::function<void()>& yes, const std::function<void()>& no,
                bool fill_missing, Span span);
    void run_while(const ast::Stmt& s);
    void run_for(const ast::Stmt& s);
    void run_assert(const ast::Stmt& s);

    // The graph of an entry (entries.cpp).
    std::optional<Entry> build_entry(const FunctionDefinition& f);

    std::map<std::string, Span, std::less<>> symbol_spans;  ///< where each size of the graph is bound
    std::map<uint64_t, DType> loop_types;                   ///< types that earlier trials found for weak names

    /// The function under construction; for types and texts.
    const ir::Function& builder_function() const { return const_cast<ir::Builder&>(builder).function(); }

private:
    std::vector<std::pair<ExtentId, ExtentId>> equal_;      ///< asserted, beside the substitutions
    std::map<std::string, ExtentId> substitutions_;
};

}  // namespace fuseline::dsl
