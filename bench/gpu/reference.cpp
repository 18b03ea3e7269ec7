// The workloads' formulas.
#include "bench/gpu/reference.h"

#include <array>
#include <cmath>
#include <utility>

namespace fuseline::bench {
namespace {

void copy(const double* in, double* out) { out[0] = in[0]; }

void triad(const double* in, double* out) { out[0] = 2.5 * in[0] + in[1]; }

void chain(const double* in, double* out) {
    const double x = in[0];
    const double p = (((((0.01 * x - 0.02) * x + 0.03) * x - 0.04) * x + 0.05) * x - 0.06) * x + 0.07;
    const double s = std::sin(x) * std::exp(-0.5 * x * x);
    out[0] = x > 0 ? p + s : p - 0.5 * s;
}

void chain50(const double* in, double* out) {
    double x = in[0];
    for (int i = 0; i < 25; ++i) x = x * 1.0001 + 0.001;
    out[0] = x;
}

double cdf(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }

void black_scholes(const double* in, double* out) {
    const double s = in[0], k = in[1], t = in[2], r = in[3], v = in[4];
    const double d1 = (std::log(s / k) + (r + 0.5 * v * v) * t) / (v * std::sqrt(t));
    const double d2 = d1 - v * std::sqrt(t);
    const double discounted = k * std::exp(-r * t);
    out[0] = s * cdf(d1) - discounted * cdf(d2);
    out[1] = out[0] - s + discounted;
}

void broadcast(const double* in, double* out) { out[0] = 1.25 * in[0] * in[1] + in[2]; }

void adam(const double* in, double* out) {
    const double m = 0.9 * in[2] + 0.1 * in[1], v = 0.999 * in[3] + 0.001 * in[1] * in[1];
    out[0] = in[0] - 0.001 * (m * 10) / (std::sqrt(v * 1000) + 1e-8);
    out[1] = m;
    out[2] = v;
}

void mandelbrot(const double* in, double* out) {
    double zr = 0, zi = 0, steps = 0;
    for (int i = 0; i < 100 && zr * zr + zi * zi <= 4; ++i) {
        const double next = zr * zr - zi * zi + in[0];
        zi = 2 * zr * zi + in[1];
        zr = next;
        ++steps;
    }
    out[0] = steps;
}

}  // namespace

Reference reference_of(const std::string& function) {
    static constexpr std::array<std::pair<const char*, Reference>, 8> kReferences = {{
        {"copy", copy},
        {"triad", triad},
        {"chain", chain},
        {"chain50", chain50},
        {"black_scholes", black_scholes},
        {"broadcast", broadcast},
        {"adam", adam},
        {"mandelbrot", mandelbrot},
    }};
    for (const auto& [name, reference] : kReferences) {
        if (function == name) return reference;
    }
    return nullptr;
}

}  // namespace fuseline::bench
