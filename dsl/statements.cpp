// Statements in order: assignments, returns, and blocks whose rest may be skipped.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/branches.h"
#include "dsl/checker.h"
#include "dsl/walk.h"

namespace fuseline::dsl {

std::string Checker::flag_name(ast::StmtKind kind) const {
    if (kind == ast::StmtKind::return_) return "return ";
    return fmt::format("{} {}", kind == ast::StmtKind::break_ ? "break" : "continue", frame->loop_depth);
}

std::vector<std::string> Checker::flags() const {
    return {flag_name(ast::StmtKind::return_), flag_name(ast::StmtKind::break_),
            flag_name(ast::StmtKind::continue_)};
}

/// Whether control has certainly left the block.
bool Checker::jumped(const Environment& names) const {
    const std::vector<std::string> all = flags();
    return std::any_of(all.begin(), all.end(), [&](const std::string& flag) {
        const auto at = names.find(flag);
        return at != names.end() && at->second.value.as<bool>() && *at->second.value.as<bool>();
    });
}

/// The flags that may have been set, known only while running; their `or` is the condition to skip the rest.
std::optional<Argument> Checker::skip_condition(Span span) {
    std::optional<Argument> any;
    for (const std::string& flag : flags()) {
        const auto at = frame->names.find(flag);
        if (at == frame->names.end() || !at->second.value.as<TypedValue>()) continue;
        const Argument one{at->second.value, span, {}, {}};
        any = any ? Argument{apply_op(OpId::or_, {*any, one}, span), span, {}, {}} : one;
    }
    return any;
}

void Checker::set_flag(ast::StmtKind kind, Span span) {
    Binding& b = frame->names[flag_name(kind)];
    b.value = Value(true);
    b.span = span;
}

/// Whether named results are handed over where the block ends.
bool Checker::ends_body(std::span<const ast::StmtId> block) const {
    if (!frame->function || !frame->function->ast->results_named) return false;
    const std::vector<ast::StmtId>& body = frame->function->ast->body;
    return block.data() + block.size() == body.data() + body.size();
}

void Checker::run_block(std::span<const ast::StmtId> block) {
    if (++frame->block_depth > kMaxBlockDepth) {
        const Span whole = frame->function ? frame->function->ast->name_span : Span{};
        error(block.empty() ? whole : stmt(block[0]).span,
              fmt::format("blocks and early returns nest deeper than {} levels", kMaxBlockDepth));
    } else {
        for (size_t i = 0; i < block.size() && !jumped(frame->names); ++i) {
            if (run_in_block(block, i)) break;
        }
        if (ends_body(block) && !jumped(frame->names) && !skip_condition({})) give_named_results({});
    }
    --frame->block_depth;
}

/// Runs one statement; true when it has taken the rest of the block with it.
bool Checker::run_in_block(std::span<const ast::StmtId> block, size_t i) {
    const ast::Stmt& s = stmt(block[i]);
    const auto rest = block.subspan(i + 1);
    if (s.kind == ast::StmtKind::if_) {
        if (run_if(s, rest)) return true;
    } else {
        run_statement(block[i]);
    }
    if (rest.empty() || jumped(frame->names)) return false;
    const auto skip = skip_condition(s.span);
    if (!skip) return false;
    const Value go = apply_op(OpId::not_, {*skip}, s.span);
    if (const auto* id = go.as<TypedValue>()) {
        branch(
            id->id,
            [&] {
                clear_flags();
                run_block(rest);
            },
            [&] { settle_flags(); }, s.span, rest);
    }
    return true;
}

/// Where the rest runs, no flag is set.
void Checker::clear_flags() {
    for (const std::string& flag : flags()) {
        const auto at = frame->names.find(flag);
        if (at != frame->names.end()) at->second.value = Value(false);
    }
}

/// Where the rest is skipped because of one flag, that flag is set.
void Checker::settle_flags() {
    std::vector<Binding*> open;
    for (const std::string& flag : flags()) {
        const auto at = frame->names.find(flag);
        if (at != frame->names.end() && at->second.value.as<TypedValue>()) open.push_back(&at->second);
    }
    if (open.size() == 1) open[0]->value = Value(true);
    frame->skipped = true;
}

/// True when the rest of the block went into the branch that does not jump.
bool Checker::run_if(const ast::Stmt& s, std::span<const ast::StmtId> rest) {
    const Argument condition = argument(s.value);
    if (condition.value.is_error()) return run_faulty_if(s);
    if (const bool* known = condition.value.as<bool>()) {
        run_block(*known ? s.body : s.otherwise);
        return false;
    }
    const auto id = scalar_condition(condition, "where(c, a, b)");
    if (!id) return run_faulty_if(s);
    const bool yes_jumps = always_jumps(frame->tree(), s.body);
    const bool no_jumps = always_jumps(frame->tree(), s.otherwise);
    const auto run = [&](const std::vector<ast::StmtId>& block, bool with_rest) {
        run_block(block);
        if (with_rest) run_block(rest);
    };
    branch(
        *id, [&] { run(s.body, no_jumps); }, [&] { run(s.otherwise, yes_jumps && !no_jumps); }, s.span,
        yes_jumps || no_jumps ? rest : std::span<const ast::StmtId>{});
    return yes_jumps || no_jumps;
}

/// After a faulty condition both blocks are still looked at, and what they assign is unknown.
bool Checker::run_faulty_if(const ast::Stmt& s) {
    Environment before = frame->names;
    for (const auto* block : {&s.body, &s.otherwise}) {
        run_block(*block);
        for (const std::string& name : assigned_names(frame->tree(), *block)) before[name].value = Value();
        frame->names = before;
    }
    return false;
}

std::optional<ir::ValueId> Checker::scalar_condition(const Argument& a, std::string_view instead) {
    const auto dtype = element_type(a, "a condition");
    if (!dtype) return std::nullopt;
    const auto* t = a.value.as<TypedValue>();
    if (t && !builder.type(t->id).scalar()) {
        error(a.span, fmt::format("a condition is a scalar: found {}", text(a.value)))
            .help(fmt::format("for arrays use `{}`", instead));
        return std::nullopt;
    }
    if (is_bool(*dtype) && t) return t->id;
    if (is_bool(*dtype)) return typed(a);
    error(a.span, fmt::format("a condition is a bool: found {}", text(a.value))).help("compare it: `x != 0`");
    return std::nullopt;
}

void Checker::run_statement(ast::StmtId id) {
    const ast::Stmt& s = stmt(id);
    switch (s.kind) {
        case ast::StmtKind::assign: return run_assign(s);
        case ast::StmtKind::augment: return run_augment(s);
        case ast::StmtKind::expression: return run_expression(s, id);
        case ast::StmtKind::while_:
        case ast::StmtKind::for_: return run_loop(s);
        case ast::StmtKind::return_: return run_return(s);
        case ast::StmtKind::assert_: return run_assert(s);
        case ast::StmtKind::break_:
        case ast::StmtKind::continue_:
            if (frame->loop_depth > 0) return set_flag(s.kind, s.span);
            error(s.span, "this stands outside a loop");
            return;
        case ast::StmtKind::if_: break;
    }
    run_if(s, {});
}

void Checker::name_result(ir::ValueId id, const std::string& name) {
    const ir::Node* n = builder.function().definition(id);
    if (n && !n->op.is(ir::Structure::constant_) && !n->op.is(ir::Structure::extent_))
        builder.name_value(id, name);
}

void Checker::assign(const std::string& name, Span span, Value value) {
    const auto at = frame->names.find(name);
    if (at != frame->names.end() && at->second.dimension) {
        error(span, fmt::format("`{}` is a dimension and cannot be assigned", name))
            .note(at->second.span, "bound here");
        return;
    }
    if (const auto* t = value.as<TypedValue>()) name_result(t->id, name);
    if (value.as<MaskedValue>() && !frame->function) {
        not_yet(span, "`x[mask]` that a reduction does not take");
        value = Value();
    }
    if (value.as<MaskedValue>()) {
        error(span,
              fmt::format("`{}` cannot hold {}: how many elements there are is not known", name, text(value)))
            .help("hand `x[mask]` to a reduction, or use `where(mask, x, 0)`");
        value = Value();
    }
    Binding b;
    b.value = std::move(value);
    b.span = span;
    frame->names[name] = std::move(b);
}

void Checker::run_assign(const ast::Stmt& s) {
    Argument value = argument(s.value);
    if (s.type) {
        const auto type = resolve_type(*s.type);
        value.value = type
                          ? check_declared(value, *type, s.type->span, fmt::format("`{}`", s.targets[0].name))
                          : Value();
    }
    if (s.targets.size() == 1) return assign_target(s.targets[0], s, value);
    assign_tuple(s, value);
}

void Checker::assign_tuple(const ast::Stmt& s, const Argument& value) {
    const TupleValue* tuple = value.value.as_tuple();
    const bool fits = tuple && tuple->items.size() == s.targets.size();
    if (!fits && !value.value.is_error()) {
        error(value.span,
              fmt::format("{} names take {}", s.targets.size(),
                          tuple ? fmt::format("{} values", tuple->items.size()) : text(value.value)));
    }
    for (size_t i = 0; i < s.targets.size(); ++i) {
        assign_target(s.targets[i], s, {fits ? tuple->items[i] : Value(), value.span, {}, {}});
    }
}

/// A name, or elements of what a name stands for.
void Checker::assign_target(const ast::Target& t, const ast::Stmt& s, const Argument& value) {
    if (!t.subscripts.empty()) return update_target(t, s, value);
    assign(t.name, t.name_span, value.value);
    frame->names[t.name].value_span = value.span;
}

void Checker::run_augment(const ast::Stmt& s) {
    const ast::Target& t = s.targets[0];
    if (!t.subscripts.empty()) return update_target(t, s, argument(s.value));
    ast::Expr name;
    name.kind = ast::ExprKind::name;
    name.text = t.name;
    name.span = t.name_span;
    const Argument old{name_value(name), t.name_span, {}, {}};
    const Argument value = argument(s.value);
    assign(t.name, t.name_span, apply_op(s.op, {old, value}, s.span));
}

/// The last expression of a body is its result; any other has no use.
void Checker::run_expression(const ast::Stmt& s, ast::StmtId id) {
    const bool last =
        frame->function && !frame->function->ast->body.empty() && frame->function->ast->body.back() == id;
    if (!last) {
        evaluate(s.value);
        error(s.span, "the value of this expression is not used")
            .help("only the last statement of a function may be an expression");
        return;
    }
    give_result(argument(s.value), s.span);
}

void Checker::run_return(const ast::Stmt& s) {
    if (!frame->function) {
        error(s.span, "`return` stands outside a function");
        return;
    }
    if (s.value) return give_result(argument(s.value), s.span);
    if (frame->function->ast->results_named) return give_named_results(s.span);
    error(s.span, "`return` needs a value here");
    set_flag(ast::StmtKind::return_, s.span);
}

}  // namespace fuseline::dsl
