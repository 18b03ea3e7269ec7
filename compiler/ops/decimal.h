// The shortest decimal of a float.
#pragma once

#include <string>

#include "compiler/ops/dtype.h"

namespace fuseline {

/// "-1.25e-07" taken apart: sign, digits without the point, exponent of the first digit.
struct Decimal {
    bool negative = false;
    std::string digits;
    int exponent = 0;
};

/// The shortest decimal that reads back to the same finite float, the nearest one of its length.
Decimal shortest_decimal(DType dtype, Scalar value);

}  // namespace fuseline
