// What the text of a map kernel and its launch must agree on.
#pragma once

#include "compiler/ir/ir.h"

namespace fuseline {

/// Threads of a block: with one 16-byte access a thread, the count that copies fastest.
inline constexpr int kCudaThreads = 128;

/// The one nest of a kernel's body.
ir::NodeId cuda_nest(const ir::Function& kernel);

}  // namespace fuseline
