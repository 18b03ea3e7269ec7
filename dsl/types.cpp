// Declared types: element types, dimensions, and values checked against them.
#include <fmt/format.h>

#include "dsl/bind.h"
#include "dsl/checker.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

std::vector<std::string> dtype_names() {
    std::vector<std::string> names;
    for (const DTypeRow& r : kDTypeTable) names.emplace_back(r.name);
    return names;
}

}  // namespace

/// A name of one letter and digits like `f23` is a misspelt type; other names may be type variables.
std::string near_dtype(std::string_view name) {
    const bool digits = name.find_first_of("0123456789") != std::string_view::npos;
    const bool word = name == "float" || name == "int" || name == "double" || name == "boolean";
    if (word) return name == "int" ? "i64" : name == "boolean" ? "bool" : name == "float" ? "f32" : "f64";
    std::string near = nearest_name(name, dtype_names());
    if (near.empty() && digits && name.size() >= 3) {
        for (const std::string& candidate : dtype_names()) {
            if (candidate[0] == name[0] && candidate.size() == name.size()) return candidate;
        }
        return "f32";
    }
    return near;
}

std::optional<DType> Checker::element_dtype(const ast::TypeExpr& type) {
    if (const auto t = frame->type_variables.find(type.name); t != frame->type_variables.end())
        return t->second;
    if (const auto d = dtype_named(type.name)) {
        if (row(*d).built) return d;
        not_yet(type.name_span, fmt::format("the type {}", type.name));
        return std::nullopt;
    }
    const std::string near = near_dtype(type.name);
    auto d = error(type.name_span, fmt::format("unknown type `{}`", type.name));
    if (!near.empty()) d.help(fmt::format("did you mean `{}`?", near));
    return std::nullopt;
}

/// True after a report of a name in a dimension that stands for nothing.
bool Checker::report_unbound(ast::ExprId dim) {
    for (const std::string& name : unbound_names(*this, dim)) {
        if (global_value(name, expr(dim).span)) continue;
        auto d = error(expr(dim).span, fmt::format("nothing binds the size `{}`", name));
        const std::string near = nearest_name(name, local_sizes());
        if (!near.empty())
            d.help(fmt::format("did you mean `{}`?", near));
        else
            d.help(fmt::format(
                "a size is bound where it stands alone in a parameter's type, as in `f32[{}]`, or by an "
                "integer parameter",
                name));
        return true;
    }
    return false;
}

std::optional<ExtentId> Checker::declared_size(ast::ExprId dim) {
    return report_unbound(dim) ? std::nullopt : as_size(argument(dim), "a dimension");
}

std::vector<std::string> Checker::local_sizes() const {
    std::vector<std::string> names;
    for (const auto& [name, binding] : frame->names) {
        if (name.size() > 1 && (binding.dimension || binding.value.as<SizeValue>())) names.push_back(name);
    }
    return names;
}

std::optional<ir::Type> Checker::resolve_type(const ast::TypeExpr& type) {
    const auto dtype = element_dtype(type);
    ir::Type out{ir::TypeKind::value, dtype.value_or(DType::f32_), {}};
    bool sound = dtype.has_value();
    for (ast::ExprId dim : type.dims) {
        const auto size = declared_size(dim);
        sound &= size && require_size(*size, expr(dim).span);
        out.shape.push_back(size.value_or(ExtentId{}));
    }
    return sound ? std::optional(out) : std::nullopt;
}

Value Checker::check_declared(const Argument& a, const ir::Type& type, Span type_span,
                              std::string_view what) {
    if (a.value.is_error()) return {};
    const auto mismatch = [&]() -> DiagnosticBuilder {
        auto d = error(a.span, fmt::format("{} is declared {}: found {}", what, text(type), text(a.value)));
        d.note(type_span, "declared here");
        return d;
    };
    if (!a.value.number()) return mismatch(), Value();
    const auto own = element_type(a, what);
    if (!own) return {};
    const auto* t = a.value.as<TypedValue>();
    const std::vector<ExtentId> shape = t ? builder.type(t->id).shape : std::vector<ExtentId>{};
    const bool lifted_scalar = frame->lifted && type.shape.empty();
    if (!lifted_scalar && shape.size() != type.shape.size()) {
        auto d = mismatch();
        if (shape.empty()) d.help(fmt::format("fill an array: `full({}, ...)`", shape_text(type.shape)));
        return {};
    }
    if (t && *own != type.dtype) {
        mismatch().help(fmt::format("cast it: `{}(...)`", name(type.dtype)));
        return {};
    }
    builder.set_span(a.span);
    const auto id = as_dtype(a, type.dtype, what);
    if (!id || lifted_scalar) return id ? Value(TypedValue{*id}) : Value();
    for (size_t k = 0; k < shape.size(); ++k) {
        const std::string message = shape.size() == 1 ? fmt::format("the length of {}", what)
                                                      : fmt::format("extent {} of {}", k, what);
        if (!require_extent(shape[k], ir::Check::Relation::equal, type.shape[k], message, a.span)) return {};
    }
    return Value(TypedValue{broadcast_to(*id, type.shape)});
}

std::string Checker::shape_text(const std::vector<ExtentId>& shape) {
    std::string inner;
    for (ExtentId e : shape) inner += (inner.empty() ? "" : ", ") + text(e);
    return shape.size() == 1 ? inner : "(" + inner + ")";
}

}  // namespace fuseline::dsl
