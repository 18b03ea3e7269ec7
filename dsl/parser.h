// Text to syntax tree: lexer and parser of the whole grammar.
#pragma once

#include <string>

#include "compiler/support/diagnostics.h"
#include "compiler/support/source.h"
#include "dsl/ast.h"

namespace fuseline {

/// Brackets and blocks may nest this deep; deeper is an error at the bracket that crosses the limit.
inline constexpr int kMaxNesting = 2500;

/// Parses file `file` of `sources`. All syntax errors of the file are reported, without follow-on noise;
/// the tree is usable only when none was.
ast::Tree parse(const SourceMap& sources, size_t file, Diagnostics& diagnostics);

/// The tree as indented text, one node a line, for `dump --stage ast` and tests.
std::string print_ast(const ast::Tree& tree);

}  // namespace fuseline
