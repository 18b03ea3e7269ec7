// What a graph's text says about sizes.
#pragma once

#include <set>
#include <string>

#include "compiler/ir/ir.h"

namespace fuseline::dsl {

/// The size symbols in the types and attributes of a function's nodes, without the counters of loops.
std::set<std::string> symbols_of(const ir::Function& f);

/// Whether running it tests a condition of the program: such a graph runs even if nothing wants its results.
bool has_checks(const ir::Function& f);

}  // namespace fuseline::dsl
