// Special functions in long double: Halley's iteration on libm's functions, and series.
#include "compiler/ops/special_functions.h"

#include <cmath>
#include <iterator>
#include <limits>

namespace fuseline::special {
namespace {

constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();
constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
constexpr long double kPi = 3.14159265358979323846264338327950288L;
/// 2 / sqrt(pi): erf'(y) is this times exp(-y * y).
constexpr long double kSlope = 1.12837916709551257389615890312154517L;
constexpr int kMostRounds = 40;

/// A root y of erf(y) = x for |x| <= 0.5.
long double small_erfinv(long double x) {
    long double y = x / kSlope;
    for (int k = 0; k < kMostRounds; ++k) {
        const long double wrong = std::erf(y) - x;
        const long double step = wrong / (kSlope * std::exp(-y * y) + y * wrong);
        y -= step;
        if (std::fabs(step) <= std::fabs(y) * 1e-17L) break;
    }
    return y;
}

/// A root y > 0 of erfc(y) = x for 0 < x <= 0.5.
long double large_erfcinv(long double x) {
    const long double log = -std::log(x);
    long double y = std::sqrt(log);
    for (int k = 0; k < 3; ++k) y = std::sqrt(std::fmax(log - std::log(2 * y / kSlope), 0.2L));
    for (int k = 0; k < kMostRounds; ++k) {
        const long double wrong = std::erfc(y) - x;
        const long double step = wrong / (kSlope * std::exp(-y * y) - y * wrong);
        y += step;
        if (std::fabs(step) <= y * 1e-17L) break;
    }
    return y;
}

/// The only zero above 0 in two parts, and the Taylor coefficients of digamma(x) / (x - zero) about it.
constexpr long double kZero = 1.46163214496836234128091663864L;
constexpr long double kZeroRest = -1.8257096315963484214601e-20L;
constexpr long double kAboutZero[] = {
    0.9676722454476211704274448L,      -0.4427631689835921060928653L,     0.2584997609556510106244014L,
    -0.1639427054424065275042513L,     0.1078240506912623657571829L,      -0.07219956125645471092612178L,
    0.04880428816414310722509253L,     -0.0331611264748473592922584L,     0.02259764823221810465962483L,
    -0.01542476590494895913880032L,    0.01053879161661217538812405L,     -0.007204534386356868240970474L,
    0.004926781395729853446354266L,    -0.003369801655439328082792857L,   0.00230512632673492783693838L,
    -0.001576936771430197259270935L,   0.001078825201916296580691918L,    -0.0007380709389960051295660474L,
    0.0005049532658346020351773982L,   -0.000345468025106307699555568L,   0.000236356015640270527923696L,
    -0.0001617062209197480344935831L,  0.0001106337276874741090408716L,   -0.00007569179582195065919237709L,
    0.00005178575795222080868993268L,  -0.00003543007094765960631569882L, 0.00002424006611860131765268307L,
    -0.00001658424227185413337524254L, 0.00001134638458466384980670156L,  -0.000007762817668462094425267736L};
/// B(2k) / (2k) of the asymptotic series.
constexpr long double kAsymptotic[] = {
    0.08333333333333333333333333L,   -0.008333333333333333333333333L, 0.003968253968253968253968254L,
    -0.004166666666666666666666667L, 0.007575757575757575757575758L,  -0.0210927960927960927960928L,
    0.08333333333333333333333333L,   -0.4432598039215686274509804L,   3.053954330270119743803954L,
    -26.45621212121212121212121L,    281.460144927536231884058L,      -3607.510546398046398046398L,
    54827.58333333333333333333L,     -974936.8238505747126436782L};

long double polynomial(const long double* coefficients, size_t count, long double x) {
    long double sum = 0;
    for (size_t k = count; k-- > 0;) sum = sum * x + coefficients[k];
    return sum;
}

long double positive_digamma(long double x) {
    const long double distance = (x - kZero) - kZeroRest;
    if (std::fabs(distance) < 0.3L) return distance * polynomial(kAboutZero, std::size(kAboutZero), distance);
    long double before = 0;
    for (; x < 24; ++x) before += 1 / x;
    const long double square = 1 / (x * x);
    const long double rest = square * polynomial(kAsymptotic, std::size(kAsymptotic), square);
    return std::log(x) - 1 / (2 * x) - rest - before;
}

}  // namespace

long double erfinv(long double x) {
    const long double size = std::fabs(x);
    if (!(size <= 1)) return kNan;
    if (size == 1) return std::copysign(kInfinity, x);
    if (size == 0) return x;
    return size <= 0.5L ? small_erfinv(x) : std::copysign(large_erfcinv(1 - size), x);
}

long double erfcinv(long double x) {
    if (!(x >= 0 && x <= 2)) return kNan;
    if (x == 0) return kInfinity;
    if (x == 2) return -kInfinity;
    if (x >= 0.5L && x <= 1.5L) return small_erfinv(1 - x);
    return x < 1 ? large_erfcinv(x) : -large_erfcinv(2 - x);
}

long double normcdf(long double x) {
    if (std::isinf(x)) return x < 0 ? 0 : 1;
    // sqrt(1/2) in two parts: the rounding of the argument would grow with its square.
    constexpr long double kRoot = 0.707106781186547524381894036516L;
    constexpr long double kRootRest = 1.895032558893257079655062e-20L;
    const long double t = -x * kRoot;
    const long double lost = std::fma(-x, kRoot, -t) - x * kRootRest;
    const long double value = std::erfc(t);
    return t > 1 ? (value - 2 * t * lost * value) / 2 : value / 2;
}

long double normcdfinv(long double p) {
    constexpr long double kRootOf2 = 1.41421356237309504880168872420969808L;
    return -kRootOf2 * erfcinv(2 * p);
}

long double digamma(long double x) {
    if (x > 0) return std::isinf(x) ? x : positive_digamma(x);
    if (x == 0) return std::copysign(kInfinity, -x);
    const long double part = x - std::rint(x);
    if (std::isnan(x) || std::isinf(x) || part == 0) return kNan;
    // The cotangent of kPi * part from the nearer end, where the tangent is small.
    const long double size = std::fabs(part);
    const long double cot = size > 0.25L ? std::tan(kPi * (0.5L - size)) : 1 / std::tan(kPi * size);
    return positive_digamma(1 - x) - kPi * std::copysign(cot, part);
}

}  // namespace fuseline::special
