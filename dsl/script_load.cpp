// `x: f32[n, m] = load("x.npy")`: a variable whose declared dimensions bind sizes of the script.
#include <fmt/format.h>

#include "dsl/bind.h"
#include "dsl/script_builder.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

void ScriptBuilder::run_load(const ast::Stmt& s, const ast::Expr& call) {
    const ast::Target& target = s.targets[0];
    if (!s.type || s.targets.size() != 1 || !target.subscripts.empty()) {
        checker_->error(s.span, "a `load` needs a declared type")
            .help(fmt::format("write `{}: f32[n] = load(...)`", target.name));
        for (const ast::Target& t : s.targets) checker_->assign(t.name, t.name_span, Value());
        return;
    }
    const auto type = load_type(*s.type);
    auto step = load_step(call);
    if (!type || !step) return checker_->assign(target.name, target.name_span, Value());
    step->variable = add_variable(target.name, *type, target.name_span);
    program_.script.extents = checker_->extents();
    program_.script.steps.push_back({std::move(*step), s.span});
    checker_->assign(target.name, target.name_span, Value(StoredValue{step->variable, false}));
}

/// Names that nothing binds yet become sizes of the script.
std::optional<ir::Type> ScriptBuilder::load_type(const ast::TypeExpr& type) {
    for (ast::ExprId dim : type.dims) {
        const ast::Expr& e = tree_[dim];
        if (e.kind == ast::ExprKind::name && !frame_.names.count(e.text)) bind_size(dim);
    }
    for (ast::ExprId dim : type.dims) bind_size(dim);
    return checker_->resolve_type(type);
}

/// Binds the one unbound name of a dimension c * name + d.
bool ScriptBuilder::bind_size(ast::ExprId dim) {
    const auto names = unbound_names(*checker_, dim);
    if (names.size() != 1) return false;
    const std::string& name = *names.begin();
    if (!linear_form(*checker_, dim, name)) return false;
    if (!used_names_.insert(name).second && !symbol_spans_.count(name)) return false;
    const Span span = tree_[dim].span;
    frame_.names[name] = {Value(SizeValue{checker_->extents().symbol(name)}), span, true, false, {}};
    checker_->symbol_spans[name] = symbol_spans_[name] = span;
    return true;
}

std::optional<LoadStep> ScriptBuilder::load_step(const ast::Expr& call) {
    LoadStep step;
    size_t position = 0;
    for (size_t i = 1; i < call.operands.size(); ++i) {
        const std::string keyword = i - 1 < call.names.size() ? call.names[i - 1] : "";
        if (keyword == "columns") {
            auto columns = column_names(tree_[call.operands[i]]);
            if (!columns) return std::nullopt;
            step.columns = std::move(*columns);
            continue;
        }
        if (!keyword.empty() || position > 1) {
            checker_->error(keyword.empty() ? tree_[call.operands[i]].span : call.name_spans[i - 1],
                            "`load` takes a path, a key or a column, and `columns=[...]`");
            return std::nullopt;
        }
        const auto text =
            text_argument(checker_->argument(call.operands[i]), position == 0 ? "the path" : "the key");
        if (!text) return std::nullopt;
        (position++ == 0 ? step.path : step.key) = *text;
    }
    if (position > 0) return step;
    checker_->error(call.span, "`load` needs a path");
    return std::nullopt;
}

std::optional<std::vector<std::string>> ScriptBuilder::column_names(const ast::Expr& e) {
    std::vector<std::string> names;
    const bool list = e.kind == ast::ExprKind::array || e.kind == ast::ExprKind::tuple;
    for (ast::ExprId id : list ? e.operands : std::vector<ast::ExprId>{}) {
        const auto name = text_argument(checker_->argument(id), "a column");
        if (!name) return std::nullopt;
        names.push_back(*name);
    }
    if (!names.empty()) return names;
    checker_->error(e.span, "`columns` is a list of texts: `columns=[\"a\", \"b\"]`");
    return std::nullopt;
}

}  // namespace fuseline::dsl
