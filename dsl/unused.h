// Looks at functions that nothing has called: unknown names and wrong calls are errors there too.
#pragma once

#include <set>
#include <string>

#include "compiler/support/diagnostics.h"
#include "dsl/module.h"

namespace fuseline::dsl {

void check_unused(Modules& modules, const std::set<std::string, std::less<>>& script_names,
                  Diagnostics& diagnostics);

/// The functions of the prelude, sorted.
std::vector<std::string> prelude_names();

}  // namespace fuseline::dsl
