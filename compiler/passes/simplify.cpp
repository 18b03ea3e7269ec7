// simplify: rewrites expressions bottom-up as they are copied, by the rewrite table, the operator table's
// algebra and the rules of views and casts.
#include <algorithm>

#include "compiler/passes/passes.h"
#include "compiler/passes/pattern.h"
#include "compiler/passes/rebuild.h"
#include "compiler/passes/rewrite_table.h"
#include "compiler/passes/view_rules.h"

namespace fuseline {
namespace {

using ir::Builder;
using ir::Structure;
using ir::ValueId;

uint32_t class_bit(DType type) {
    if (is_bool(type)) return kOnBool;
    return is_float(type) ? kOnFloat : kOnInteger;
}

std::optional<Scalar> constant_of(Builder& b, ValueId v) {
    const ir::Node* n = b.function().definition(v);
    if (n == nullptr || !n->op.is(Structure::constant_)) return std::nullopt;
    return std::get<Scalar>(n->attribute);
}

/// Operators of the pattern that work on arrays under the bindings. Children stand behind their parents.
int array_operators(Builder& b, const Pattern& pattern, const Bindings& bindings) {
    const auto& nodes = pattern.nodes();
    std::vector<bool> array(nodes.size(), false);
    int count = 0;
    for (size_t k = nodes.size(); k-- > 0;) {
        const Pattern::Node& n = nodes[k];
        if (n.letter >= 0) array[k] = b.type(*bindings[static_cast<size_t>(n.letter)]).rank() != 0;
        for (int child : n.children) array[k] = array[k] || array[static_cast<size_t>(child)];
        count += n.op && array[k] ? 1 : 0;
    }
    return count;
}

struct Rule {
    Pattern before, after;
    uint32_t on;
};

class Simplify : public NodeRewrite {
public:
    Simplify(const ir::Function& from, bool fast) : from_(from), rules_(op_count()) {
        for (const RewriteRow& r : kRewriteTable) {
            if (!r.exact && !fast) continue;
            Rule rule{Pattern(r.before), Pattern(r.after), r.on};
            const auto op = static_cast<size_t>(*rule.before.root().op);
            rules_[op].push_back(std::move(rule));
        }
    }

    std::optional<ValueId> rewrite(Builder& to, ir::NodeId id, std::span<const ValueId> operands,
                                   const ir::Attribute& attribute) override {
        const ir::Node& n = from_.node(id);
        if (n.op.is(Structure::view_)) {
            return simpler_view(to, operands[0], std::get<ir::IndexMap>(attribute), shape_in(to, id));
        }
        if (n.op.is(Structure::window_)) {
            return simpler_window(to, operands[0], operands[1], std::get<ir::IndexMap>(attribute),
                                  shape_in(to, id));
        }
        if (n.op.is(Structure::reshape_)) return simpler_reshape(to, operands[0], shape_in(to, id));
        if (!n.op.elementwise()) return std::nullopt;
        Expression e{n.op.op(), {operands.begin(), operands.end()}, from_.type(from_.result(id)).dtype};
        const auto value = simpler(to, e);
        if (!value) return std::nullopt;
        to.name_value(*value, from_.value_name(from_.result(id)));
        return spread(to, *value, shape_in(to, id));
    }

private:
    std::vector<ExtentId> shape_in(Builder& to, ir::NodeId id) const {
        std::vector<ExtentId> shape;
        for (ExtentId e : from_.type(from_.result(id)).shape)
            shape.push_back(to.extents().import(from_.extents, e));
        return shape;
    }

    ValueId make(Builder& b, const Expression& e) {
        if (const auto value = simpler(b, e)) return *value;
        return b.elementwise(e.op, e.operands, e.result);
    }

    std::optional<ValueId> simpler(Builder& b, const Expression& e) {
        if (auto value = by_casts(b, e)) return value;
        if (auto value = by_algebra(b, e)) return value;
        if (auto value = by_rows(b, e)) return value;
        if (auto value = by_reciprocal(b, e)) return value;
        return by_spread_operands(b, e);
    }

    std::optional<ValueId> by_rows(Builder& b, const Expression& e);
    std::optional<ValueId> by_algebra(Builder& b, const Expression& e);
    std::optional<ValueId> by_casts(Builder& b, const Expression& e);
    std::optional<ValueId> by_reciprocal(Builder& b, const Expression& e);
    std::optional<ValueId> by_spread_operands(Builder& b, const Expression& e);
    ValueId build(Builder& b, const Pattern& pattern, int node, const Bindings& bindings, DType type);

