// Arithmetic and proofs on sums of terms that are not (yet) interned; internal to the extent files.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/extent.h"

namespace fuseline::extents {

using Factors = std::vector<uint32_t>;
/// A sum in canonical order: degree descending, then factors in order of atoms; no zero coefficients.
using Poly = std::vector<ExtentTerm>;

/// Negative, 0 or positive; depends on names and structure only.
int compare_atoms(const ExtentPool& pool, uint32_t a, uint32_t b);
int compare_factors(const ExtentPool& pool, const Factors& a, const Factors& b);
int compare_extents(const ExtentPool& pool, ExtentId a, ExtentId b);

/// Copies of the sums that the extents stand for.
std::vector<Poly> sums_of(const ExtentPool& pool, const std::vector<ExtentId>& list);

Poly constant_poly(int64_t value);
/// The value when the sum is a constant.
std::optional<int64_t> constant_value(const Poly& e);
/// The last term when it is a constant, else 0.
int64_t constant_part(const Poly& e);

/// a + scale * b; nullopt where a coefficient leaves int64.
std::optional<Poly> add_scaled(const ExtentPool& pool, const Poly& a, const Poly& b, int64_t scale);
std::optional<Poly> multiply_term(const ExtentPool& pool, const Poly& a, const ExtentTerm& term);
std::optional<Poly> multiply(const ExtentPool& pool, const Poly& a, const Poly& b);
/// a without the factors of b; nullopt unless a holds them all.
std::optional<Factors> without_factors(const Factors& a, const Factors& b);

/// Splits `numerator` into quotient * denominator + numerator, where each remaining coefficient of a multiple
/// of the denominator's first factors lies in [0, first coefficient), which must be positive. False on
/// overflow.
bool divide(const ExtentPool& pool, Poly& numerator, const Poly& denominator, Poly& quotient);

/// For each product of atoms the least (largest) coefficient in any of the sums, an absent one counting as 0.
Poly least_coefficients(const ExtentPool& pool, const std::vector<Poly>& sums);
Poly largest_coefficients(const ExtentPool& pool, const std::vector<Poly>& sums);

/// Greatest common divisor of all coefficients but, if so wished, the constant; 0 for none.
int64_t content(const Poly& e, bool with_constant);

/// True only where the sum is >= 0 for all symbols >= 0.
bool provably_nonnegative(const ExtentPool& pool, const Poly& e);
/// All factors are >= 0, that at index `skip` not counted.
bool others_nonnegative(const ExtentPool& pool, const Factors& factors, size_t skip);

}  // namespace fuseline::extents
