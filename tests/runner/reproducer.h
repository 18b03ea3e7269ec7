// Programs with their arguments, run on a device and printed so that a failure can be pasted into a behaviour
// file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/ops/host_array.h"
#include "tests/runner/devices.h"

namespace fuseline::testing {

using NamedArrays = std::vector<std::pair<std::string, HostArray>>;

/// One call of a function of a program.
struct ProgramCall {
    std::string program;
    std::string function;
    NamedArrays arguments;
};

/// The results of a call in a session of its own. Throws Error.
NamedArrays run_call(const TestDevice& device, const ProgramCall& call, const Settings& settings = {});

/// A behaviour case: program, arguments and the expected results.
std::string reproducer(const std::string& title, const ProgramCall& call, const NamedArrays& expected);

/// Which optional pass, left out, makes the call give `expected` on the device: "fold, simplify"; "" where
/// none does.
std::string guilty_passes(const TestDevice& device, const ProgramCall& call, const NamedArrays& expected);

/// "" where both lists are the same bits; else what differs.
std::string difference_of(const NamedArrays& expected, const NamedArrays& found);

}  // namespace fuseline::testing
