// Indexing: items of tuples, and views of arrays with new axes.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/checker.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

using Kind = ast::Subscript::Kind;

bool full_slice(const ast::Subscript& s) { return s.kind == Kind::slice && !s.start && !s.stop && !s.step; }

}  // namespace

Value Checker::tuple_item(const ast::Expr& e, const TupleValue& tuple, const std::vector<Value>& indices) {
    if (e.subscripts.size() != 1 || e.subscripts[0].kind != Kind::index) {
        error(e.span, "a tuple takes one integer index");
        return {};
    }
    const auto k = as_constant_integer({indices[0], e.subscripts[0].span, {}, {}}, "the index of a tuple");
    if (!k) return {};
    const auto size = static_cast<int64_t>(tuple.items.size());
    if (*k >= -size && *k < size) return tuple.items[static_cast<size_t>(*k < 0 ? *k + size : *k)];
    error(e.subscripts[0].span,
          fmt::format("the index {} is outside a tuple of {} item{}", *k, size, size == 1 ? "" : "s"));
    return {};
}

Value Checker::subscript(const ast::Expr& e, const Value& base, const std::vector<Value>& indices) {
    if (base.is_error() ||
        std::any_of(indices.begin(), indices.end(), [](const Value& v) { return v.is_error(); })) {
        return {};
    }
    if (const auto* tuple = base.as_tuple()) return tuple_item(e, *tuple, indices);
    const auto* t = base.as<TypedValue>();
    if (!t || builder.type(t->id).scalar()) {
        if (base.number())
            error(e.span, fmt::format("{} is a scalar and cannot be indexed", text(base)));
        else
            error(e.span, fmt::format("{} cannot be indexed", text(base)));
        return {};
    }
    for (const ast::Subscript& s : e.subscripts) {
        if (s.kind == Kind::index)
            return not_yet(s.span, "indexing with an integer, a mask or an array"), Value();
        if (s.kind == Kind::slice && !full_slice(s)) return not_yet(s.span, "a slice"), Value();
    }
    return new_axes(e, t->id);
}

/// Only `:`, `...` and `newaxis` are left.
Value Checker::new_axes(const ast::Expr& e, ir::ValueId base) {
    const std::vector<ExtentId> own = builder.type(base).shape;
    size_t taken = 0;
    size_t ellipses = 0;
    for (const ast::Subscript& s : e.subscripts) {
        taken += s.kind == Kind::slice ? 1 : 0;
        ellipses += s.kind == Kind::ellipsis ? 1 : 0;
    }
    if (ellipses > 1 || taken > own.size()) {
        error(e.span, ellipses > 1
                          ? "`...` may stand once"
                          : fmt::format("too many indices: {} for {}", taken, text(builder.type(base))));
        return {};
    }
    std::vector<ExtentId> shape;
    ir::IndexMap map;
    const auto keep = [&](size_t count) {
        for (; count > 0; --count) {
            ir::Affine index;
            index.terms.push_back({static_cast<uint32_t>(shape.size()), extents().constant(1)});
            shape.push_back(own[map.size()]);
            map.push_back(std::move(index));
        }
    };
    for (const ast::Subscript& s : e.subscripts) {
        if (s.kind == Kind::newaxis) shape.push_back(extents().constant(1));
        if (s.kind == Kind::slice) keep(1);
        if (s.kind == Kind::ellipsis) keep(own.size() - taken);
    }
    keep(own.size() - map.size());
    if (shape == own) return Value(TypedValue{base});
    builder.set_span(e.span);
    return Value(TypedValue{builder.view(base, std::move(map), std::move(shape))});
}

}  // namespace fuseline::dsl
