// Names and calls in functions that nothing has called.
#include "dsl/unused.h"

#include <fmt/format.h>

#include "dsl/bind.h"
#include "dsl/builtins.h"
#include "dsl/parser.h"
#include "dsl/walk.h"
#include "embedded/dsl_prelude.h"

namespace fuseline::dsl {

std::vector<std::string> prelude_names() {
    SourceMap sources;
    Diagnostics diagnostics;
    const ast::Tree tree =
        parse(sources, sources.add("prelude.dsl", std::string(embedded::kDslPrelude)), diagnostics);
    std::vector<std::string> names;
    for (const ast::Function& f : tree.functions) names.push_back(f.name);
    std::sort(names.begin(), names.end());
    return names;
}

namespace {

/// Parameters, dimensions, type variables, locals, loop variables and results of a function, each as an error
/// value, so that only names from outside are judged.
Environment local_names(const FunctionDefinition& f) {
    const ast::Tree& tree = f.module->tree;
    Environment names;
    const auto add = [&](const std::string& name) { names[name] = Binding{}; };
    const auto add_dims = [&](const ast::TypeExpr& type) {
        add(type.name);
        for (ast::ExprId dim : type.dims) {
            walk_expression(tree, dim, [&](const ast::Expr& e) {
                if (e.kind == ast::ExprKind::name) add(e.text);
                return true;
            });
        }
    };
    for (const ast::Parameter& p : f.ast->parameters) {
        add(p.name);
        names[p.name].parameter = true;
        if (p.type) add_dims(*p.type);
    }
    for (const ast::Result& r : f.ast->results) add(r.name);
    for (const std::string& name : assigned_names(tree, f.ast->body)) add(name);
    walk_statements(tree, f.ast->body, [&](const ast::Stmt& s) {
        if (s.kind == ast::StmtKind::for_) add(s.loop.name);
    });
    return names;
}

class UnusedChecker {
public:
    UnusedChecker(Checker& c, const FunctionDefinition& f) : c_(c), f_(f) {
        frame_.module = f.module;
        frame_.function = &f;
        frame_.names = local_names(f);
        c_.frame = &frame_;
    }

    void run() {
        for (const ast::Parameter& p : f_.ast->parameters) {
            if (p.type && !dtype_named(p.type->name) && !near_dtype(p.type->name).empty())
                c_.element_dtype(*p.type);
        }
        walk_block(f_.module->tree, f_.ast->body, [&](const ast::Expr& e) { return visit(e); });
    }

private:
    bool visit(const ast::Expr& e) {
        for (const ast::Clause& clause : e.clauses) frame_.names[clause.name];
        if (e.kind == ast::ExprKind::name && !callees_.count(&e)) c_.name_value(e);
        if (e.kind != ast::ExprKind::call) return true;
        const ast::Expr& callee = c_.expr(e.operands[0]);
        callees_.insert(&callee);
        if (callee.kind == ast::ExprKind::name && frame_.names.count(callee.text)) return true;
        if (c_.refuse_callee(e)) return false;
        const FunctionDefinition* g =
            callee.kind == ast::ExprKind::name ? c_.modules.find(callee.text) : nullptr;
        if (g && !g->recursive) check_call(e, *g);
        return true;
    }

    /// Counts and keywords of the arguments; their values are not known.
    void check_call(const ast::Expr& e, const FunctionDefinition& g) {
        Call call{e.span, c_.expr(e.operands[0]).span, g.name(), {}};
        for (size_t i = 1; i < e.operands.size(); ++i) {
            Argument a{Value(NoneValue{}), c_.expr(e.operands[i]).span, {}, {}};
            if (i - 1 < e.names.size()) {
                a.name = e.names[i - 1];
                a.name_span = e.name_spans[i - 1];
            }
            call.arguments.push_back(std::move(a));
        }
        std::vector<std::optional<Argument>> slots;
        c_.match_arguments(g, call, slots);
    }

    Checker& c_;
    const FunctionDefinition& f_;
    Frame frame_;
    std::set<const ast::Expr*> callees_;  ///< judged as such, not as values
};

}  // namespace

void check_unused(Modules& modules, const std::set<std::string, std::less<>>& script_names,
                  Diagnostics& diagnostics) {
    for (const FunctionDefinition* f : modules.in_order) {
        if (f->elaborated) continue;
        Checker checker(modules, diagnostics, f->name());
        checker.script_names = script_names;
        UnusedChecker(checker, *f).run();
    }
}

}  // namespace fuseline::dsl
