// Elementwise operators on values: folded at compile time, kept as sizes, or put into the graph.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/op_table.h"
#include "dsl/checker.h"
#include "dsl/products.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

std::string title(OpId op) {
    return fmt::format("`{}`", row(op).spelling.empty() ? row(op).name : row(op).spelling);
}

int kind_rank(DType d) {
    if (is_bool(d)) return 0;
    if (is_integer(d)) return 1;
    return is_float(d) ? 2 : 3;
}

bool all_of(const std::vector<Argument>& operands, bool (*test)(const Value&)) {
    return std::all_of(operands.begin(), operands.end(), [&](const Argument& a) { return test(a.value); });
}

}  // namespace

/// Sizes stay sizes under the operators that size expressions have.
std::optional<Value> Checker::size_op(OpId op, const std::vector<Argument>& operands, Span span) {
    if (!all_of(operands, [](const Value& v) { return v.size_like(); })) return std::nullopt;
    std::vector<ExtentId> sizes;
    for (const Argument& a : operands) {
        const auto* z = a.value.as<mpz_class>();
        if (z && !to_i64(*z)) return std::nullopt;
        sizes.push_back(z ? extents().constant(*to_i64(*z)) : a.value.as<SizeValue>()->extent);
    }
    if (op == OpId::neg_) return from_extent(extents().negate(sizes[0]));
    if (op == OpId::pos_) return from_extent(sizes[0]);
    if (sizes.size() != 2) return std::nullopt;
    if ((op == OpId::floordiv_ || op == OpId::mod_) && extents().constant_value(sizes[1]) == 0) {
        error(span, "division by zero");
        return Value();
    }
    if (op == OpId::pow_) return size_power(sizes[0], sizes[1]);
    if (row(op).rule == TypeRule::comparison || row(op).rule == TypeRule::equality) {
        return size_comparison(op, sizes[0], sizes[1]);
    }
    const auto both = combine_sizes(op, sizes[0], sizes[1]);
    return both ? std::optional<Value>(from_extent(*both)) : std::nullopt;
}

/// Sizes share their parts, their texts do not: a chain of remainders has a text that doubles with each.
Value Checker::bounded_size(Value value, Span span) {
    ++folded_;
    const auto* size = value.as<SizeValue>();
    if (!size || extents().leaves(size->extent) <= ExtentPool::kMaxLeaves) return value;
    error(span, fmt::format(
                    "the size expression is too large: written out in full it has over {} names and numbers",
                    ExtentPool::kMaxLeaves))
        .help("nest fewer of `%`, `//`, `min` and `max`: `a % b` is a - b*(a//b) and repeats both sides");
    return {};
}

std::optional<Value> Checker::size_power(ExtentId base, ExtentId exponent) {
    const auto k = extents().constant_value(exponent);
    if (!k || *k < 0 || *k > 4) return std::nullopt;
    ExtentId product = extents().constant(1);
    for (int64_t i = 0; i < *k; ++i) product = extents().mul(product, base);
    return from_extent(product);
}

/// Known at compile time where the order of the two is provable.
std::optional<Value> Checker::size_comparison(OpId op, ExtentId a, ExtentId b) {
    int64_t order = 0;
    const ExtentId one = extents().constant(1);
    if (same_extent(a, b)) {
        order = 0;
    } else if (extents().provably_le(extents().add(canonical(a), one), canonical(b))) {
        order = -1;
    } else if (extents().provably_le(extents().add(canonical(b), one), canonical(a))) {
        order = 1;
    } else {
        return std::nullopt;
    }
    const Scalar operands[2] = {Scalar::of_i64(order), Scalar::of_i64(0)};
    return Value(fuseline::evaluate(op, DType::i64_, DType::bool_, operands).as_bool());
}

/// Texts, types, tuples and `none`: equality, and joining of tuples; known at compile time.
std::optional<Value> Checker::structural_op(OpId op, const std::vector<Argument>& operands) {
    if (operands.size() != 2) return std::nullopt;
    const Value& a = operands[0].value;
    const Value& b = operands[1].value;
    if (a.number() && b.number()) return std::nullopt;
    if (op == OpId::add_ && a.as_tuple() && b.as_tuple()) {
        std::vector<Value> items = a.as_tuple()->items;
        items.insert(items.end(), b.as_tuple()->items.begin(), b.as_tuple()->items.end());
        return Value::tuple(std::move(items));
    }
    if (row(op).rule != TypeRule::equality) return std::nullopt;
    const bool equal =
        a.as_tuple() && b.as_tuple() ? same_tuple(*a.as_tuple(), *b.as_tuple()) : same_value(a, b);
    return Value(equal == (op == OpId::eq_));
}

