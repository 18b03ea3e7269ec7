// From values of the checker to values of the graph: weak numbers take a type, integers become sizes.
#include <fmt/format.h>

#include "dsl/checker.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

/// Whether a weak number of type `weak` may stand where `wanted` is asked for: integers for numbers, floats
/// for floats.
bool weak_converts(DType weak, DType wanted) {
    if (is_float(weak)) return is_float(wanted);
    return !is_bool(wanted);
}

}  // namespace

std::optional<DType> Checker::element_type(const Argument& a, std::string_view what) {
    if (a.value.is_error()) return std::nullopt;
    if (a.value.constant_number()) return default_dtype(a.value);
    if (a.value.as<SizeValue>()) return DType::i64_;
    if (const auto* weak = a.value.as<WeakValue>()) return builder.type(weak->id).dtype;
    if (const auto* typed = a.value.as<TypedValue>()) return builder.type(typed->id).dtype;
    error(a.span, fmt::format("{} needs a number or an array: found {}", what, text(a.value)));
    return std::nullopt;
}

std::optional<ir::ValueId> Checker::typed(const Argument& a) {
    if (const auto* t = a.value.as<TypedValue>()) return t->id;
    const auto dtype = element_type(a, "this");
    if (!dtype) return std::nullopt;
    return as_dtype(a, *dtype, "this");
}

std::optional<ir::ValueId> Checker::as_dtype(const Argument& a, DType dtype, std::string_view what) {
    const auto own = element_type(a, what);
    if (!own) return std::nullopt;
    if (a.value.constant_number()) {
        std::string why;
        if (const auto scalar = fit(a.value, dtype, why)) return builder.constant(dtype, *scalar);
        error(a.span, fmt::format("{}: {} needs {}", why, what, name(dtype)));
        return std::nullopt;
    }
    if (a.value.weak()) {
        const auto* size = a.value.as<SizeValue>();
        const ir::ValueId id = size ? builder.extent(size->extent) : a.value.as<WeakValue>()->id;
        if (weak_converts(*own, dtype)) return builder.cast(id, dtype);
    } else if (*own == dtype) {
        return a.value.as<TypedValue>()->id;
    }
    error(a.span, fmt::format("{} needs {}: found {}", what, name(dtype), text(a.value)))
        .help(fmt::format("cast it: `{}(...)`", name(dtype)));
    return std::nullopt;
}

Value Checker::from_extent(ExtentId e) {
    if (const auto c = extents().constant_value(e)) return Value::integer(*c);
    return Value(SizeValue{e});
}

std::optional<ExtentId> Checker::combine_sizes(OpId op, ExtentId a, ExtentId b) {
    switch (row(op).size) {
        case SizeRule::add: return extents().add(a, b);
        case SizeRule::sub: return extents().sub(a, b);
        case SizeRule::mul: return extents().mul(a, b);
        case SizeRule::floordiv: return extents().floordiv(a, b);
        case SizeRule::mod: return extents().mod(a, b);
        case SizeRule::min: return extents().min(a, b);
        case SizeRule::max: return extents().max(a, b);
        case SizeRule::none:
        case SizeRule::negate:
        case SizeRule::same: break;
    }
    return std::nullopt;
}

namespace {

constexpr int kMaxSizeNodes = 256;  ///< a size expression of the graph that is read back has no more

}  // namespace

/// Reads the operator tree behind `id` in post-order; every leaf is a constant, an extent or a parameter.
std::optional<ExtentId> Checker::extent_of(ir::ValueId id) {
    const ir::Function& f = builder.function();
    std::vector<std::pair<ir::ValueId, bool>> todo{{id, false}};
    std::vector<ExtentId> done;
    for (int budget = kMaxSizeNodes; !todo.empty(); --budget) {
        const auto [v, operands_done] = todo.back();
        todo.pop_back();
        if (budget == 0 || f.type(v).rank() != 0 || !is_integer(f.type(v).dtype)) return std::nullopt;
        const ir::Node* n = f.definition(v);
        if (!n) {
            const auto name = parameter_size(v);
            if (!name) return std::nullopt;
            done.push_back(*name);
        } else if (n->op.is(ir::Structure::extent_)) {
            done.push_back(std::get<ExtentId>(n->attribute));
        } else if (n->op.is(ir::Structure::constant_)) {
            done.push_back(extents().constant(std::get<Scalar>(n->attribute).as_i64()));
        } else if (!n->op.elementwise() || n->operands_count > 2 || f.type(v).dtype != DType::i64_) {
            // Narrower integers wrap, sizes do not.
            return std::nullopt;
        } else if (!operands_done) {
            todo.push_back({v, true});
            for (uint32_t k = n->operands_count; k-- > 0;) todo.push_back({f.operands(*n)[k], false});
        } else if (n->operands_count == 1) {
            if (row(n->op.op()).size != SizeRule::negate) return std::nullopt;
            done.back() = extents().negate(done.back());
        } else {
            const ExtentId b = done.back();
            done.pop_back();
            const auto both = combine_sizes(n->op.op(), done.back(), b);
            if (!both) return std::nullopt;
            done.back() = *both;
        }
    }
    return done.back();
}

std::optional<ExtentId> Checker::parameter_size(ir::ValueId id) {
    const ir::ValueInfo& info = builder.function().value(id);
    if (info.parameter_of != builder.function().body() || info.definition) return std::nullopt;
    return extents().symbol(builder.function().parameter_names[info.position]);
}

std::optional<ExtentId> Checker::as_size(const Argument& a, std::string_view what) {
    if (a.value.is_error()) return std::nullopt;
    if (const auto* z = a.value.as<mpz_class>()) {
        if (const auto i = to_i64(*z)) return extents().constant(*i);
        error(a.span, fmt::format("{} does not fit i64", what));
        return std::nullopt;
    }
    if (const auto* size = a.value.as<SizeValue>()) return size->extent;
    const auto* weak = a.value.as<WeakValue>();
    const auto* t = a.value.as<TypedValue>();
    if (weak || t) {
        if (const auto e = extent_of(weak ? weak->id : t->id)) return e;
    }
    auto d =
        error(a.span, fmt::format("{} needs an integer that is known before the computation starts: found {}",
                                  what, text(a.value)));
    if (t && is_integer(builder.type(t->id).dtype) && builder.type(t->id).scalar()) {
        const bool narrow = builder.type(t->id).dtype != DType::i64_;
        d.help(narrow ? "sizes do not wrap: compute them in i64"
                      : "sizes are made of dimensions, integer parameters and `+ - * //`");
    }
    return std::nullopt;
}

std::optional<std::vector<ExtentId>> Checker::as_shape(const Argument& a) {
    std::vector<ExtentId> shape;
    std::vector<Value> items{a.value};
    if (const auto* tuple = a.value.as_tuple()) items = tuple->items;
    for (const Value& item : items) {
        const auto size = as_size({item, a.span, {}, {}}, "a size");
        if (!size) return std::nullopt;
        if (!require_size(*size, a.span)) return std::nullopt;
        shape.push_back(*size);
    }
    return shape;
}

std::optional<int64_t> Checker::as_constant_integer(const Argument& a, std::string_view what) {
    if (a.value.is_error()) return std::nullopt;
    if (const auto* z = a.value.as<mpz_class>()) {
        if (const auto i = to_i64(*z)) return i;
    }
    error(a.span, fmt::format("{} needs an integer known at compile time: found {}", what, text(a.value)));
    return std::nullopt;
}

}  // namespace fuseline::dsl
