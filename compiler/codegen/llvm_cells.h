// One elementwise operation as LLVM text, from its cells of the operator table.
#pragma once

#include "compiler/codegen/llvm_writer.h"

namespace fuseline {

/// Appends the instructions or calls and defines the node's result.
void write_llvm_operation(LlvmWriter& writer, ir::NodeId id);

/// Appends one step on one operand under the given name, which it gives back.
std::string write_llvm_step(LlvmWriter& writer, const LlvmStep& step, const std::string& operand, int lanes,
                            const std::string& name);

}  // namespace fuseline
