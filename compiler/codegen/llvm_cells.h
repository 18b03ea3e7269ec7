// One elementwise operation as LLVM text, from its cell of the operator table.
#pragma once

#include "compiler/codegen/llvm_writer.h"

namespace fuseline {

/// Appends the instruction or call and defines the node's result.
void write_llvm_operation(LlvmWriter& writer, ir::NodeId id);

}  // namespace fuseline
