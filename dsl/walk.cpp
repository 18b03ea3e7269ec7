// Walks over syntax trees, with an explicit stack.
#include "dsl/walk.h"

#include <algorithm>

namespace fuseline::dsl {

namespace {

void add(std::vector<ast::ExprId>& out, ast::ExprId id) {
    if (id) out.push_back(id);
}

}  // namespace

std::vector<ast::ExprId> children(const ast::Tree&, const ast::Expr& e) {
    std::vector<ast::ExprId> out;
    for (ast::ExprId id : e.operands) add(out, id);
    for (const ast::Subscript& s : e.subscripts) {
        for (ast::ExprId id : {s.value, s.start, s.stop, s.step}) add(out, id);
    }
    for (const ast::Clause& c : e.clauses) add(out, c.range);
    add(out, e.filter);
    return out;
}

void walk_expression(const ast::Tree& tree, ast::ExprId root,
                     const std::function<bool(const ast::Expr&)>& visit) {
    std::vector<ast::ExprId> todo{root};
    while (!todo.empty()) {
        const ast::Expr& e = tree[todo.back()];
        todo.pop_back();
        if (!visit(e)) continue;
        const std::vector<ast::ExprId> below = children(tree, e);
        todo.insert(todo.end(), below.rbegin(), below.rend());
    }
}

void walk_statements(const ast::Tree& tree, std::span<const ast::StmtId> block,
                     const std::function<void(const ast::Stmt&)>& visit) {
    std::vector<ast::StmtId> todo(block.rbegin(), block.rend());
    while (!todo.empty()) {
        const ast::Stmt& s = tree[todo.back()];
        todo.pop_back();
        visit(s);
        todo.insert(todo.end(), s.otherwise.rbegin(), s.otherwise.rend());
        todo.insert(todo.end(), s.body.rbegin(), s.body.rend());
    }
}

std::vector<ast::ExprId> expressions_of(const ast::Stmt& s) {
    std::vector<ast::ExprId> out;
    for (const ast::Target& t : s.targets) {
        for (const ast::Subscript& k : t.subscripts) {
            for (ast::ExprId id : {k.value, k.start, k.stop, k.step}) add(out, id);
        }
    }
    if (s.type) {
        for (ast::ExprId id : s.type->dims) add(out, id);
    }
    add(out, s.value);
    add(out, s.message);
    add(out, s.loop.range);
    return out;
}

void walk_block(const ast::Tree& tree, std::span<const ast::StmtId> block,
                const std::function<bool(const ast::Expr&)>& visit) {
    walk_statements(tree, block, [&](const ast::Stmt& s) {
        for (ast::ExprId id : expressions_of(s)) walk_expression(tree, id, visit);
    });
}

std::set<std::string> assigned_names(const ast::Tree& tree, std::span<const ast::StmtId> block) {
    std::set<std::string> names;
    walk_statements(tree, block, [&](const ast::Stmt& s) {
        for (const ast::Target& t : s.targets) names.insert(t.name);
    });
    return names;
}

bool contains_jump(const ast::Tree& tree, std::span<const ast::StmtId> block, ast::StmtKind kind) {
    std::vector<ast::StmtId> todo(block.begin(), block.end());
    while (!todo.empty()) {
        const ast::Stmt& s = tree[todo.back()];
        todo.pop_back();
        if (s.kind == kind) return true;
        const bool loop = s.kind == ast::StmtKind::while_ || s.kind == ast::StmtKind::for_;
        if (loop && kind != ast::StmtKind::return_) continue;
        todo.insert(todo.end(), s.body.begin(), s.body.end());
        todo.insert(todo.end(), s.otherwise.begin(), s.otherwise.end());
    }
    return false;
}

bool always_jumps(const ast::Tree& tree, std::span<const ast::StmtId> block) {
    std::vector<std::span<const ast::StmtId>> todo{block};
    while (!todo.empty()) {
        const auto at = todo.back();
        todo.pop_back();
        if (at.empty()) return false;
        const ast::Stmt& last = tree[at.back()];
        switch (last.kind) {
            case ast::StmtKind::return_:
            case ast::StmtKind::break_:
            case ast::StmtKind::continue_: break;
            case ast::StmtKind::if_:
                todo.push_back(last.body);
                todo.push_back(last.otherwise);
                break;
            default: return false;
        }
    }
    return true;
}

}  // namespace fuseline::dsl
