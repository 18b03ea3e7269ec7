// In what two kernels differ that are nearly the same.
#pragma once

#include <string>

namespace fuseline {

/// "f32 -> f64, 4 -> 2" for key texts that differ in few words, "axes and strides" for the same operations on
/// arrays of another form; "" for kernels that have little in common.
std::string kernel_difference(const std::string& from, const std::string& to);

}  // namespace fuseline
