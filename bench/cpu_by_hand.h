// Loops as a programmer writes them, compiled for this machine with all optimisations that keep the
// arithmetic.
#pragma once

#include <cstdint>

namespace fuseline::by_hand {

struct Options {
    const float* spot;
    const float* strike;
    const float* years;
};

void triad(float* out, const float* x, const float* y, float a, int64_t n);
void black_scholes(Options options, float* call, float* put, float rate, float sigma, int64_t n);

}  // namespace fuseline::by_hand
