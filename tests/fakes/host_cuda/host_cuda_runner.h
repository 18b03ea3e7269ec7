// Runs one launch of the host shim: blocks one after the other; threads in plain loops, or as fibers where
// they wait for each other.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/codegen/emitters.h"
#include "tests/fakes/host_cuda/host_cuda_library.h"
#include "tests/fakes/host_cuda/host_cuda_memory.h"

namespace fuseline::host_cuda {

struct Launch {
    FlHostState* state = nullptr;
    FlHostEntry entry = nullptr;
    CudaGeometry geometry;
    void* const* buffers = nullptr;
    const unsigned long long* scalars = nullptr;
    const long long* sizes = nullptr;
    bool waits = false;  ///< the kernel has barriers or exchanges between lanes
};

/// What happened: counts, and the first fault ("" when there is none), after which the launch ended.
struct Outcome {
    AccessCount count;
    std::string fault;
};

/// One launch at a time in a process.
Outcome run(const Launch& launch, const Memory& memory);

}  // namespace fuseline::host_cuda
