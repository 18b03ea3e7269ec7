// Built with -O3 -march=native.
#include "bench/cpu_by_hand.h"

#include <cmath>

namespace fuseline::by_hand {

void triad(float* __restrict out, const float* __restrict x, const float* __restrict y, float a, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = a * x[i] + y[i];
}

void black_scholes(Options o, float* __restrict call, float* __restrict put, float rate, float sigma,
                   int64_t n) {
    constexpr float kRoot = 0.70710678f;
    for (int64_t i = 0; i < n; ++i) {
        const float s = o.spot[i], k = o.strike[i], t = o.years[i];
        const float spread = sigma * std::sqrt(t);
        const float d1 = (std::log(s / k) + (rate + 0.5f * sigma * sigma) * t) / spread;
        const float d2 = d1 - spread;
        const float n1 = 0.5f * (1 + std::erf(d1 * kRoot));
        const float n2 = 0.5f * (1 + std::erf(d2 * kRoot));
        const float present = k * std::exp(-rate * t);
        call[i] = s * n1 - present * n2;
        put[i] = call[i] - s + present;
    }
}

}  // namespace fuseline::by_hand
