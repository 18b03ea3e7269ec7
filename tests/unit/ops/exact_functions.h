// Exact values of the table's functions by MPFR, and errors against them in units in the last place.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <string_view>

#include "compiler/ops/op_table.h"

namespace fuseline::testing {

/// An MPFR number wide enough that its own error does not count.
class Exact {
public:
    Exact() { mpfr_init2(value_, 320); }
    ~Exact() { mpfr_clear(value_); }
    Exact(const Exact&) = delete;
    Exact& operator=(const Exact&) = delete;
    mpfr_ptr get() { return value_; }

private:
    mpfr_t value_;
};

/// y with erfc(y) = x, or erf(y) = x where `small`: Newton's iteration from a double, doubling the digits.
inline void exact_erf_root(mpfr_srcptr x, bool small, Exact& y) {
    Exact value, slope, step;
    for (int round = 0; round < 200; ++round) {
        (small ? mpfr_erf : mpfr_erfc)(value.get(), y.get(), MPFR_RNDN);
        mpfr_sub(value.get(), value.get(), x, MPFR_RNDN);
        mpfr_sqr(slope.get(), y.get(), MPFR_RNDN);
        mpfr_exp(slope.get(), slope.get(), MPFR_RNDN);
        mpfr_const_pi(step.get(), MPFR_RNDN);
        mpfr_sqrt(step.get(), step.get(), MPFR_RNDN);
        mpfr_mul(step.get(), step.get(), slope.get(), MPFR_RNDN);
        mpfr_mul(step.get(), step.get(), value.get(), MPFR_RNDN);
        mpfr_div_2ui(step.get(), step.get(), 1, MPFR_RNDN);
        (small ? mpfr_sub : mpfr_add)(y.get(), y.get(), step.get(), MPFR_RNDN);
        if (mpfr_zero_p(step.get()) || mpfr_get_exp(step.get()) < mpfr_get_exp(y.get()) - 200) return;
    }
}

/// Inverse of erfc.
inline void exact_erfcinv(mpfr_srcptr x, Exact& y) {
    Exact part;
    const bool small = mpfr_cmp_d(x, 0.5) >= 0 && mpfr_cmp_d(x, 1.5) <= 0;
    const bool upper = mpfr_cmp_ui(x, 1) > 0;
    if (mpfr_nan_p(x) || mpfr_sgn(x) < 0 || mpfr_cmp_ui(x, 2) > 0) return mpfr_set_nan(y.get());
    if (mpfr_zero_p(x) || mpfr_cmp_ui(x, 2) == 0) return mpfr_set_inf(y.get(), upper ? -1 : 1);
    if (small) {
        mpfr_ui_sub(part.get(), 1, x, MPFR_RNDN);
        mpfr_set(y.get(), part.get(), MPFR_RNDN);
        if (!mpfr_zero_p(part.get())) exact_erf_root(part.get(), true, y);
        return;
    }
    if (upper) {
        mpfr_ui_sub(part.get(), 2, x, MPFR_RNDN);
    } else {
        mpfr_set(part.get(), x, MPFR_RNDN);
    }
    // From a little below the root the iteration rises to it: erfc falls and is convex there.
    const double log = -std::log(mpfr_get_d(part.get(), MPFR_RNDN));
    double start = std::sqrt(log);
    for (int k = 0; k < 4; ++k) start = std::sqrt(std::fmax(log - std::log(1.7724538509055159 * start), 0.1));
    mpfr_set_d(y.get(), start * 0.95, MPFR_RNDN);
    exact_erf_root(part.get(), false, y);
    if (upper) mpfr_neg(y.get(), y.get(), MPFR_RNDN);
}

/// The functions of the normal distribution; false for another name.
inline bool exact_normal(std::string_view function, Exact& x, Exact& result) {
    Exact t;
    if (function == "normcdf") {
        mpfr_set_d(t.get(), 0.5, MPFR_RNDN);
        mpfr_sqrt(t.get(), t.get(), MPFR_RNDN);
        mpfr_mul(t.get(), t.get(), x.get(), MPFR_RNDN);
        mpfr_neg(t.get(), t.get(), MPFR_RNDN);
        mpfr_erfc(result.get(), t.get(), MPFR_RNDN);
        mpfr_div_2ui(result.get(), result.get(), 1, MPFR_RNDN);
    } else if (function == "erfinv") {
        if (mpfr_cmpabs_ui(x.get(), 0) == 0 || mpfr_get_exp(x.get()) < 0) {
            mpfr_set(result.get(), x.get(), MPFR_RNDN);
            if (!mpfr_zero_p(x.get())) exact_erf_root(x.get(), true, result);
        } else {
            mpfr_ui_sub(t.get(), 1, x.get(), MPFR_RNDN);
            exact_erfcinv(t.get(), result);
        }
    } else if (function == "erfcinv") {
        exact_erfcinv(x.get(), result);
    } else if (function == "normcdfinv") {
        mpfr_mul_2ui(t.get(), x.get(), 1, MPFR_RNDN);
        exact_erfcinv(t.get(), result);
        mpfr_sqrt_ui(t.get(), 2, MPFR_RNDN);
        mpfr_mul(result.get(), result.get(), t.get(), MPFR_RNDN);
        mpfr_neg(result.get(), result.get(), MPFR_RNDN);
    } else {
        return false;
    }
    return true;
}

/// Computes f(x) or f(x, y); false when there is no exact function of that name.
inline bool exact_value(std::string_view function, double x, double y, Exact& result) {
    struct One {
        std::string_view name;
        int (*function)(mpfr_t, mpfr_srcptr, mpfr_rnd_t);
    };
    struct Two {
        std::string_view name;
        int (*function)(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
    };
    static constexpr One kOne[] = {
        {"rsqrt", mpfr_rec_sqrt},  {"cbrt", mpfr_cbrt},   {"exp", mpfr_exp},   {"exp2", mpfr_exp2},
        {"exp10", mpfr_exp10},     {"expm1", mpfr_expm1}, {"log", mpfr_log},   {"log2", mpfr_log2},
        {"log10", mpfr_log10},     {"log1p", mpfr_log1p}, {"sin", mpfr_sin},   {"cos", mpfr_cos},
        {"tan", mpfr_tan},         {"asin", mpfr_asin},   {"acos", mpfr_acos}, {"atan", mpfr_atan},
        {"sinh", mpfr_sinh},       {"cosh", mpfr_cosh},   {"tanh", mpfr_tanh}, {"asinh", mpfr_asinh},
        {"acosh", mpfr_acosh},     {"atanh", mpfr_atanh}, {"erf", mpfr_erf},   {"erfc", mpfr_erfc},
        {"digamma", mpfr_digamma},
    };
    static constexpr Two kTwo[] = {{"pow", mpfr_pow}, {"atan2", mpfr_atan2}, {"hypot", mpfr_hypot}};
    Exact a;
    Exact b;
    mpfr_set_d(a.get(), x, MPFR_RNDN);
    mpfr_set_d(b.get(), y, MPFR_RNDN);
    for (const One& f : kOne) {
        if (f.name == function) return f.function(result.get(), a.get(), MPFR_RNDN), true;
    }
    for (const Two& f : kTwo) {
        if (f.name == function) return f.function(result.get(), a.get(), b.get(), MPFR_RNDN), true;
    }
    if (exact_normal(function, a, result)) return true;
    if (function != "lgamma") return false;
    int sign = 0;
    mpfr_lgamma(result.get(), &sign, a.get(), MPFR_RNDN);
    return true;
}

/// Bits of a number of the type, with the leading one.
inline int float_digits(DType dtype) {
    switch (dtype) {
        case DType::f16_: return 11;
        case DType::bf16_: return 8;
        default: return dtype == DType::f32_ ? 24 : 53;
    }
}

/// The bound of a row's function of `dtype`, given that of f32 or f64: those of 16-bit floats are rounded
/// once more.
inline double ulp_bound(DType dtype, double f32, double f64) {
    if (dtype == DType::f64_) return f64;
    if (dtype == DType::f32_) return f32;
    return 0.5 + std::ldexp(f32, float_digits(dtype) - 24);
}

/// Error of `got` in units in the last place of the exact value; an infinity counts as the first number past
/// the largest one. 0 where both are NaN or the same infinity, 1e30 where only one is.
inline double ulp_error(DType dtype, double got, Exact& exact) {
    const int digits = float_digits(dtype);
    const int largest_exponent = dtype == DType::f64_ ? 1024 : dtype == DType::f16_ ? 16 : 128;
    const int smallest_exponent = 3 - largest_exponent;
    if (mpfr_nan_p(exact.get()) || got != got) return mpfr_nan_p(exact.get()) && got != got ? 0 : 1e30;
    if (mpfr_inf_p(exact.get())) return got == mpfr_get_d(exact.get(), MPFR_RNDN) ? 0 : 1e30;
    Exact value;
    Exact error;
    const int infinite = got > 0 && got - got != 0 ? 1 : got < 0 && got - got != 0 ? -1 : 0;
    if (infinite != 0) {
        mpfr_set_si_2exp(value.get(), infinite, largest_exponent, MPFR_RNDN);
    } else {
        mpfr_set_d(value.get(), got, MPFR_RNDN);
    }
    mpfr_sub(error.get(), value.get(), exact.get(), MPFR_RNDN);
    long exponent = mpfr_zero_p(exact.get()) ? smallest_exponent : mpfr_get_exp(exact.get());
    if (exponent < smallest_exponent) exponent = smallest_exponent;
    if (exponent > largest_exponent) return infinite == mpfr_sgn(exact.get()) ? 0 : 1e30;
    mpfr_mul_2si(error.get(), error.get(), digits - exponent, MPFR_RNDN);
    return mpfr_get_d(error.get(), MPFR_RNDA) < 0 ? -mpfr_get_d(error.get(), MPFR_RNDA)
                                                  : mpfr_get_d(error.get(), MPFR_RNDA);
}

}  // namespace fuseline::testing
