// What names, literals and fields stand for.
#include <fmt/format.h>

#include "dsl/builtins.h"
#include "dsl/checker.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

Value Checker::literal(const ast::Expr& e) {
    switch (e.kind) {
        case ast::ExprKind::integer:
            if (auto z = parse_integer(e.text)) return Value(std::move(*z));
            error(e.span, "the integer is too large");
            return {};
        case ast::ExprKind::floating: return Value(parse_floating(e.text));
        case ast::ExprKind::boolean: return Value(e.text == "true");
        case ast::ExprKind::string: return Value(TextValue{e.text});
        case ast::ExprKind::none: return Value(NoneValue{});
        default: break;
    }
    error(e.span, "an expression is expected here");
    return {};
}

namespace {

bool hidden(std::string_view name) { return name.find(' ') != std::string_view::npos; }

/// Spellings of other languages.
struct Spelling {
    std::string_view name, help;
};
constexpr Spelling kForeignNames[] = {
    {"True", "write `true`"},
    {"False", "write `false`"},
    {"None", "write `none`"},
    {"null", "write `none`"},
    {"np", "functions need no prefix: write `exp(x)`"},
    {"numpy", "functions need no prefix: write `exp(x)`"},
    {"math", "functions need no prefix: write `exp(x)`"},
    {"float", "write `f32` or `f64`"},
    {"int", "write `i64`"},
    {"float32", "write `f32`"},
    {"float64", "write `f64`"},
    {"int64", "write `i64`"},
    {"double", "write `f64`"},
};
constexpr Spelling kForeignFunctions[] = {
    {"len", "write `x.shape[0]`"},
    {"power", "write `x ** y`"},
    {"arcsin", "write `asin(x)`"},
    {"arccos", "write `acos(x)`"},
    {"arctan", "write `atan(x)`"},
    {"arctan2", "write `atan2(y, x)`"},
    {"maximum", "write `max(x, y)`"},
    {"minimum", "write `min(x, y)`"},
    {"absolute", "write `abs(x)`"},
    {"fabs", "write `abs(x)`"},
    {"ln", "write `log(x)`"},
    {"pow", "write `x ** y`"},
    {"mod", "write `x % y`"},
    {"add", "write `x + y`"},
    {"range", "write `a..b` after `in`, or `arange(n)`"},
    {"int", "write `i64(x)`"},
    {"float", "write `f64(x)`"},
    {"double", "write `f64(x)`"},
    {"int32", "write `i32(x)`"},
    {"int64", "write `i64(x)`"},
    {"float32", "write `f32(x)`"},
    {"float64", "write `f64(x)`"},
    {"size", "write `x.shape[0]`, or multiply the extents"},
    {"ndim", "write `x.rank`"},
    {"astype", "write `f32(x)`"},
    {"negative", "write `-x`"},
    {"divide", "write `x / y`"},
    {"multiply", "write `x * y`"},
    {"subtract", "write `x - y`"},
    {"logical_and", "write `x and y`"},
    {"logical_or", "write `x or y`"},
    {"logical_not", "write `not x`"},
    {"empty", "write `zeros(shape)`"},
    {"amin", "write `min(x)`"},
    {"amax", "write `max(x)`"},
    {"average", "write `mean(x)`"},
    {"product", "write `prod(x)`"},
    {"corrcoef", "write `corr(x)`"},
    {"inner", "write `dot(x, y)`"},
    {"vdot", "write `dot(x, y)`"},
    {"nansum", "write `sum(x, where=not isnan(x))`"},
    {"nanmean", "write `mean(x, where=not isnan(x))`"},
    {"nanmin", "write `min(x, where=not isnan(x))`"},
    {"nanmax", "write `max(x, where=not isnan(x))`"},
};

template <size_t N>
std::string_view foreign(const Spelling (&table)[N], std::string_view name) {
    for (const Spelling& s : table) {
        if (s.name == name) return s.help;
    }
    return {};
}

}  // namespace

std::string_view foreign_function(std::string_view name) { return foreign(kForeignFunctions, name); }

std::vector<std::string> Checker::visible_names() const {
    std::vector<std::string> names;
    for (const auto& [name, binding] : frame->names) {
        if (!hidden(name)) names.push_back(name);
    }
    for (const auto& [name, dtype] : frame->type_variables) names.push_back(name);
    for (const char* name : {"e", "inf", "nan", "pi"}) names.push_back(name);
    for (const auto& [name, f] : modules.functions) names.push_back(name);
    for (const auto& [name, f] : modules.prelude) names.push_back(name);
    return names;
}

Value Checker::name_value(const ast::Expr& e) {
    const auto at = frame->names.find(e.text);
    if (at != frame->names.end()) {
        const Binding& b = at->second;
        if (!b.lost.empty()) {
            error(e.span, fmt::format("`{}` has no value here: {}", e.text, b.lost))
                .note(b.span, "assigned here");
            return {};
        }
        return fetched(b.value);
    }
    if (const auto t = frame->type_variables.find(e.text); t != frame->type_variables.end()) {
        return Value(TypeValue{t->second});
    }
    if (auto v = global_value(e.text, e.span)) return *v;
    report_unknown(e);
    return {};
}

