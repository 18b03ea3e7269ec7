// Behaviour cases: a program, calls with literal inputs and expected values, on every device.
#pragma once

#include <string>
#include <vector>

#include "tests/runner/devices.h"
#include "tests/runner/tally.h"
#include "tests/runner/test_file.h"

namespace fuseline::testing {

/// Whether a case has calls, or a script with an expected output.
bool is_behaviour(const TestCase& test);

/// Runs cases on all devices and counts each pair. A `call` section has lines
///
///     fn: NAME
///     in NAME: TYPE = LITERAL        (see literals.h; a line that begins with a blank goes on)
///     out NAME: TYPE = LITERAL
///     within: TOLERANCE              for the `out` lines after it; exact at first
///     error: TEXT                    what the message contains; there may be several
///     compiles: N                    kernels that this call compiles (calls of a case share a session)
///     launches: N                    kernels that this call launches
///
/// A script has `stdout` (all lines that it prints), `stderr` (the message that ends it) or both; `set` has
/// lines NAME=VALUE for its params.
void run_behaviour(const TestFile& file, const std::vector<const TestCase*>& tests,
                   const std::vector<TestDevice>& devices, Tally& tally);

/// Compiles what the cases need ahead where that is faster (see prepare_kernels).
void prepare_behaviour(const std::vector<const TestCase*>& tests, const TestDevice& device);

}  // namespace fuseline::testing
