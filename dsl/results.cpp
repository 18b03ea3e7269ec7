// The results of a function: returned values, named results, and their declared types.
#include <fmt/format.h>

#include "dsl/checker.h"

namespace fuseline::dsl {

namespace {

constexpr const char* kReturned = "return value";

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

/// The items of a returned value as the signature counts them; empty after a report.
std::vector<Value> Checker::split_result(const Argument& a) {
    const ast::Function& f = *frame->function->ast;
    if (f.results.size() == 1) return {a.value};
    const TupleValue* tuple = a.value.as_tuple();
    if (tuple && tuple->items.size() == f.results.size()) return tuple->items;
    if (!a.value.is_error()) {
        error(a.span, fmt::format("`{}` has {} results: found {}", f.name, f.results.size(), text(a.value)));
    }
    return {};
}

void Checker::give_result(const Argument& a, Span span) {
    const ast::Function& f = *frame->function->ast;
    Value value = a.value;
    if (!f.results.empty()) {
        std::vector<Value> items = split_result(a);
        for (size_t k = 0; k < items.size(); ++k) {
            const Argument item{items[k], a.span, {}, {}};
            if (f.results_named) assign(f.results[k].name, a.span, item.value);
            else items[k] = declared_result(k, item);
        }
        value = items.empty() ? Value() : items.size() == 1 ? items[0] : Value::tuple(std::move(items));
    }
    Binding& b = frame->names[kReturned];
    b.value = std::move(value);
    b.span = span;
    set_flag(ast::StmtKind::return_, span);
}

/// What the body, which has run, gives to its caller.
Value Checker::take_result() {
    const ast::Function& f = *frame->function->ast;
    if (f.results_named) return take_named_results();
    const auto at = frame->names.find(flag_name(ast::StmtKind::return_));
    const bool always = at != frame->names.end() && at->second.value.as<bool>() && *at->second.value.as<bool>();
    if (always) return frame->names[kReturned].value;
    if (frame->faulty) return {};
    if (at == frame->names.end()) error(f.name_span, fmt::format("`{}` gives no result", f.name)).help("end it with `return` and a value");
    else error(f.name_span, fmt::format("`{}` does not give a result on every path", f.name));
    return {};
}

Value Checker::take_named_results() {
    const ast::Function& f = *frame->function->ast;
    std::vector<Value> items;
    std::vector<std::string> names;
    for (size_t k = 0; k < f.results.size(); ++k) {
        const auto at = frame->names.find(f.results[k].name);
        names.push_back(f.results[k].name);
        items.emplace_back();
        if (at == frame->names.end()) {
            if (!frame->faulty) error(f.results[k].name_span, fmt::format("the result `{}` is never assigned", f.results[k].name));
        } else if (!at->second.lost.empty()) {
            error(f.results[k].name_span, fmt::format("the result `{}` is not assigned on every path: {}", f.results[k].name,
                                                      at->second.lost));
        } else {
            items.back() = declared_result(k, {at->second.value, at->second.span, {}, {}});
        }
    }
    if (items.size() == 1) return items[0];
    return Value::tuple(std::move(items), std::move(names));
}

}  // namespace fuseline::dsl
