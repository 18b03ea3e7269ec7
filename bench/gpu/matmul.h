// The product of two square matrices, with transfers told apart from the product.
#pragma once

#include <string>

#include "fuseline/fuseline.h"

namespace fuseline::bench {

/// Medians in ms, each of a call and the wait for its result.
struct MatmulTimes {
    std::string device;
    double product = 0;       ///< operands and result where the device computes
    double from_host = 0;     ///< the operands come from host memory
    double to_host = 0;       ///< the result goes to host memory
    double host_to_host = 0;  ///< both
    double first = 0;         ///< the first call, host to host: it loads what the product needs
    double error = 0;         ///< largest difference from sums in f64 on samples, over the largest sum
};

/// Multiplies two f32[n, n] of random numbers in 0 to 1. Throws Error.
MatmulTimes time_matmul(const Session& session, int64_t n);

}  // namespace fuseline::bench
