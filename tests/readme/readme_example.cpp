// The C++ example of README.md as it stands there, and a test of the prices that it computes.
#include <readme_includes.inc>

#include <cmath>
#include <cstdio>

namespace {

double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Black and Scholes' formula in double precision.
double call_price(double s, double k, double t, double r, double sigma) {
    const double d1 = (std::log(s / k) + (r + sigma * sigma / 2) * t) / (sigma * std::sqrt(t));
    return s * normal(d1) - k * std::exp(-r * t) * normal(d1 - sigma * std::sqrt(t));
}

}  // namespace

int main() {
#include <readme_body.inc>
    int failed = call.size() == s.size() ? 0 : 1;
    for (std::size_t i = 0; i < call.size(); ++i) {
        const double expected = call_price(s[i], k[i], t[i], 0.02, 0.3);
        if (std::abs(call[i] - expected) > 1e-4 * expected) ++failed;
        std::printf("call %zu: %.7g, expected %.7g\n", i, static_cast<double>(call[i]), expected);
    }
    std::printf("%d passed, %d failed\n", failed == 0, failed != 0);
    return failed == 0 ? 0 : 1;
}