/// Values that earlier steps of the script have stored, alone or in a tuple, as values of this graph.
Value Checker::fetched(const Value& value) {
    if (const auto* stored = value.as<StoredValue>()) return script->fetch(*stored);
    const TupleValue* tuple = value.as_tuple();
    if (!script || frame->function || !tuple) return value;
    std::vector<Value> items;
    for (const Value& item : tuple->items) items.push_back(fetched(item));
    return Value::tuple(std::move(items), tuple->names);
}

std::optional<Value> Checker::global_value(std::string_view name, Span span) {
    if (const FunctionDefinition* f = modules.find(name)) return Value(FunctionValue{f, nullptr, {}});
    if (const auto c = named_constant(name)) return Value(*c);
    if (const auto d = dtype_named(name)) {
        if (row(*d).built) return Value(TypeValue{*d});
        not_yet(span, fmt::format("the type {}", name));
        return Value();
    }
    if (const Builtin* b = find_builtin(name)) return Value(FunctionValue{nullptr, b, {}});
    if (const auto op = elementwise_function(name)) return Value(FunctionValue{nullptr, nullptr, *op});
    if (const Feature* f = find_feature(name)) {
        not_yet(span, fmt::format("`{}` ({})", name, f->what));
        return Value();
    }
    return std::nullopt;
}

void Checker::report_unknown(const ast::Expr& e) {
    if (frame->function && script_names.count(e.text)) {
        error(e.span, fmt::format("`{}` is a name of the script, which functions do not see", e.text))
            .help(fmt::format("make it a parameter of `{}`", frame->function->name()));
        return;
    }
    auto d = error(e.span, fmt::format("unknown name `{}`", e.text));
    const std::string_view help = foreign(kForeignNames, e.text);
    if (!help.empty()) {
        d.help(std::string(help));
        return;
    }
    const std::string near = nearest_name(e.text, visible_names());
    if (!near.empty()) d.help(fmt::format("did you mean `{}`?", near));
}

namespace {

constexpr const char* kFields = "arrays have the fields `shape`, `dtype`, `rank` and `T`";

}  // namespace

/// `f(x).call`, `x.shape`, `x.dtype`, `x.rank`, `x.T`.
Value Checker::field(const ast::Expr& e, const Value& base) {
    if (base.is_error()) return {};
    if (const auto* tuple = base.as_tuple(); tuple && !tuple->names.empty()) {
        for (size_t i = 0; i < tuple->names.size(); ++i) {
            if (tuple->names[i] == e.text) return tuple->items[i];
        }
        auto d = error(e.op_span, fmt::format("there is no result `{}`", e.text));
        const std::string near = nearest_name(e.text, tuple->names);
        if (!near.empty()) d.help(fmt::format("did you mean `{}`?", near));
        return {};
    }
    const Argument a{base, expr(e.operands[0]).span, {}, {}};
    if (e.text == "shape" && base.number()) return shape_of(a);
    if (e.text == "rank" && base.number())
        return Value::integer(static_cast<int64_t>(shape_of(a).as_tuple()->items.size()));
    if (e.text == "dtype" && base.number()) return dtype_of(a);
    if (e.text == "T" && base.number()) return transposed(e, a);
    auto d = error(e.op_span, fmt::format("{} has no field `{}`", text(base), e.text));
    if (e.text == "ndim")
        d.help("write `x.rank`");
    else if (e.text == "size")
        d.help("multiply the extents, as in `x.shape[0] * x.shape[1]`");
    else
        d.help(kFields);
    return {};
}

/// `x.T`, for two axes.
Value Checker::transposed(const ast::Expr& e, const Argument& a) {
    if (refuse_array_code(e.span, "`.T`")) return {};
    const auto* t = a.value.as<TypedValue>();
    const ir::Type type = t ? builder.type(t->id) : ir::Type{};
    if (type.rank() != 2) {
        error(e.span, fmt::format("`.T` needs an array of two axes: found {}", text(a.value)))
            .help("write `transpose(x, axes=...)` or `swapaxes(x, -1, -2)`");
        return {};
    }
    builder.set_span(e.span);
    const ExtentId one = extents().constant(1);
    ir::IndexMap map{{{}, {{1, one}}}, {{}, {{0, one}}}};
    return Value(TypedValue{builder.view(t->id, std::move(map), {type.shape[1], type.shape[0]})});
}

Value Checker::shape_of(const Argument& a) {
    std::vector<Value> items;
    if (const auto* t = a.value.as<TypedValue>()) {
        for (ExtentId e : builder.type(t->id).shape) items.push_back(from_extent(e));
    }
    return Value::tuple(std::move(items));
}

Value Checker::dtype_of(const Argument& a) {
    const auto dtype = element_type(a, "`dtype`");
    return dtype ? Value(TypeValue{*dtype}) : Value();
}

}  // namespace fuseline::dsl