bool Checker::same_tuple(const TupleValue& a, const TupleValue& b) {
    if (a.items.size() != b.items.size()) return false;
    for (size_t i = 0; i < a.items.size(); ++i) {
        const auto* x = a.items[i].as<SizeValue>();
        const auto* y = b.items[i].as<SizeValue>();
        if (x && y ? !same_extent(x->extent, y->extent) : !same_value(a.items[i], b.items[i])) return false;
    }
    return true;
}

Value Checker::apply_op(OpId op, const std::vector<Argument>& operands, Span span) {
    if (std::any_of(operands.begin(), operands.end(), [](const Argument& a) { return a.value.is_error(); }))
        return {};
    if (row(op).rule == TypeRule::contraction)
        return matrix_product(*this, operands[0], operands[1], span, title(op));
    if (!row(op).has(kBuilt)) {
        not_yet(span, title(op));
        return {};
    }
    if (auto v = structural_op(op, operands)) return *v;
    if (all_of(operands, [](const Value& v) { return v.constant_number(); }))
        return fold_constants(op, operands, span);
    if (auto v = size_op(op, operands, span)) return bounded_size(std::move(*v), span);
    return graph_op(op, operands, span);
}

Value Checker::fold_constants(OpId op, const std::vector<Argument>& operands, Span span) {
    ++folded_;
    std::vector<Value> values;
    std::vector<DType> types;
    for (const Argument& a : operands) {
        values.push_back(a.value);
        types.push_back(default_dtype(a.value));
    }
    std::string why, help;
    if (!op_typing(op, types.data(), types.size(), &why, &help)) return report_typing(span, why, help);
    if (auto v = fold(op, values, why)) return *v;
    error(span, fmt::format("{}: {}", title(op), why));
    return {};
}

Value Checker::report_typing(Span span, const std::string& why, const std::string& help) {
    auto d = error(span, why);
    if (!help.empty()) d.help(help);
    return {};
}

/// A literal has no type of its own: the reason tells what is written instead of where the types met.
std::string Checker::with_operands(const std::string& why, const std::vector<Argument>& operands) {
    constexpr std::string_view kFound = ": found ";
    const size_t at = why.rfind(kFound);
    if (operands.size() != 2 || at == std::string::npos) return why;
    const Value &a = operands[0].value, &b = operands[1].value;
    if (!a.weak() && !b.weak()) return why;
    return fmt::format("{}{}{} and {}", why.substr(0, at), kFound, text(a), text(b));
}

/// The types in which the operands meet: weak ones take the type of the typed ones of their kind or above.
std::optional<std::vector<DType>> Checker::meeting_types(OpId op, const std::vector<Argument>& operands) {
    std::vector<DType> types;
    std::optional<DType> strongest;
    const size_t first = row(op).rule == TypeRule::select ? 1 : 0;
    for (size_t i = 0; i < operands.size(); ++i) {
        const auto own = element_type(operands[i], title(op));
        if (!own) return std::nullopt;
        types.push_back(*own);
        if (i < first || operands[i].value.weak()) continue;
        if (!strongest || kind_rank(*own) > kind_rank(*strongest))
            strongest = *own;
        else if (auto p = promote(*own, *strongest))
            strongest = *p;
    }
    for (size_t i = first; i < operands.size(); ++i) {
        if (operands[i].value.weak() && strongest && kind_rank(*strongest) >= kind_rank(types[i]))
            types[i] = *strongest;
    }
    return types;
}

