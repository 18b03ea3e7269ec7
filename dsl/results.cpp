// The results of a function: returned values, named results, and their declared types.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/checker.h"
#include "dsl/walk.h"

namespace fuseline::dsl {

namespace {

std::string result_title(const ast::Function& f, size_t k) {
    if (!f.results[k].name.empty()) return fmt::format("the result `{}`", f.results[k].name);
    return f.results.size() == 1 ? fmt::format("the result of `{}`", f.name)
                                 : fmt::format("result {} of `{}`", k, f.name);
}

}  // namespace

Value Checker::declared_result(size_t k, const Argument& a) {
    const ast::TypeExpr& declared = frame->function->ast->results[k].type;
    const auto type = resolve_type(declared);
    return type ? check_declared(a, *type, declared.span, result_title(*frame->function->ast, k)) : Value();
}

/// The number of values that a function gives: of the signature, or of the tuples that all its results are.
size_t Checker::result_arity() {
    if (frame->result_arity != 0) return frame->result_arity;
    const ast::Function& f = *frame->function->ast;
    const ast::Tree& tree = frame->tree();
    std::optional<size_t> arity;
    const auto meet = [&](ast::ExprId id) {
        const size_t size = tree[id].kind == ast::ExprKind::tuple ? tree[id].operands.size() : 1;
        arity = !arity || *arity == size ? size : 1;
    };
    walk_statements(tree, f.body, [&](const ast::Stmt& s) {
        const bool gives = s.kind == ast::StmtKind::return_ || s.kind == ast::StmtKind::expression;
        if (gives && s.value) meet(s.value);
    });
    frame->result_arity = f.results.empty() ? std::max<size_t>(arity.value_or(1), 1) : f.results.size();
    return frame->result_arity;
}

std::string Checker::result_slot(size_t k) { return fmt::format("return value {}", k); }

/// The items of a returned value, as many as the function's arity; empty after a report.
std::vector<Value> Checker::split_result(const Argument& a) {
    const size_t arity = result_arity();
    if (arity == 1) return {a.value};
    const TupleValue* tuple = a.value.as_tuple();
    if (tuple && tuple->items.size() == arity) return tuple->items;
    if (!a.value.is_error()) {
        error(a.span,
              fmt::format("`{}` has {} results: found {}", frame->function->name(), arity, text(a.value)));
    }
    return {};
}

/// `return e`: each value in its declared type goes to its slot.
void Checker::give_result(const Argument& a, Span span) {
    std::vector<Value> items = split_result(a);
    items.resize(result_arity());
    for (size_t k = 0; k < items.size(); ++k) {
        Binding& slot = frame->names[result_slot(k)];
        slot.span = span;
        const bool declared = !frame->function->ast->results.empty() && !items[k].is_error();
        Value value = declared ? declared_result(k, {items[k], a.span, {}, {}}) : items[k];
        frame->names[result_slot(k)].value = std::move(value);
        frame->names[result_slot(k)].value_span = a.span;
    }
    set_flag(ast::StmtKind::return_, span);
}

/// `return` alone, or the end of the body, where the results have names. `end`: the place of the `return`,
/// unknown at the end.
void Checker::give_named_results(Span end) {
    const ast::Function& f = *frame->function->ast;
    for (size_t k = 0; k < f.results.size(); ++k) {
        const ast::Result& r = f.results[k];
        const auto at = frame->names.find(r.name);
        const bool bound = at != frame->names.end() && at->second.lost.empty();
        Value value;
        if (bound) {
            const Binding& b = at->second;
            value = declared_result(k, {b.value, b.value_span.known() ? b.value_span : b.span, {}, {}});
        } else if (!frame->faulty) {
            const std::string why = at == frame->names.end() ? "" : ": " + at->second.lost;
            auto d = error(
                end.known() ? end : r.name_span,
                end.known()
                    ? fmt::format("the result `{}` is not assigned before this `return`{}", r.name, why)
                : why.empty() ? fmt::format("the result `{}` is never assigned", r.name)
                              : fmt::format("the result `{}` is not assigned on every path{}", r.name, why));
            if (end.known()) d.note(r.name_span, "declared here");
        }
        Binding& slot = frame->names[result_slot(k)];
        slot.value = std::move(value);
        slot.span = end.known() ? end : r.name_span;
    }
    set_flag(ast::StmtKind::return_, f.name_span);
}

/// Runs the body of the frame's function and gives what it hands to its caller.
Value Checker::run_body() {
    const ast::Function& f = *frame->function->ast;
    run_block(f.body);
    const auto skip = f.results_named && !jumped(frame->names) ? skip_condition(f.name_span) : std::nullopt;
    const Value go = skip ? apply_op(OpId::not_, {*skip}, f.name_span) : Value();
    if (const auto* id = go.as<TypedValue>()) {
        const auto end = [&] {
            clear_flags();
            give_named_results({});
        };
        branch(id->id, end, [&] { settle_flags(); }, f.name_span, {});
    }
    return take_result();
}

Value Checker::take_result() {
    const ast::Function& f = *frame->function->ast;
    if (frame->faulty && !jumped(frame->names)) return {};
    if (!jumped(frame->names)) {
        if (frame->names.count(flag_name(ast::StmtKind::return_))) {
            error(f.name_span, fmt::format("`{}` does not give a result on every path", f.name));
        } else {
            error(f.name_span, fmt::format("`{}` gives no result", f.name))
                .help("end it with `return` and a value");
        }
        return {};
    }
    std::vector<Value> items;
    std::vector<std::string> names;
    for (size_t k = 0; k < result_arity(); ++k) {
        items.push_back(frame->names[result_slot(k)].value);
        if (f.results_named) names.push_back(f.results[k].name);
    }
    if (items.size() == 1) return items[0];
    return Value::tuple(std::move(items), std::move(names));
}

}  // namespace fuseline::dsl
