// The lines of a source file that compiled code stands for, as reports and explanations write them.
#pragma once

#include <string>

#include "compiler/ir/ir.h"

namespace fuseline {

/// "prices.dsl:5" or "prices.dsl:5-9"; "" for an unknown span. The file is that of the span's beginning.
std::string span_lines(Span span, const SourceMap& sources);

/// The lines of all nodes of a kernel in the file of the first one.
std::string kernel_lines(const ir::Function& kernel, const SourceMap& sources);

}  // namespace fuseline
