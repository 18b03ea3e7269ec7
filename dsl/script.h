// The top-level statements of a file as steps.
#pragma once

#include <set>
#include <string>

#include "compiler/support/diagnostics.h"
#include "dsl/module.h"
#include "dsl/program.h"

namespace fuseline::dsl {

/// Names that the script assigns and its params.
std::set<std::string, std::less<>> names_of_script(const ast::Tree& tree);

/// Fills program.params and program.script; after a fault the script has no steps.
void build_script(Modules& modules, Program& program, Diagnostics& diagnostics);

}  // namespace fuseline::dsl
