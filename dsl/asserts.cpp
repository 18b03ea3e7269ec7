// `assert` on sizes becomes checks at launch and facts for broadcasting; other conditions are data.
#include <fmt/format.h>

#include "dsl/checker.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

/// The conditions joined by `and`, in order.
std::vector<ast::ExprId> conjuncts(const ast::Tree& tree, ast::ExprId root) {
    std::vector<ast::ExprId> todo{root}, out;
    while (!todo.empty()) {
        const ast::ExprId id = todo.back();
        todo.pop_back();
        const ast::Expr& e = tree[id];
        if (e.kind == ast::ExprKind::binary && e.op == OpId::and_) {
            todo.push_back(e.operands[1]);
            todo.push_back(e.operands[0]);
        } else {
            out.push_back(id);
        }
    }
    return out;
}

bool same_kind(const std::vector<Argument>& operands) {
    for (const Argument& a : operands) {
        if (!a.value.size_like() && !a.value.is_error()) return false;
    }
    return true;
}

}  // namespace

std::string Checker::source_text(Span span) const { return std::string(modules.sources->text(span)); }

/// a op b on sizes as left >= right or left == right. Nullopt where it is neither.
std::optional<ir::Check> Checker::size_check(OpId op, ExtentId a, ExtentId b) {
    using Relation = ir::Check::Relation;
    const ExtentId one = extents().constant(1);
    const ExtentId zero = extents().constant(0);
    if (op == OpId::eq_) return ir::Check{a, b, Relation::equal, {}};
    if (op == OpId::ge_) return ir::Check{a, b, Relation::greater_equal, {}};
    if (op == OpId::le_) return ir::Check{b, a, Relation::greater_equal, {}};
    if (op == OpId::gt_) return ir::Check{a, extents().add(b, one), Relation::greater_equal, {}};
    if (op == OpId::lt_) return ir::Check{b, extents().add(a, one), Relation::greater_equal, {}};
    if (op == OpId::ne_ && b == zero && extents().provably_nonnegative(a)) {
        return ir::Check{a, one, Relation::greater_equal, {}};
    }
    return std::nullopt;
}

std::optional<std::string> Checker::assert_message(const ast::Stmt& s) {
    if (!s.message) return fmt::format("assertion failed: `{}`", source_text(expr(s.value).span));
    const Argument a = argument(s.message);
    if (const auto* text = a.value.as<TextValue>()) return text->text;
    if (!a.value.is_error()) error(a.span, "the message of `assert` is a text");
    return std::nullopt;
}

/// Checks the parts of the condition that are about sizes or known now; what is left is data.
std::vector<Argument> Checker::assert_sizes(const ast::Stmt& s, const std::string& message) {
    std::vector<Argument> data;
    for (ast::ExprId id : conjuncts(frame->tree(), s.value)) {
        const ast::Expr& e = expr(id);
        if (e.kind == ast::ExprKind::compare && assert_comparison(e, message, data)) continue;
        if (e.kind == ast::ExprKind::compare) continue;
        assert_value(argument(id), message, data);
    }
    return data;
}

void Checker::assert_value(const Argument& a, const std::string& message, std::vector<Argument>& data) {
    if (a.value.is_error()) return;
    const bool* known = a.value.as<bool>();
    if (!known)
        data.push_back(a);
    else if (!*known)
        error(a.span, fmt::format("{}: this never holds", message));
}

/// A chain of comparisons; true when all of it was about sizes.
bool Checker::assert_comparison(const ast::Expr& e, const std::string& message, std::vector<Argument>& data) {
    std::vector<Argument> operands;
    for (ast::ExprId id : e.operands) operands.push_back(argument(id));
    if (!same_kind(operands)) {
        assert_value({compare(e, operands), e.span, {}, {}}, message, data);
        return false;
    }
    for (size_t i = 0; i + 1 < operands.size(); ++i) {
        const auto a = as_size(operands[i], "`assert`");
        const auto b = as_size(operands[i + 1], "`assert`");
        if (!a || !b) continue;
        if (const auto known = size_comparison(e.ops[i], *a, *b)) {
            assert_value({*known, e.span, {}, {}}, message, data);
            continue;
        }
        const auto check = size_check(e.ops[i], *a, *b);
        if (check)
            require_extent(check->left, check->relation, check->right, message, e.span);
        else
            not_yet(e.span, "`assert` with `!=` of sizes");
    }
    return true;
}

void Checker::run_assert(const ast::Stmt& s) {
    const auto message = assert_message(s);
    if (!message) return;
    for (const Argument& a : assert_sizes(s, *message)) {
        if (frame->scalar_region) {
            not_yet(a.span, "`assert` on data in an elemental function");
            continue;
        }
        const auto holds = scalar_condition(a, "all(...)");
        if (!holds) continue;
        builder.set_span(s.span);
        builder.node(ir::Structure::assert_, {&*holds, 1}, {}, *message);
    }
}

}  // namespace fuseline::dsl
