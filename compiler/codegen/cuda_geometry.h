// What the text of a kernel and its launch must agree on.
#pragma once

#include <map>
#include <string>

#include "compiler/codegen/emitters.h"
#include "compiler/ir/ir.h"

namespace fuseline {

struct CudaFolds;

/// Threads of a block: with one 16-byte access a thread, the count that copies fastest.
inline constexpr int kCudaThreads = 128;

/// The one nest of a kernel's body.
ir::NodeId cuda_nest(const ir::Function& kernel);

/// The geometry of a kernel with folds for `outputs` > 0 elements of its nest. Any geometry gives the same
/// bits; this one fills a GPU.
CudaGeometry cuda_fold_geometry(const ir::Function& kernel, const CudaFolds& folds, int64_t outputs,
                                const std::map<std::string, int64_t>& sizes);

}  // namespace fuseline
