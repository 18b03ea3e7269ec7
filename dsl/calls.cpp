// Calls: who is called, and calls of types, operators, built-ins and user functions.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dsl/builtins.h"
#include "dsl/checker.h"
#include "dsl/reductions.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

/// What a name means in call position, other than a built-in: a parameter, a type variable, a user's
/// function.
std::optional<Value> Checker::callee_in_scope(std::string_view name) const {
    const auto at = frame->names.find(name);
    if (at != frame->names.end() && at->second.parameter) {
        if (at->second.value.as<FunctionValue>() || at->second.value.as<TypeValue>()) return at->second.value;
    }
    const auto t = frame->type_variables.find(name);
    if (t != frame->type_variables.end()) return Value(TypeValue{t->second});
    if (const FunctionDefinition* f = modules.find(name)) return Value(FunctionValue{f, nullptr, {}});
    return std::nullopt;
}

/// Calls of what this version lacks, or of nothing known: reported before their arguments are looked at.
bool Checker::refuse_callee(const ast::Expr& e) {
    const ast::Expr& callee = expr(e.operands[0]);
    if (callee.kind == ast::ExprKind::field) return refuse_method(e, callee);
    if (callee.kind != ast::ExprKind::name || callee_in_scope(callee.text)) return false;
    const std::string& name = callee.text;
    const auto op = op_named(name);
    if (const Feature* f = find_feature(name)) {
        if (!op || !row(*op).has(kBuilt)) {
            not_yet(callee.span, fmt::format("`{}` ({})", name, f->what));
            return true;
        }
    }
    if (is_script_function(name)) {
        error(callee.span, frame->function
                               ? fmt::format("`{}` is a statement of the script", name)
                               : fmt::format("`{}` stands alone as a statement of the script", name));
        return true;
    }
    if (const auto dtype = dtype_named(name)) {
        if (!row(*dtype).built) not_yet(callee.span, fmt::format("the type {}", name));
        return !row(*dtype).built;
    }
    if (find_builtin(name) || elementwise_function(name)) return false;
    report_unknown_function(callee);
    return true;
}

