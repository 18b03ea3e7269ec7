// Matrix products: one type, one rank, views for vectors and broadcast axes, then a `matmul` node.
#include "dsl/products.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/reductions.h"
#include "dsl/views.h"

namespace fuseline::dsl {

namespace {

using ir::ValueId;

/// The factors in one type, in which the products are computed; the result is cast to `result`.
struct Factors {
    ValueId a, b;
    DType result;
};

std::optional<Factors> factors_of(Checker& c, const Argument& a, const Argument& b, Span span,
                                  std::string_view what) {
    const auto left = c.element_type(a, what);
    const auto right = c.element_type(b, what);
    if (!left || !right) return std::nullopt;
    const DType types[2] = {*left, *right};
    std::string why, help;
    const auto typing = op_typing(OpId::mul_, types, 2, &why, &help);
    if (!typing) {
        const bool bools = is_bool(*left) && is_bool(*right);
        if (why.starts_with("`*`")) why.replace(0, 3, what);
        auto d = c.error(span, bools ? fmt::format("{} of two bools", what) : why);
        d.help(bools ? "cast one side: `i64(x)`" : help);
        return std::nullopt;
    }
    const DType type = typing->operation;
    if (is_complex(type)) return c.not_yet(span, fmt::format("{} of complex numbers", what)), std::nullopt;
    const auto x = c.typed(a);
    const auto y = c.typed(b);
    if (!x || !y) return std::nullopt;
    c.builder.set_span(span);
    const DType computed = computed_type(type);
    return Factors{c.builder.cast(*x, computed), c.builder.cast(*y, computed), type};
}

/// The factors' axes before the last two, broadcast. nullopt after a report.
std::optional<Shape> batch_shape(Checker& c, const Factors& f, Span span, std::string_view what) {
    const Shape a = c.builder.type(f.a).shape, b = c.builder.type(f.b).shape;
    const size_t own_a = a.size() < 2 ? 0 : a.size() - 2, own_b = b.size() < 2 ? 0 : b.size() - 2;
    Shape shape(std::max(own_a, own_b), c.extents().constant(1));
    for (size_t k = 0; k < own_a; ++k) shape[shape.size() - own_a + k] = a[k];
    for (size_t k = 0; k < own_b; ++k) {
        ExtentId& extent = shape[shape.size() - own_b + k];
        if (c.extents().is_one(b[k]) || c.same_extent(extent, b[k])) continue;
        if (!c.extents().is_one(extent)) {
            c.report_misfit(f.a, f.b, extent, b[k], span, what);
            return std::nullopt;
        }
        extent = b[k];
    }
    return shape;
}

/// A factor as a stack of matrices: a vector gets an axis of extent 1 in front (a row) or behind (a column).
ValueId stacked(Checker& c, ValueId x, const Shape& batch, ExtentId rows, ExtentId columns, bool column) {
    const Shape own = c.builder.type(x).shape;
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    ir::IndexMap map;
    for (size_t k = 0; k < own.size(); ++k) {
        const bool vector = own.size() == 1;
        const size_t axis = vector ? shape.size() - (column ? 2 : 1) : shape.size() - own.size() + k;
        ir::Affine index{c.extents().constant(0), {}};
        const bool stretched = c.extents().is_one(own[k]) && !c.extents().is_one(shape[axis]);
        if (!stretched) index.terms.push_back({static_cast<uint32_t>(axis), c.extents().constant(1)});
        map.push_back(std::move(index));
    }
    return own == shape ? x : c.builder.view(x, std::move(map), std::move(shape));
}

/// Without the axis of extent 1 that stood for a vector: the last but one of a row, the last of a column.
ValueId dropped(Checker& c, ValueId x, bool column) {
    Shape shape = c.builder.type(x).shape;
    const size_t last = shape.size() - 1, gone = column ? last : last - 1;
    ir::IndexMap map = identity_map(c, shape.size());
    if (!column) map[last] = map[gone];
    map[gone].terms.clear();
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(gone));
    return c.builder.view(x, std::move(map), std::move(shape));
}

/// sum(a * b) over the last axis of both.
ValueId inner_product(Checker& c, ValueId a, ValueId b) {
    const ValueId products = elementwise(c.builder, OpId::mul_, {a, b});
    return sum_over(c, products, {static_cast<uint32_t>(c.builder.type(products).rank() - 1)});
}

/// Whether the summed extents are equal; reported where they are not.
bool inner_fits(Checker& c, const Factors& f, Span span, std::string_view what) {
    const Shape a = c.builder.type(f.a).shape, b = c.builder.type(f.b).shape;
    const ExtentId inner = b[b.size() < 2 ? 0 : b.size() - 2];
    if (c.same_extent(a.back(), inner)) return true;
    c.report_misfit(f.a, f.b, a.back(), inner, span, what);
    return false;
}

}  // namespace

