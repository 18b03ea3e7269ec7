// LLVM text of functions that call SLEEF for the vectors that a kernel uses.
#pragma once

#include <set>
#include <string>

#include "compiler/codegen/llvm_prelude.h"

namespace fuseline {

/// Inserts an instance, and where its cell is SLEEF's the narrower or wider one that it is computed by.
void add_with_sleef_parts(const PreludeInstance& instance, const Target& target,
                          std::set<PreludeInstance>& wanted);

/// Definition of `instance`, whose cell is SLEEF's, with the declaration of the symbol that it calls.
std::string sleef_definition(const PreludeInstance& instance, const Target& target);

}  // namespace fuseline
