// Parameters of a call that is inlined: types, type variables, and dimensions bound by the arguments' shapes.
#include <fmt/format.h>

#include "dsl/bind.h"
#include "dsl/walk.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

bool Checker::bind_parameters(const FunctionDefinition& f, std::vector<std::optional<Argument>>& slots,
                              Frame& callee, const Call& call) {
    return ParameterBinder(*this, f, slots, callee, call).run();
}

/// Values first (defaults may use earlier parameters), then element types, then dimensions.
bool ParameterBinder::run() {
    bool sound = true;
    for (size_t i = 0; i < f_.ast->parameters.size(); ++i) sound &= fill_default(i);
    for (size_t i = 0; sound && i < f_.ast->parameters.size(); ++i) sound &= bind_type_variable(i, true);
    for (size_t i = 0; sound && i < f_.ast->parameters.size(); ++i) sound &= bind_type_variable(i, false);
    for (size_t i = 0; sound && i < f_.ast->parameters.size(); ++i) sound &= bind_value(i);
    return sound && bind_dimensions();
}

/// `none` and constants; a default sees the parameters before it.
bool ParameterBinder::fill_default(size_t i) {
    const ast::Parameter& p = f_.ast->parameters[i];
    if (!slots_[i]) {
        Frame* const outer = c_.frame;
        c_.frame = &callee_;
        Argument a = c_.argument(p.default_value);
        c_.frame = outer;
        a.span = p.span;
        slots_[i] = std::move(a);
    }
    const Value& value = slots_[i]->value;
    if (!p.type || p.is_const) {
        callee_.names[p.name] = {value, p.name_span, false, true, {}};
    }
    if (p.is_const && !value.is_error() && !value.compile_time()) {
        c_.error(slots_[i]->span,
                 fmt::format("`{}` of `{}` is `const`: found {}, which is not known at compile time", p.name,
                             f_.name(), c_.text(value)))
            .note(p.span, "declared here");
        return false;
    }
    return !value.is_error();
}

/// A name in place of an element type takes the argument's; typed arguments before weak ones.
bool ParameterBinder::bind_type_variable(size_t i, bool typed_only) {
    const ast::Parameter& p = f_.ast->parameters[i];
    if (!p.type || dtype_named(p.type->name) || callee_.type_variables.count(p.type->name)) return true;
    if (!near_dtype(p.type->name).empty())
        return with_callee([&] { return c_.element_dtype(*p.type).has_value(); });
    if (typed_only && !slots_[i]->value.as<TypedValue>()) return true;
    const auto dtype = c_.element_type(*slots_[i], fmt::format("`{}` of `{}`", p.name, f_.name()));
    if (dtype) callee_.type_variables[p.type->name] = *dtype;
    return dtype.has_value();
}

std::string ParameterBinder::title(const ast::Parameter& p) const {
    return fmt::format("`{}` of `{}`", p.name, f_.name());
}

DiagnosticBuilder ParameterBinder::mismatch(const ast::Parameter& p, const Argument& a) {
    auto d =
        c_.error(a.span, fmt::format("{} is {}: found {}", title(p), declared_text(p), c_.text(a.value)));
    d.note(p.type->span, "declared here");
    return d;
}

/// The parameter's type as it is written, with type variables by their type.
std::string ParameterBinder::declared_text(const ast::Parameter& p) const {
    std::string dims;
    for (ast::ExprId dim : p.type->dims)
        dims += (dims.empty() ? "" : ", ") + c_.source_text(f_.module->tree[dim].span);
    const auto t = callee_.type_variables.find(p.type->name);
    const std::string element =
        t == callee_.type_variables.end() ? p.type->name : std::string(name(t->second));
    return dims.empty() ? element : element + "[" + dims + "]";
}

bool ParameterBinder::bind_value(size_t i) {
    const ast::Parameter& p = f_.ast->parameters[i];
    if (!p.type) return true;
    const Argument& a = *slots_[i];
    const auto dtype = with_callee([&] { return c_.element_dtype(*p.type); });
    if (!dtype) return false;
    if (!a.value.number()) return mismatch(p, a), false;
    if (p.is_const) return bind_constant(p, a, *dtype);
    const auto* t = a.value.as<TypedValue>();
    if (t && c_.builder.type(t->id).dtype != *dtype) {
        mismatch(p, a).help(fmt::format("cast it: `{}(...)`", name(*dtype)));
        return false;
    }
    const size_t rank = t ? c_.builder.type(t->id).rank() : 0;
    if (rank != p.type->dims.size() && !callee_.lifted) {
        auto d = mismatch(p, a);
        if (f_.elemental()) d.help("an elemental function takes scalars here");
        return false;
    }
    const auto id = element_value(p, a, *dtype);
    if (!id) return false;
    callee_.names[p.name] = {Value(TypedValue{*id}), p.name_span, false, true, {}};
    for (size_t k = 0; k < p.type->dims.size(); ++k) {
        dims_.push_back({&p, p.type->dims[k], c_.builder.type(*id).shape[k], &a});
    }
    return true;
}

