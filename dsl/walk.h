// Walks over syntax trees, with an explicit stack.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dsl/ast.h"

namespace fuseline::dsl {

/// The expressions directly below one, in the order of writing (clauses and subscripts included, absent ones
/// left out).
std::vector<ast::ExprId> children(const ast::Tree& tree, const ast::Expr& e);

/// Calls `visit` for each expression at and below `root`, parents first; a `visit` that gives false skips
/// what is below.
void walk_expression(const ast::Tree& tree, ast::ExprId root,
                     const std::function<bool(const ast::Expr&)>& visit);

/// Calls `visit` for each statement of the block and of the blocks inside, in order.
void walk_statements(const ast::Tree& tree, std::span<const ast::StmtId> block,
                     const std::function<void(const ast::Stmt&)>& visit);

/// The expressions that stand directly in a statement (not in its blocks), absent ones left out.
std::vector<ast::ExprId> expressions_of(const ast::Stmt& s);

/// Both: every expression of every statement.
void walk_block(const ast::Tree& tree, std::span<const ast::StmtId> block,
                const std::function<bool(const ast::Expr&)>& visit);

/// Names that the statements of a block assign (not loop variables).
std::set<std::string> assigned_names(const ast::Tree& tree, std::span<const ast::StmtId> block);

/// Whether a statement of this kind stands in the block; `break` and `continue` of inner loops do not count.
bool contains_jump(const ast::Tree& tree, std::span<const ast::StmtId> block, ast::StmtKind kind);

/// Whether a block cannot be left at its end: it ends in `return`, `break` or `continue`, or in an `if` of
/// such blocks.
bool always_jumps(const ast::Tree& tree, std::span<const ast::StmtId> block);

}  // namespace fuseline::dsl
