// What each workload computes, in f64.
#pragma once

#include <string>

namespace fuseline::bench {

/// Computes one element: values of the inputs there, values of the outputs; in the rows' order.
using Reference = void (*)(const double* in, double* out);

/// The reference of an entry function of bench/programs; null where there is none.
Reference reference_of(const std::string& function);

}  // namespace fuseline::bench
