// Differential tests from the tables: every built operator, reduction, function of arrays, element type and
// kind of shape, on every device.
#pragma once

#include <string>
#include <vector>

#include "tests/runner/array_cases.h"
#include "tests/runner/devices.h"
#include "tests/runner/tally.h"

namespace fuseline::testing {

/// Rows with kExact, and all integer operations, give the interpreter's bits. Other functions lie within the
/// row's bound of the exact value, and all CPU variants give the same bits. `filter` chooses by "add f32".
void run_table_suite(const std::vector<TestDevice>& devices, const Sample& sample, const std::string& filter,
                     Tally& tally);

}  // namespace fuseline::testing
