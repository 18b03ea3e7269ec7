// The graph of an entry: sizes and parameters from the signature, the body, the results.
#include "dsl/entries.h"

#include <fmt/format.h>

#include "dsl/weak.h"

namespace fuseline::dsl {

std::optional<Entry> EntryBuilder::run() {
    frame_.module = f_.module;
    frame_.function = &f_;
    c_.frame = &frame_;
    std::optional<Entry> entry;
    if (bind_sizes() && make_parameters()) {
        const Value result = run_body();
        if (!frame_.faulty) entry = finish(result);
    }
    c_.frame = nullptr;
    if (frame_.faulty) return std::nullopt;
    return entry;
}

const ast::Parameter* EntryBuilder::parameter(std::string_view name) const {
    for (const ast::Parameter& p : f_.ast->parameters) {
        if (p.name == name) return &p;
    }
    return nullptr;
}

/// Names in dimensions: integer parameters, plain names, then what an equation of one unknown gives.
bool EntryBuilder::bind_sizes() {
    for (const ast::Parameter& p : f_.ast->parameters) {
        const auto dtype = dtype_named(p.type->name);
        const bool size = p.type->dims.empty() && !p.is_const && dtype && is_integer(*dtype);
        if (size)
            frame_.names[p.name] = {
                Value(SizeValue{c_.extents().symbol(p.name)}), p.name_span, false, true, {}};
    }
    for (const ast::Parameter& p : f_.ast->parameters) {
        for (ast::ExprId dim : p.type->dims) {
            const ast::Expr& e = c_.expr(dim);
            const bool free =
                e.kind == ast::ExprKind::name && !frame_.names.count(e.text) && !parameter(e.text);
            if (free) bind_size(e.text, e.span);
        }
    }
    for (bool progress = true; progress;) {
        progress = false;
        for (const ast::Parameter& p : f_.ast->parameters) {
            for (ast::ExprId dim : p.type->dims) progress |= bind_equation(dim);
        }
    }
    bool sound = true;
    for (const ast::Parameter& p : f_.ast->parameters) {
        for (ast::ExprId dim : p.type->dims) sound &= report_unbound(dim);
    }
    return sound;
}

void EntryBuilder::bind_size(const std::string& name, Span span) {
    frame_.names[name] = {Value(SizeValue{c_.extents().symbol(name)}), span, true, false, {}};
    c_.symbol_spans.emplace(name, span);
}

bool EntryBuilder::bind_equation(ast::ExprId dim) {
    const auto names = unbound_names(c_, dim);
    if (names.size() != 1 || parameter(*names.begin())) return false;
    if (!linear_form(c_, dim, *names.begin())) return false;
    bind_size(*names.begin(), c_.expr(dim).span);
    return true;
}

/// True when every name of the dimension is bound.
bool EntryBuilder::report_unbound(ast::ExprId dim) {
    for (const std::string& name : unbound_names(c_, dim)) {
        if (const ast::Parameter* p = parameter(name)) {
            c_.error(c_.expr(dim).span,
                     fmt::format("a dimension needs an integer, and the parameter `{}` is none", name))
                .note(p->span, "declared here");
        } else {
            c_.error(c_.expr(dim).span, fmt::format("nothing binds the size `{}`", name))
                .help(fmt::format(
                    "a size is bound where it stands alone in a parameter's type, as in `f32[{}]`, or by an "
                    "integer parameter",
                    name));
        }
        return false;
    }
    return true;
}

bool EntryBuilder::make_parameters() {
    bool sound = true;
    std::vector<std::optional<ir::Type>> types;
    for (const ast::Parameter& p : f_.ast->parameters) {
        types.push_back(c_.resolve_type(*p.type));
        sound &= types.back().has_value();
        if (f_.elemental() && !p.type->dims.empty()) {
            c_.error(p.type->span, "the parameters of an elemental function are scalars")
                .help("it maps over arrays wherever it is called");
            sound = false;
        }
    }
    for (size_t i = 0; sound && i < types.size(); ++i)
        sound &= make_parameter(f_.ast->parameters[i], *types[i]);
    return sound;
}

bool EntryBuilder::make_parameter(const ast::Parameter& p, const ir::Type& type) {
    std::optional<Scalar> value;
    Argument given;
    if (p.default_value) {
        given = c_.argument(p.default_value);
        value = default_scalar(p, given, type);
        if (!value) return false;
    }
    if (p.is_const) {
        frame_.names[p.name] = {given.value, p.name_span, false, true, {}};
        slots_.emplace_back(given);
        return true;
    }
    const ir::ValueId id = c_.builder.parameter(p.name, type);
    frame_.names[p.name] = {Value(TypedValue{id}), p.name_span, false, true, {}};
    c_.symbol_spans.emplace(p.name, p.name_span);
    slots_.emplace_back(Argument{Value(TypedValue{id}), p.name_span, {}, {}});
    parameters_.push_back({p.name, type, value.has_value(), value.value_or(Scalar{}), p.span});
    return true;
}

std::optional<Scalar> EntryBuilder::default_scalar(const ast::Parameter& p, const Argument& given,
                                                   const ir::Type& type) {
    if (given.value.is_error()) return std::nullopt;
    if (given.value.constant_number() && type.shape.empty()) {
        std::string why;
        if (const auto s = fit(given.value, type.dtype, why)) return s;
        c_.error(given.span, fmt::format("the default of `{}`: {}", p.name, why))
            .note(p.type->span, "declared here");
        return std::nullopt;
    }
    c_.error(given.span, fmt::format("the default of `{}` is a constant of type {}: found {}", p.name,
                                     c_.text(type), c_.text(given.value)));
    return std::nullopt;
}

/// An elemental function as an entry runs once, on its scalars.
Value EntryBuilder::run_body() {
    if (f_.elemental()) {
        Call call;
        call.name = f_.name();
        return c_.map_elemental(f_, slots_, call);
    }
    return c_.run_body();
}

/// Of the expression that gives result k.
Span EntryBuilder::result_span(size_t k) const {
    const auto slot = frame_.names.find(Checker::result_slot(k));
    if (slot != frame_.names.end() && slot->second.value_span.known()) return slot->second.value_span;
    // The frame of an elemental function is gone.
    if (f_.ast->body.empty()) return f_.ast->name_span;
    const ast::Stmt& last = c_.stmt(f_.ast->body.back());
    const bool gives = last.kind == ast::StmtKind::return_ || last.kind == ast::StmtKind::expression;
    return gives && last.value ? c_.expr(last.value).span : f_.ast->name_span;
}

std::optional<Entry> EntryBuilder::finish(const Value& result) {
    std::vector<Value> items{result};
    std::vector<std::string> names{"result"};
    if (const TupleValue* tuple = result.as_tuple()) {
        items = tuple->items;
        names = tuple->names;
        for (size_t k = names.size(); k < items.size(); ++k) names.push_back(fmt::format("result{}", k));
    } else if (f_.ast->results.size() == 1 && !f_.ast->results[0].name.empty()) {
        names = {f_.ast->results[0].name};
    }
    std::vector<ir::ValueId> yields;
    for (size_t k = 0; k < items.size(); ++k) {
        const auto id = c_.typed({items[k], result_span(k), {}, {}});
        if (!id) return std::nullopt;
        yields.push_back(*id);
    }
    return Entry{f_.name(), c_.builder.finish(std::move(yields), std::move(names)), std::move(parameters_),
                 f_.ast->span};
}

}  // namespace fuseline::dsl
