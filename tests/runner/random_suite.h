// Differential tests of random programs: every device, fused and not, gives the interpreter's bits.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/runner/devices.h"
#include "tests/runner/tally.h"

namespace fuseline::testing {

/// Programs of seeds `first`, `first` + 1, ... A failure prints the shortest program of its seed that fails,
/// as a behaviour case, and which passes it needs. Every fourth program uses inexact functions too and is
/// compared among the variants of one device, which must agree.
void run_random_suite(const std::vector<TestDevice>& devices, uint64_t first, uint64_t count, Tally& tally);

}  // namespace fuseline::testing
