// Functions that C's library lacks, for the references.
#pragma once

namespace fuseline::special {

/// Inverse of erf on [-1, 1]; NaN outside. Within about 1e-19 of the value, relatively.
long double erfinv(long double x);
/// Inverse of erfc on [0, 2].
long double erfcinv(long double x);
/// Distribution function of the standard normal: erfc(-x / sqrt(2)) / 2.
long double normcdf(long double x);
/// Its inverse on [0, 1].
long double normcdfinv(long double p);
/// Derivative of lgamma; infinite at 0, NaN at negative integers. Near its zeros below 0 only the absolute
/// error is small.
long double digamma(long double x);

}  // namespace fuseline::special