    const ir::Function& from_;
    std::vector<std::vector<Rule>> rules_;  ///< by the outermost operator
};

ValueId Simplify::build(Builder& b, const Pattern& pattern, int id, const Bindings& bindings, DType type) {
    const Pattern::Node& node = pattern.nodes()[static_cast<size_t>(id)];
    if (node.letter >= 0) return *bindings[static_cast<size_t>(node.letter)];
    if (!node.op) return b.constant(type, *parse_scalar(type, node.constant));
    Expression e{*node.op, {}, type};
    for (int child : node.children) e.operands.push_back(build(b, pattern, child, bindings, type));
    return make(b, e);
}

std::optional<ValueId> Simplify::by_rows(Builder& b, const Expression& e) {
    const uint32_t bit = class_bit(e.operation(b));
    for (const Rule& rule : rules_[static_cast<size_t>(e.op)]) {
        Bindings bindings;
        if ((rule.on & bit) == 0 || !rule.before.match(b, e, bindings)) continue;
        // A rewrite must not move work from scalars to arrays.
        if (array_operators(b, rule.after, bindings) > array_operators(b, rule.before, bindings)) continue;
        return build(b, rule.after, 0, bindings, e.result);
    }
    return std::nullopt;
}

/// x op identity, f(x, x), f(f(x)) as the operator's row says.
std::optional<ValueId> Simplify::by_algebra(Builder& b, const Expression& e) {
    const OpRow& op = row(e.op);
    const DType type = e.operation(b);
    if (op.arity == 1) {
        const ir::Node* inner = b.function().definition(e.operands[0]);
        if (inner == nullptr || !inner->op.is(e.op) || e.result != type) return std::nullopt;
        if (op.has(kInvolution)) return b.function().operands(*inner)[0];
        if (op.has(kIdempotent)) return e.operands[0];
        return std::nullopt;
    }
    if (op.arity != 2 || e.result != type) return std::nullopt;
    if (op.has(kIdempotent) && e.operands[0] == e.operands[1]) return e.operands[0];
    const auto identity = op.identity.empty() ? std::nullopt : parse_scalar(type, op.identity);
    if (!identity) return std::nullopt;
    // Some neutral operands lose the sign of zero.
    const Scalar minus_zero[] = {*parse_scalar(type, is_float(type)  ? "-0.0"
                                                     : is_bool(type) ? "true"
                                                                     : "1"),
                                 *identity};
    if (evaluate(e.op, type, type, minus_zero) != minus_zero[0]) return std::nullopt;
    if (constant_of(b, e.operands[1]) == identity) return e.operands[0];
    if (op.has(kCommutative) && constant_of(b, e.operands[0]) == identity) return e.operands[1];
    return std::nullopt;
}

/// A value of the type keeps its number in `wider`.
bool widens(DType type, DType wider) {
    if (promote(type, wider) != wider) return false;
    // An integer needs its bits in the mantissa.
    if (is_integer(type) && is_float(wider))
        return row(type).bits <= (wider == DType::f64_ ? 32 : wider == DType::f32_ ? 16 : 8);
    return true;
}

std::optional<ValueId> Simplify::by_casts(Builder& b, const Expression& e) {
    if (row(e.op).rule != TypeRule::cast || e.operands.size() != 1) return std::nullopt;
    if (e.operation(b) == e.result) return e.operands[0];
    const ir::Node* inner = b.function().definition(e.operands[0]);
    if (inner == nullptr || !inner->op.is(e.op)) return std::nullopt;
    const ValueId source = b.function().operands(*inner)[0];
    const DType from = b.type(source).dtype;
    if (!widens(from, e.operation(b))) return std::nullopt;
    // Floats saturate where integers wrap: i8(f64(x)) of an i64 is not i8(x).
    const bool saturates = is_integer(from) && is_float(e.operation(b)) && is_integer(e.result);
    if (saturates && from != e.result && !widens(from, e.result)) return std::nullopt;
    if (from == e.result) return source;
    return b.elementwise(e.op, {&source, 1}, e.result);
}

/// x / c is x * (1 / c) where c is a power of two whose reciprocal is a normal number: both round the same
/// exact value.
std::optional<ValueId> Simplify::by_reciprocal(Builder& b, const Expression& e) {
    const bool wide = e.result == DType::f64_;
    if (e.op != OpId::div_ || (!wide && e.result != DType::f32_)) return std::nullopt;
    const auto divisor = constant_of(b, e.operands[1]);
    if (!divisor) return std::nullopt;
    const int mantissa = wide ? 52 : 23, bias = wide ? 1023 : 127;
    const uint64_t exponent = (divisor->bits >> mantissa) & static_cast<uint64_t>(2 * bias + 1);
    const bool power_of_two = (divisor->bits & ((uint64_t{1} << mantissa) - 1)) == 0;
    const auto reversed = static_cast<int64_t>(2 * bias) - static_cast<int64_t>(exponent);
    if (!power_of_two || exponent == 0 || reversed <= 0 || reversed > 2 * bias) return std::nullopt;
    const Scalar operands[] = {wide ? Scalar::of_f64(1) : Scalar::of_f32(1), *divisor};
    const ValueId reciprocal = b.constant(e.result, evaluate(OpId::div_, e.result, e.result, operands));
    return make(b, {OpId::mul_, {e.operands[0], reciprocal}, e.result});
}

/// A scalar that was spread over the shape only to meet an operator is used as it is.
std::optional<ValueId> Simplify::by_spread_operands(Builder& b, const Expression& e) {
    Expression plain = e;
    std::vector<ExtentId> shape;
    bool any = false, other = false;
    for (ValueId& v : plain.operands) {
        if (b.type(v).rank() != 0) shape = b.type(v).shape;
        if (const auto scalar = spread_scalar(b, v)) {
            v = *scalar;
            any = true;
        } else if (b.type(v).rank() != 0) {
            other = true;
        }
    }
    if (!any) return std::nullopt;
    const ValueId value = make(b, plain);
    return other ? value : spread(b, value, shape);
}

}  // namespace

std::optional<ir::Function> pass_simplify(const ir::Function& graph, PassContext& context) {
    Simplify simplify(graph, context.options.fast);
    return rebuild(graph, simplify);
}

}  // namespace fuseline