Value Checker::graph_op(OpId op, const std::vector<Argument>& operands, Span span) {
    const auto types = meeting_types(op, operands);
    if (!types) return {};
    std::string why, help;
    const auto typing = op_typing(op, types->data(), types->size(), &why, &help);
    if (!typing) return report_typing(span, with_operands(why, operands), help);
    builder.set_span(span);
    if (op == OpId::pow_) {
        if (auto v = constant_power(operands, typing->operation, span)) return *v;
    }
    std::vector<ir::ValueId> ids;
    for (size_t i = 0; i < operands.size(); ++i) {
        const bool condition = row(op).rule == TypeRule::select && i == 0;
        const auto id =
            operand(operands[i], (*types)[i], condition ? DType::bool_ : typing->operation, title(op));
        if (!id) return {};
        ids.push_back(*id);
    }
    const auto shape = broadcast_shape(ids, span, title(op));
    if (!shape) return {};
    for (ir::ValueId& id : ids) id = broadcast_to(id, *shape);
    const ir::ValueId result = builder.elementwise(op, ids, typing->result);
    const bool weak = all_of(operands, [](const Value& v) { return v.weak(); }) && !is_bool(typing->result);
    return weak ? Value(WeakValue{result}) : Value(TypedValue{result});
}

/// An operand in the type in which the operation computes. A constant goes there directly, with one rounding.
std::optional<ir::ValueId> Checker::operand(const Argument& a, DType own, DType wanted,
                                            std::string_view what) {
    if (a.value.constant_number()) {
        std::string why;
        if (!fit(a.value, own, why)) {
            error(a.span, fmt::format("{}: {} meets {} here", why, what, name(own)));
            return std::nullopt;
        }
        return as_dtype(a, wanted, what);
    }
    const auto id =
        a.value.as<TypedValue>() ? std::optional(a.value.as<TypedValue>()->id) : as_dtype(a, own, what);
    if (!id) return std::nullopt;
    return builder.cast(*id, wanted);
}

/// `x ** k` with a small integer k known at compile time: k - 1 multiplications from the left, and a division
/// for negative k (floats only).
std::optional<Value> Checker::constant_power(const std::vector<Argument>& operands, DType dtype, Span span) {
    const auto* exponent = operands[1].value.as<mpz_class>();
    if (!exponent) return std::nullopt;
    if (is_integer(dtype) && sgn(*exponent) < 0) {
        error(span, "`**`: a negative power of an integer is no integer")
            .help(fmt::format("use a float: `x ** {}.0`", exponent->get_str()));
        return Value();
    }
    if (abs(*exponent) > 4) return std::nullopt;
    const auto base = operand(operands[0], dtype, dtype, "`**`");
    if (!base) return Value();
    const long k = exponent->get_si();
    const bool weak = operands[0].value.weak();
    const auto one = [&] {
        std::string why;
        return builder.constant(dtype, *fit(Value::integer(1), dtype, why));
    };
    const std::vector<ExtentId> shape = builder.type(*base).shape;
    ir::ValueId product = k == 0 ? filled(one(), shape) : *base;
    for (long i = 1; i < std::abs(k); ++i) {
        const ir::ValueId factors[2] = {product, *base};
        product = builder.elementwise(OpId::mul_, factors, dtype);
    }
    if (k < 0) {
        const ir::ValueId quotient[2] = {one(), product};
        product = builder.elementwise(OpId::div_, quotient, dtype);
    }
    return weak ? Value(WeakValue{product}) : Value(TypedValue{product});
}

/// a < b <= c: each pair compared, the outcomes joined with `and`.
Value Checker::compare(const ast::Expr& e, const std::vector<Argument>& operands) {
    Value all;
    for (size_t i = 0; i + 1 < operands.size(); ++i) {
        const Span span = cover(operands[i].span, operands[i + 1].span);
        Value one = apply_op(e.ops[i], {operands[i], operands[i + 1]}, span);
        all = i == 0 ? one : logical(OpId::and_, {all, span, {}, {}}, {one, span, {}, {}}, e.span);
    }
    return all;
}

/// `and`, `or`: a side that is known now decides alone where the other is a scalar or known too.
Value Checker::logical(OpId op, const Argument& a, const Argument& b, Span span) {
    const auto is_scalar = [&](const Value& v) {
        const auto* t = v.as<TypedValue>();
        return !t || builder.type(t->id).scalar();
    };
    for (const auto& [known, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        const bool* flag = known->value.as<bool>();
        if (!flag || other->value.is_error()) continue;
        const auto type = element_type(*other, title(op));
        if (!type) return {};
        if (!is_bool(*type)) break;
        if (*flag == (op == OpId::and_)) return other->value;
        if (is_scalar(other->value)) return known->value;
    }
    return apply_op(op, {a, b}, span);
}

}  // namespace fuseline::dsl