Value matrix_product(Checker& c, const Argument& a, const Argument& b, Span span, std::string_view what) {
    const auto f = factors_of(c, a, b, span, what);
    if (!f) return {};
    const Shape left = c.builder.type(f->a).shape, right = c.builder.type(f->b).shape;
    if (left.empty() || right.empty()) {
        const Argument& scalar = left.empty() ? a : b;
        c.error(scalar.span,
                fmt::format("{} multiplies matrices and vectors: found {}", what, c.text(scalar.value)))
            .help("use `*`");
        return {};
    }
    if (!may_reduce(c, Call{span, span, {}, {}}, what) || !inner_fits(c, *f, span, what)) return {};
    const bool row = left.size() == 1, column = right.size() == 1;
    const ExtentId one = c.extents().constant(1), inner = left.back();
    if (row && column) {
        const ValueId b_same = c.broadcast_to(f->b, left);
        return Value(TypedValue{c.builder.cast(inner_product(c, f->a, b_same), f->result)});
    }
    const auto batch = batch_shape(c, *f, span, what);
    if (!batch) return {};
    const ExtentId rows = row ? one : left[left.size() - 2], columns = column ? one : right.back();
    const ValueId operands[2] = {stacked(c, f->a, *batch, rows, inner, false),
                                 stacked(c, f->b, *batch, inner, columns, true)};
    ir::Type type = c.builder.type(operands[0]);
    type.shape.back() = columns;
    const ir::NodeId node = c.builder.node(ir::Structure::matmul_, operands, {std::move(type)});
    const ValueId product = c.builder.function().result(node);
    if (row || column) return Value(TypedValue{c.builder.cast(dropped(c, product, column), f->result)});
    return Value(TypedValue{c.builder.cast(product, f->result)});
}

namespace {

/// NumPy's dot for a `b` of rank 3 or more: every row of `a` with every column of `b`.
Value all_with_all(Checker& c, const Factors& f) {
    const Shape a = c.builder.type(f.a).shape, b = c.builder.type(f.b).shape;
    Shape shape(a.begin(), a.end() - 1);
    const size_t from_a = shape.size();
    shape.insert(shape.end(), b.begin(), b.end() - 2);
    shape.push_back(b.back());
    shape.push_back(a.back());
    const auto last = static_cast<uint32_t>(shape.size() - 1);
    ir::IndexMap map_a, map_b;
    for (uint32_t k = 0; k < from_a; ++k) map_a.push_back(axis_affine(c, k, c.extents().constant(0)));
    map_a.push_back(axis_affine(c, last, c.extents().constant(0)));
    for (size_t k = 0; k + 2 < b.size(); ++k)
        map_b.push_back(axis_affine(c, static_cast<uint32_t>(from_a + k), c.extents().constant(0)));
    map_b.push_back(axis_affine(c, last, c.extents().constant(0)));
    map_b.push_back(axis_affine(c, last - 1, c.extents().constant(0)));
    const ValueId x = c.builder.view(f.a, std::move(map_a), shape);
    const ValueId y = c.builder.view(f.b, std::move(map_b), shape);
    return Value(TypedValue{c.builder.cast(inner_product(c, x, y), f.result)});
}

size_t rank_of(Checker& c, const Argument& a) {
    const auto* t = a.value.as<TypedValue>();
    return t ? c.builder.type(t->id).rank() : 0;
}

/// As one axis.
ValueId flat(Checker& c, ValueId x) {
    const Shape shape = c.builder.type(x).shape;
    if (shape.empty()) return c.filled(x, {c.extents().constant(1)});
    return shape.size() == 1 ? x : reshaped(c, x, {product(c, shape)});
}

}  // namespace

Value run_matmul(Checker& c, Slots& slots, const Call& call) {
    return matrix_product(c, *slots[0], *slots[1], call.span, "`matmul`");
}

Value run_dot(Checker& c, Slots& slots, const Call& call) {
    const size_t left = rank_of(c, *slots[0]), right = rank_of(c, *slots[1]);
    if (left == 0 || right == 0) return c.apply_op(OpId::mul_, {*slots[0], *slots[1]}, call.span);
    if (left == 1 || right <= 2) return matrix_product(c, *slots[0], *slots[1], call.span, "`dot`");
    const auto f = factors_of(c, *slots[0], *slots[1], call.span, "`dot`");
    if (!f || !may_reduce(c, call, "`dot`") || !inner_fits(c, *f, call.span, "`dot`")) return {};
    return all_with_all(c, *f);
}

Value run_outer(Checker& c, Slots& slots, const Call& call) {
    const auto f = factors_of(c, *slots[0], *slots[1], call.span, "`outer`");
    if (!f || !may_reduce(c, call, "`outer`")) return {};
    const ValueId a = flat(c, f->a), b = flat(c, f->b);
    const Shape shape{c.builder.type(a).shape[0], c.builder.type(b).shape[0]};
    const ExtentId zero = c.extents().constant(0);
    const ValueId x = c.builder.view(a, {axis_affine(c, 0, zero)}, shape);
    const ValueId y = c.builder.view(b, {axis_affine(c, 1, zero)}, shape);
    return Value(TypedValue{c.builder.cast(elementwise(c.builder, OpId::mul_, {x, y}), f->result)});
}

}  // namespace fuseline::dsl