/// `x.reshape(1)` as `reshape(x, 1)`.
std::string Checker::as_function(const ast::Expr& e, const ast::Expr& callee) const {
    constexpr size_t kMostShown = 40;
    const auto shown = [&](ast::ExprId id, const char* otherwise) {
        std::string text = source_text(expr(id).span);
        const bool group = expr(id).parenthesised && expr(id).kind != ast::ExprKind::tuple;
        if (group && text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
        return text.size() > kMostShown || text.find('\n') != std::string::npos ? otherwise : text;
    };
    std::string arguments = shown(callee.operands[0], "x");
    for (size_t i = 1; i < e.operands.size(); ++i) {
        const std::string keyword = i - 1 < e.names.size() ? e.names[i - 1] : "";
        arguments += ", " + (keyword.empty() ? "" : keyword + "=") + shown(e.operands[i], "...");
    }
    return fmt::format("{}({})", callee.text, arguments);
}

bool Checker::refuse_method(const ast::Expr& e, const ast::Expr& callee) {
    if (callee.text == "dtype") return false;
    const ast::Expr& base = expr(callee.operands[0]);
    auto d = error(e.span, fmt::format("there are no methods: `.{}(...)`", callee.text));
    const bool prefix = base.kind == ast::ExprKind::name &&
                        (base.text == "np" || base.text == "numpy" || base.text == "math");
    const std::string_view other = foreign_function(callee.text);
    if (!other.empty())
        d.help(std::string(other));
    else
        d.help(fmt::format("write `{}`", prefix ? callee.text + "(...)" : as_function(e, callee)));
    return true;
}

void Checker::report_unknown_function(const ast::Expr& callee) {
    const std::string& name = callee.text;
    const auto local = frame->names.find(name);
    if (local != frame->names.end()) {
        if (local->second.value.is_error()) return;
        error(callee.span, fmt::format("`{}` is no function: it is {}", name, text(local->second.value)))
            .note(local->second.span, "bound here");
        return;
    }
    auto d = error(callee.span, fmt::format("unknown function `{}`", name));
    const std::string_view help = foreign_function(name);
    const std::string near = nearest_name(name, function_names());
    if (!help.empty())
        d.help(std::string(help));
    else if (!near.empty())
        d.help(fmt::format("did you mean `{}`?", near));
}

std::vector<std::string> Checker::function_names() const {
    std::vector<std::string> names = builtin_names();
    for (const auto& [name, f] : modules.functions) names.push_back(name);
    for (const DTypeRow& r : kDTypeTable) names.emplace_back(r.name);
    return names;
}

Value Checker::call(const ast::Expr& e, const Value& evaluated, std::vector<Argument> arguments) {
    const ast::Expr& callee = expr(e.operands[0]);
    Call call{e.span, callee.span, callee.kind == ast::ExprKind::name ? callee.text : "this",
              std::move(arguments)};
    Value function = evaluated;
    if (callee.kind == ast::ExprKind::name) {
        const auto local = callee_in_scope(callee.text);
        function = local ? *local : *global_value(callee.text, callee.span);
    }
    if (function.is_error()) return {};
    builder.set_span(e.span);
    return call_value(function, std::move(call));
}

Value Checker::call_value(const Value& function, Call call) {
    if (const auto* type = function.as<TypeValue>()) return call_dtype(type->dtype, call);
    const auto* f = function.as<FunctionValue>();
    if (!f) {
        error(call.callee_span, fmt::format("{} cannot be called", text(function)));
        return {};
    }
    if (f->user) return call_function(*f->user, std::move(call));
    const Builtin* builtin = f->op ? reduction_of(*f->op, call) : f->builtin;
    if (!builtin) return call_elementwise(*f->op, std::move(call));
    const std::string title = fmt::format("`{}`", builtin->name);
    if (!builtin->scalar && refuse_array_code(call.callee_span, title)) return {};
    Slots slots;
    if (!match_slots(*this, call, parameter_list(builtin->parameters), slots)) return {};
    return builtin->run(*this, slots, call);
}

/// True, with a report, in an elemental function, whose values are scalars.
bool Checker::refuse_array_code(Span span, std::string_view what) {
    if (!frame->scalar_region && !frame->lifted) return false;
    error(span, fmt::format("{} is for arrays, and the values of an elemental function are scalars", what))
        .help("leave out `elemental`");
    return true;
}

/// `f32(x)`: a cast of a number or an array.
Value Checker::call_dtype(DType dtype, const Call& call) {
    if (call.arguments.size() != 1 || !call.arguments[0].name.empty()) {
        error(call.span, fmt::format("`{}` takes one value", name(dtype)));
        return {};
    }
    const Argument& a = call.arguments[0];
    if (a.value.is_error()) return {};
    if (a.value.constant_number()) {
        std::string why;
        if (const auto s = cast_constant(a.value, dtype, why))
            return Value(TypedValue{builder.constant(dtype, *s)});
        error(a.span, why);
        return {};
    }
    const auto own = element_type(a, fmt::format("`{}`", name(dtype)));
    if (!own) return {};
    const auto id = as_dtype(a, *own, "a cast");
    return id ? Value(TypedValue{builder.cast(*id, dtype)}) : Value();
}

/// Elementwise functions by position or by NumPy's names; `min` and `max` take two or more.
Value Checker::call_elementwise(OpId op, Call call) {
    const bool folds = (op == OpId::min_ || op == OpId::max_) && call.arguments.size() > 2;
    const bool keywords = std::any_of(call.arguments.begin(), call.arguments.end(),
                                      [](const Argument& a) { return !a.name.empty(); });
    if (folds && !keywords) {
        Argument all = call.arguments[0];
        for (size_t i = 1; i < call.arguments.size(); ++i) {
            all = {apply_op(op, {all, call.arguments[i]}, call.span),
                   cover(all.span, call.arguments[i].span),
                   {},
                   {}};
        }
        return all.value;
    }
    Slots slots;
    if (!match_slots(*this, call, parameter_list(row(op).parameters), slots)) return {};
    std::vector<Argument> operands;
    for (auto& slot : slots) operands.push_back(std::move(*slot));
    return apply_op(op, operands, call.span);
}

Value Checker::call_function(const FunctionDefinition& f, Call call) {
    if (f.recursive || f.failed) return {};
    if (f.ast->kind == ast::FunctionKind::external) {
        not_yet(call.callee_span, "a call of an `extern fn`");
        return {};
    }
    if (frame->call_depth >= kMaxCallDepth) {
        error(call.span, fmt::format("calls nest deeper than {} levels", kMaxCallDepth));
        return {};
    }
    if (builder.function().node_count() + ++folded_ > kMaxOperations) {
        if (!std::exchange(too_large_, true)) {
            error(call.span, fmt::format("calls inside calls make this program larger than {} operations",
                                         kMaxOperations));
        }
        return {};
    }
    if ((frame->scalar_region || frame->lifted) && !f.elemental()) {
        error(call.callee_span,
              fmt::format("an elemental function calls elemental functions only, and `{}` is none", f.name()))
            .note(f.ast->name_span, "defined here");
        return {};
    }
    std::vector<std::optional<Argument>> slots;
    if (!match_arguments(f, call, slots)) return {};
    if (f.elemental() && !frame->scalar_region) return map_elemental(f, slots, call);
    return inline_function(f, slots, call, frame->scalar_region, false);
}

/// Runs the body in a frame of its own.
Value Checker::inline_function(const FunctionDefinition& f, std::vector<std::optional<Argument>>& slots,
                               const Call& call, bool scalar_region, bool lifted) {
    Frame callee;
    callee.module = f.module;
    callee.function = &f;
    callee.caller = frame;
    callee.call = call.span;
    callee.scalar_region = scalar_region;
    callee.lifted = lifted;
    callee.call_depth = frame->call_depth + 1;
    callee.block_depth = frame->block_depth;
    callee.body_depth = frame->block_depth + 1;
    const Span before = builder.current_span();
    Value result;
    if (bind_parameters(f, slots, callee, call)) {
        modules.find(f.name())->elaborated = true;
        frame = &callee;
        result = run_body();
        frame = callee.caller;
    }
    builder.set_span(before);
    return result;
}

}  // namespace fuseline::dsl