bool ParameterBinder::bind_constant(const ast::Parameter& p, const Argument& a, DType dtype) {
    std::string why;
    if (fit(a.value, dtype, why)) return true;
    c_.error(a.span, fmt::format("{} is {}: {}", title(p), name(dtype), why))
        .note(p.type->span, "declared here");
    return false;
}

/// In a script, constants that cross into an entry are arguments of the graph, not text of its kernels.
std::optional<ir::ValueId> ParameterBinder::element_value(const ast::Parameter& p, const Argument& a,
                                                          DType dtype) {
    const bool from_script = c_.script && !c_.frame->function && !is_generic(*f_.ast) && !f_.module->prelude;
    if (from_script && a.value.constant_number()) {
        std::string why;
        if (fit(a.value, dtype, why)) return c_.script->cross(a.value, dtype, f_.name(), p.name);
    }
    return c_.as_dtype(a, dtype, title(p));
}

bool ParameterBinder::bind_dimensions() {
    for (Dimension& d : dims_) bind_plain(d);
    bool sound = true;
    for (bool progress = true; progress;) {
        progress = false;
        for (Dimension& d : dims_) {
            if (d.done || !bind_solved(d, sound)) continue;
            progress = true;
        }
    }
    for (Dimension& d : dims_) sound &= d.done || test(d);
    return sound;
}

/// A plain name that nothing has bound takes the extent.
void ParameterBinder::bind_plain(Dimension& d) {
    const ast::Expr& e = f_.module->tree[d.expr];
    if (e.kind != ast::ExprKind::name || callee_.names.count(e.text)) return;
    callee_.names[e.text] = {c_.from_extent(d.actual), e.span, true, false, {}};
    d.done = true;
}

std::set<std::string> unbound_names(const Checker& c, ast::ExprId id) {
    std::set<std::string> names;
    walk_expression(c.frame->tree(), id, [&](const ast::Expr& e) {
        if (e.kind == ast::ExprKind::name && !c.frame->names.count(e.text)) names.insert(e.text);
        return true;
    });
    return names;
}

/// c * name + d == extent gives the name; whether the extent is of that form goes to `sound`.
bool ParameterBinder::bind_solved(Dimension& d, bool& sound) {
    const std::set<std::string> names = with_callee([&] { return unbound_names(c_, d.expr); });
    if (names.size() != 1) return false;
    const std::string& unknown = *names.begin();
    const auto form = with_callee([&] { return linear_form(c_, d.expr, unknown); });
    if (!form) return false;
    ExtentPool& pool = c_.extents();
    const ExtentId n = pool.floordiv(pool.sub(d.actual, form->offset), form->coefficient);
    callee_.names[unknown] = {c_.from_extent(n), f_.module->tree[d.expr].span, true, false, {}};
    d.done = true;
    const std::string dim = c_.source_text(f_.module->tree[d.expr].span);
    const std::string help = fmt::format("no `{}` makes `{}` equal to {}", unknown, dim, c_.text(d.actual));
    sound &= require(d, pool.add(pool.mul(form->coefficient, n), form->offset), help) &&
             c_.require_size(n, d.argument->span);
    return true;
}

bool ParameterBinder::test(const Dimension& d) {
    const auto declared = with_callee([&] { return c_.declared_size(d.expr); });
    if (!declared) return false;
    const ast::Expr& e = f_.module->tree[d.expr];
    const bool literal = e.kind == ast::ExprKind::integer;
    return require(d, *declared,
                   literal ? ""
                           : fmt::format("`{}` is {} here, and the argument has {}", c_.source_text(e.span),
                                         c_.text(*declared), c_.text(d.actual)));
}

/// The argument's extent is the declared one: proved, tested at launch, or reported.
bool ParameterBinder::require(const Dimension& d, ExtentId declared, const std::string& help) {
    if (c_.different_extent(d.actual, declared)) {
        auto report = mismatch(*d.parameter, *d.argument);
        if (!help.empty()) report.help(help);
        return false;
    }
    const std::string message = fmt::format("{} is {}", title(*d.parameter), declared_text(*d.parameter));
    return c_.require_extent(d.actual, ir::Check::Relation::equal, declared, message, d.argument->span);
}

std::optional<LinearForm> linear_form(Checker& c, ast::ExprId id, const std::string& unknown) {
    // No program spells a name with a space.
    const std::string symbol = "unknown " + unknown;
    c.frame->names[unknown] = {Value(SizeValue{c.extents().symbol(symbol)}), {}, true, false, {}};
    const Argument a = c.argument(id);
    c.frame->names.erase(unknown);
    const auto* size = a.value.as<SizeValue>();
    if (!size) return std::nullopt;
    ExtentPool& pool = c.extents();
    const ExtentId offset = pool.substitute(size->extent, {{symbol, pool.constant(0)}});
    const ExtentId at_one = pool.substitute(size->extent, {{symbol, pool.constant(1)}});
    const ExtentId coefficient = pool.sub(at_one, offset);
    const ExtentId form = pool.add(pool.mul(coefficient, pool.symbol(symbol)), offset);
    if (form != size->extent || coefficient == pool.constant(0)) return std::nullopt;
    return LinearForm{coefficient, offset};
}

}  // namespace fuseline::dsl
