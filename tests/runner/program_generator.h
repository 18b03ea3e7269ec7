// Random programs of the language: typed expressions over arrays, elemental functions with loops, reductions,
// views, updates of slices, loops and branches over arrays, several results.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "compiler/ops/op_table.h"
#include "tests/runner/reproducer.h"

namespace fuseline::testing {

/// Programs from seeds; equal settings give equal programs. With smaller limits a seed gives a smaller
/// program that begins in the same way.
struct GeneratorSettings {
    uint64_t seed = 1;
    bool exact = true;  ///< only operators that give the same bits on every device
    size_t steps = 14;  ///< statements of the entry
    size_t body = 5;    ///< statements of an elemental function, those in blocks not counted
    int64_t largest_size = 100;
};

/// A program with one entry function `f` and arguments for it, special values among them.
ProgramCall random_program(const GeneratorSettings& settings);

}  // namespace fuseline::testing
