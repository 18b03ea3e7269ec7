// Canonical order, sums, products and division of working polynomials of extents.
#include "compiler/ir/extent_algebra.h"

#include <algorithm>
#include <numeric>

namespace fuseline::extents {

namespace {

constexpr int kDivisionSteps = 512;

int sign_of(int64_t a, int64_t b) { return a < b ? -1 : a > b ? 1 : 0; }

/// First position where the two differ, or the length of the shorter one.
template <typename List>
size_t first_difference(const List& a, const List& b) {
    return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

/// One step of a comparison: either an answer or the pair of atoms that decides.
struct Step {
    bool decided;
    int answer;
    uint32_t a = 0;
    uint32_t b = 0;
};

Step answer(int value) { return {true, value}; }

Step step_factors(const Factors& a, const Factors& b) {
    if (a.size() != b.size()) return answer(a.size() > b.size() ? -1 : 1);
    const size_t at = first_difference(a, b);
    if (at == a.size()) return answer(0);
    return {false, 0, a[at], b[at]};
}

Step step_extents(const ExtentPool& pool, ExtentId x, ExtentId y) {
    const Poly& a = pool.terms(x);
    const Poly& b = pool.terms(y);
    const size_t at = first_difference(a, b);
    if (at == a.size() || at == b.size())
        return answer(sign_of(static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size())));
    if (a[at].factors != b[at].factors) return step_factors(a[at].factors, b[at].factors);
    return answer(sign_of(a[at].coefficient, b[at].coefficient));
}

Step step_atoms(const ExtentPool& pool, uint32_t x, uint32_t y) {
    if (x == y) return answer(0);
    const ExtentAtom& a = pool.atom(x);
    const ExtentAtom& b = pool.atom(y);
    if (a.kind != b.kind) return answer(a.kind < b.kind ? -1 : 1);
    if (a.kind == AtomKind::symbol) return answer(a.name.compare(b.name));
    if (a.operands.size() != b.operands.size()) return answer(a.operands.size() < b.operands.size() ? -1 : 1);
    const size_t at = first_difference(a.operands, b.operands);
    if (at == a.operands.size()) return answer(0);
    return step_extents(pool, a.operands[at], b.operands[at]);
}

/// The first difference decides, so a comparison descends along one path, without recursion.
int finish(const ExtentPool& pool, Step step) {
    while (!step.decided) step = step_atoms(pool, step.a, step.b);
    return step.answer;
}

std::optional<ExtentTerm> multiply_terms(const ExtentPool& pool, const ExtentTerm& a, const ExtentTerm& b) {
    ExtentTerm result;
    if (__builtin_mul_overflow(a.coefficient, b.coefficient, &result.coefficient)) return std::nullopt;
    result.factors.resize(a.factors.size() + b.factors.size());
    std::merge(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(), result.factors.begin(),
               [&](uint32_t x, uint32_t y) { return compare_atoms(pool, x, y) < 0; });
    return result;
}

/// For each product of atoms the smaller (larger) of the two coefficients, an absent one counting as 0.
Poly extreme_coefficients(const ExtentPool& pool, const Poly& a, const Poly& b, bool smaller) {
    Poly result;
    size_t i = 0;
    size_t j = 0;
    while (i < a.size() || j < b.size()) {
        int order = i == a.size() ? 1 : j == b.size() ? -1 : 0;
        if (order == 0) order = compare_factors(pool, a[i].factors, b[j].factors);
        const int64_t left = order <= 0 ? a[i].coefficient : 0;
        const int64_t right = order >= 0 ? b[j].coefficient : 0;
        const int64_t chosen = smaller ? std::min(left, right) : std::max(left, right);
        if (chosen != 0) result.push_back({chosen, order <= 0 ? a[i].factors : b[j].factors});
        i += order <= 0;
        j += order >= 0;
    }
    return result;
}

int64_t floor_quotient(int64_t a, int64_t positive) {
    const int64_t quotient = a / positive;
    return a % positive < 0 ? quotient - 1 : quotient;
}

}  // namespace

int compare_atoms(const ExtentPool& pool, uint32_t a, uint32_t b) {
    return finish(pool, step_atoms(pool, a, b));
}

int compare_factors(const ExtentPool& pool, const Factors& a, const Factors& b) {
    return finish(pool, step_factors(a, b));
}

int compare_extents(const ExtentPool& pool, ExtentId a, ExtentId b) {
    return finish(pool, step_extents(pool, a, b));
}

std::vector<Poly> sums_of(const ExtentPool& pool, const std::vector<ExtentId>& list) {
    std::vector<Poly> sums;
    sums.reserve(list.size());
    for (const ExtentId e : list) sums.push_back(pool.terms(e));
    return sums;
}

Poly constant_poly(int64_t value) { return value == 0 ? Poly{} : Poly{{value, {}}}; }

std::optional<int64_t> constant_value(const Poly& e) {
    if (e.empty()) return 0;
    if (e.size() == 1 && e[0].factors.empty()) return e[0].coefficient;
    return std::nullopt;
}

int64_t constant_part(const Poly& e) {
    return !e.empty() && e.back().factors.empty() ? e.back().coefficient : 0;
}

std::optional<Poly> add_scaled(const ExtentPool& pool, const Poly& a, const Poly& b, int64_t scale) {
    Poly result;
    result.reserve(a.size() + b.size());
    size_t i = 0;
    size_t j = 0;
    while (i < a.size() || j < b.size()) {
        int order = i == a.size() ? 1 : j == b.size() ? -1 : 0;
        if (order == 0) order = compare_factors(pool, a[i].factors, b[j].factors);
        ExtentTerm term = order <= 0 ? a[i] : ExtentTerm{0, b[j].factors};
        if (order >= 0) {
            int64_t scaled = 0;
            if (__builtin_mul_overflow(b[j].coefficient, scale, &scaled)) return std::nullopt;
            if (__builtin_add_overflow(term.coefficient, scaled, &term.coefficient)) return std::nullopt;
        }
        if (term.coefficient != 0) result.push_back(std::move(term));
        i += order <= 0;
        j += order >= 0;
    }
    return result;
}

std::optional<Poly> multiply_term(const ExtentPool& pool, const Poly& a, const ExtentTerm& term) {
    Poly result;
    if (term.coefficient == 0) return result;
    result.reserve(a.size());
    for (const ExtentTerm& t : a) {
        auto product = multiply_terms(pool, t, term);
        if (!product) return std::nullopt;
        result.push_back(std::move(*product));
    }
    return result;
}

std::optional<Poly> multiply(const ExtentPool& pool, const Poly& a, const Poly& b) {
    Poly result;
    if (a.size() < b.size()) return multiply(pool, b, a);
    for (const ExtentTerm& term : b) {
        const auto part = multiply_term(pool, a, term);
        if (!part) return std::nullopt;
        auto sum = add_scaled(pool, result, *part, 1);
        if (!sum) return std::nullopt;
        result = std::move(*sum);
    }
    return result;
}

std::optional<Factors> without_factors(const Factors& a, const Factors& b) {
    Factors rest;
    size_t j = 0;
    for (const uint32_t factor : a) {
        if (j < b.size() && factor == b[j])
            ++j;
        else
            rest.push_back(factor);
    }
    if (j != b.size()) return std::nullopt;
    return rest;
}

Poly least_coefficients(const ExtentPool& pool, const std::vector<Poly>& sums) {
    Poly result = sums[0];
    for (const Poly& sum : sums) result = extreme_coefficients(pool, result, sum, true);
    return result;
}

Poly largest_coefficients(const ExtentPool& pool, const std::vector<Poly>& sums) {
    Poly result = sums[0];
    for (const Poly& sum : sums) result = extreme_coefficients(pool, result, sum, false);
    return result;
}

bool divide(const ExtentPool& pool, Poly& numerator, const Poly& denominator, Poly& quotient) {
    const ExtentTerm lead = denominator.front();
    size_t done = 0;
    for (int step = 0; done < numerator.size() && step < kDivisionSteps; ++step) {
        auto rest = without_factors(numerator[done].factors, lead.factors);
        const int64_t times = rest ? floor_quotient(numerator[done].coefficient, lead.coefficient) : 0;
        if (times == 0) {
            ++done;
            continue;
        }
        const Poly part{{times, std::move(*rest)}};
        auto sum = add_scaled(pool, quotient, part, 1);
        const auto taken = multiply_term(pool, denominator, part.front());
        if (!sum || !taken) return false;
        auto left = add_scaled(pool, numerator, *taken, -1);
        if (!left) return false;
        quotient = std::move(*sum);
        numerator = std::move(*left);
    }
    return true;
}

int64_t content(const Poly& e, bool with_constant) {
    uint64_t result = 0;
    for (const ExtentTerm& term : e) {
        if (!with_constant && term.factors.empty()) continue;
        const auto bits = static_cast<uint64_t>(term.coefficient);
        result = std::gcd(result, term.coefficient < 0 ? 0 - bits : bits);
    }
    return result > INT64_MAX ? 1 : static_cast<int64_t>(result);
}

}  // namespace fuseline::extents
