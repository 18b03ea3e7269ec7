// Random programs of the language: typed expressions over arrays, elemental functions with loops, several results.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "compiler/ops/op_table.h"
#include "tests/runner/reproducer.h"

namespace fuseline::testing {

/// Programs from seeds; equal arguments give equal programs. With fewer `steps` a seed gives a shorter program that begins
/// in the same way.
struct GeneratorSettings {
    uint64_t seed = 1;
    size_t steps = 12;
    bool exact = true;  ///< only operators that give the same bits on every device
};

/// A program with one entry function `f` and arguments for it, special values among them.
ProgramCall random_program(const GeneratorSettings& settings);

}  // namespace fuseline::testing
