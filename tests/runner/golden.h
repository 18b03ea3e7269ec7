// Golden cases: a program or IR text, and what the stages of the compiler print for it.
#pragma once

#include "tests/runner/tally.h"
#include "tests/runner/test_file.h"

namespace fuseline::testing {

/// Whether a case is one of text snapshots: it has an input section and no `call` or `stdout`.
bool is_golden(const TestCase& test);

/// Compares every expected section; with `update` writes what was found into the case instead. Gives whether
/// it changed. Names of sections and words of `args` stand in golden.cpp.
bool run_golden(const TestFile& file, TestCase& test, bool update, Tally& tally);

}  // namespace fuseline::testing
