// Functions over arrays, written from the tables of reductions and built-in functions, and their comparison
// on all devices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/runner/devices.h"
#include "tests/runner/reproducer.h"
#include "tests/runner/tally.h"

namespace fuseline::testing {

/// The part of the cases that runs: all, or one in `one_in`, chosen by the seed and the case's title alone.
struct Sample {
    uint64_t one_in = 1, seed = 1;

    bool takes(const std::string& title) const;
};

/// A program with the entry `f`, called with each list of arguments, small ones first.
struct ArrayCase {
    std::string title;  ///< "sum f16, first axis, transposed, where"
    std::string program;
    std::vector<NamedArrays> calls;
};

/// Every reduction, element type and choice of axes, with layouts, options and shapes in turn.
std::vector<ArrayCase> reduction_cases(const Sample& sample, const std::string& filter);
/// Every function of views and shapes, and slices and updates, on layouts, element types and shapes in turn.
std::vector<ArrayCase> view_cases(const Sample& sample, const std::string& filter);

/// Every device gives the interpreter's bits, or its error; where a function is inexact, the variants of one
/// kind of device give the same bits.
void run_array_cases(const std::vector<ArrayCase>& cases, const std::vector<TestDevice>& devices,
                     Tally& tally);

/// How a case's array lies in memory: the expression of a function's argument `x` that gives it.
struct Layout {
    const char* name;
    /// Of the parameter and of the argument, in rank 3, 2 and 1; null where there is none.
    struct Form {
        const char *shape, *expression;
    } forms[3];
    const Form& of_rank(size_t rank) const { return forms[3 - rank]; }
};
const std::vector<Layout>& layouts();

/// Extents of a parameter's shape, "[n, 2*m]", with k, l, p for n, m, p and factors of one digit.
std::vector<int64_t> extents_of(std::string_view shape, const std::vector<int64_t>& sizes);

}  // namespace fuseline::testing
