// Exact values of the table's functions by MPFR, and errors against them in units in the last place.
#pragma once

#include <mpfr.h>

#include <string_view>

#include "compiler/ops/op_table.h"

namespace fuseline::testing {

/// An MPFR number wide enough that its own error does not count.
class Exact {
public:
    Exact() { mpfr_init2(value_, 256); }
    ~Exact() { mpfr_clear(value_); }
    Exact(const Exact&) = delete;
    Exact& operator=(const Exact&) = delete;
    mpfr_ptr get() { return value_; }

private:
    mpfr_t value_;
};

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
        {"rsqrt", mpfr_rec_sqrt}, {"cbrt", mpfr_cbrt},   {"exp", mpfr_exp},   {"exp2", mpfr_exp2},
        {"exp10", mpfr_exp10},    {"expm1", mpfr_expm1}, {"log", mpfr_log},   {"log2", mpfr_log2},
        {"log10", mpfr_log10},    {"log1p", mpfr_log1p}, {"sin", mpfr_sin},   {"cos", mpfr_cos},
        {"tan", mpfr_tan},        {"asin", mpfr_asin},   {"acos", mpfr_acos}, {"atan", mpfr_atan},
        {"sinh", mpfr_sinh},      {"cosh", mpfr_cosh},   {"tanh", mpfr_tanh}, {"asinh", mpfr_asinh},
        {"acosh", mpfr_acosh},    {"atanh", mpfr_atanh}, {"erf", mpfr_erf},   {"erfc", mpfr_erfc},
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
    if (function != "lgamma") return false;
    int sign = 0;
    mpfr_lgamma(result.get(), &sign, a.get(), MPFR_RNDN);
    return true;
}

/// Error of `got` in units in the last place of the exact value; an infinity counts as the first number past
/// the largest one. 0 where both are NaN or the same infinity, 1e30 where only one is.
inline double ulp_error(DType dtype, double got, Exact& exact) {
    const bool single = dtype == DType::f32_;
    const int digits = single ? 24 : 53;
    const int largest_exponent = single ? 128 : 1024;
    const int smallest_exponent = single ? -125 : -1021;
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
