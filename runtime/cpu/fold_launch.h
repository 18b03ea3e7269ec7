// Launches of kernels with folds: outputs in pieces, or the chunks of few outputs.
#pragma once

#include "compiler/codegen/emitters.h"
#include "compiler/codegen/llvm_cost.h"
#include "runtime/cpu/orc_engine.h"
#include "runtime/cpu/parallel_for.h"
#include "runtime/device/device.h"

namespace fuseline {

/// Runs one launch. Bits do not depend on the number of threads. Pieces hold multiples of `together` steps of
/// the outermost axis.
void launch_folds(ParallelFor& workers, CpuFoldKernel kernel, const CpuRange& range, const CpuCost& cost,
                  int64_t together, const LaunchArguments& arguments);

}  // namespace fuseline
