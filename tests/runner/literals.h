// Arrays written in test files, and how they are compared.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "compiler/ops/host_array.h"

namespace fuseline::testing {

/// Reads "f32[2, 3] = [[1, nan, -0.0], [0.5, inf, 2]]". In place of a literal: `iota`, `iota(first, step)`,
/// `linspace(first, last)`, `full(value)` or `load("x.npy")`, a path from `folder`. Throws UserError.
HostArray parse_array(std::string_view text, const std::string& folder);

/// How far a result may be from what is expected. Any NaN equals any NaN.
struct Tolerance {
    enum class Kind { exact, ulp, rel, abs } kind = Kind::exact;
    double limit = 0;
};
/// "exact", "ulp 2", "rel 1e-6", "abs 1e-9". Throws UserError.
Tolerance parse_tolerance(std::string_view text);

/// "" where `found` agrees with `expected`; else the first elements that do not, with their indices and
/// values.
std::string difference(const HostArray& expected, const HostArray& found, const Tolerance& tolerance = {});

/// As difference, with a test of one element's own; both arrays have the same type and shape.
std::string difference_where(const HostArray& expected, const HostArray& found,
                             const std::function<bool(int64_t position)>& differs);

/// Whether two elements are the same bits, or both NaN.
bool same_element(DType dtype, Scalar a, Scalar b);

/// "f32[2, 3] = [1, nan, -0.0, 0.5, inf, 2]": reads back.
std::string array_literal(const HostArray& array);

}  // namespace fuseline::testing
