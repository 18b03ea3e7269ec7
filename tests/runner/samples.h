// Values that tests feed to operators: special ones, and samples of a row's domain.
#pragma once

#include <random>
#include <vector>

#include "compiler/ops/host_array.h"
#include "compiler/ops/op_table.h"

namespace fuseline::testing {

/// NaN, infinities, zeros, subnormals, extremes, small whole numbers: every value that a rule of the language
/// names.
std::vector<Scalar> special_values(DType dtype);

/// A value of a domain: half of them spread evenly, half towards zero.
Scalar domain_sample(DType dtype, Domain domain, std::mt19937_64& random);

/// An array of samples; one value in `special_share` is special, none where it is 0.
HostArray random_array(DType dtype, std::vector<int64_t> shape, Domain domain, unsigned special_share,
                       std::mt19937_64& random);

/// A dense array that holds the values, repeated or cut to fill the shape.
HostArray array_of(DType dtype, std::vector<int64_t> shape, const std::vector<Scalar>& values);

}  // namespace fuseline::testing
