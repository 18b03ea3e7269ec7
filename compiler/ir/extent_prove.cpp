// Proofs that an extent is >= 0: signs of terms, and cases or bounds for the atoms inside.
#include <algorithm>
#include <cstddef>

#include "compiler/ir/extent_algebra.h"

namespace fuseline::extents {

namespace {

/// A bounded search: what it cannot show within its budget counts as not provable.
class Prover {
public:
    explicit Prover(const ExtentPool& pool) : pool_(pool) {}

    bool prove(const Poly& e, int depth);

private:
    /// Lower bounds of a sum, of which one has to be shown >= 0.
    using Bounds = std::vector<Poly>;

    bool term_nonnegative(const ExtentTerm& term) const;
    bool prove_cases(const Poly& e, uint32_t atom, int depth);
    void bounds_of_term(const Poly& e, size_t term, Bounds& bounds) const;
    void bound_lattice(const Poly& e, size_t term, size_t factor, Bounds& bounds) const;
    void bound_quotient(const Poly& e, size_t term, size_t factor, Bounds& bounds) const;
    void push_bound(const Poly& rest, int64_t scale, const ExtentTerm& times, const Poly& value,
                    Bounds& bounds) const;
    std::optional<Poly> cancel_powers(const Poly& e) const;
    std::optional<Poly> replace(const Poly& e, uint32_t atom, const Poly& value) const;

    static constexpr int kDepth = 12;
    const ExtentPool& pool_;
    int budget_ = 256;
};

Poly without_term(const Poly& e, size_t index) {
    Poly rest = e;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(index));
    return rest;
}

Factors without_index(const Factors& factors, size_t index) {
    Factors rest = factors;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(index));
    return rest;
}

/// True for an atom whose exact cases must all hold, because it lowers the sum.
bool lowers(const ExtentAtom& atom, int64_t coefficient) {
    if (atom.kind == AtomKind::max0) return coefficient < 0;
    return atom.kind == AtomKind::min && atom.operands.size() > 1 && coefficient > 0;
}

bool Prover::term_nonnegative(const ExtentTerm& term) const {
    return term.coefficient > 0 && others_nonnegative(pool_, term.factors, term.factors.size());
}

bool Prover::prove(const Poly& e, int depth) {
    if (--budget_ < 0 || depth > kDepth) return false;
    bool all = true;
    for (const ExtentTerm& term : e) all = all && term_nonnegative(term);
    if (all) return true;
    if (constant_value(e)) return false;
    for (const ExtentTerm& term : e)
        for (const uint32_t factor : term.factors)
            if (lowers(pool_.atom(factor), term.coefficient)) return prove_cases(e, factor, depth);
    Bounds bounds;
    if (auto simpler = cancel_powers(e)) bounds.push_back(std::move(*simpler));
    for (size_t i = 0; i < e.size(); ++i) bounds_of_term(e, i, bounds);
    for (const Poly& bound : bounds)
        if (prove(bound, depth + 1)) return true;
    return false;
}

/// max0 is 0 or its operand, min is one of its operands: the sum must be >= 0 with each of them.
bool Prover::prove_cases(const Poly& e, uint32_t atom, int depth) {
    std::vector<Poly> values;
    if (pool_.atom(atom).kind == AtomKind::max0) values.emplace_back();
    for (const ExtentId operand : pool_.atom(atom).operands) values.push_back(pool_.terms(operand));
    for (const Poly& value : values) {
        const auto instance = replace(e, atom, value);
        if (!instance || !prove(*instance, depth + 1)) return false;
    }
    return true;
}

void Prover::bounds_of_term(const Poly& e, size_t term, Bounds& bounds) const {
    for (size_t i = 0; i < e[term].factors.size(); ++i) {
        if (!others_nonnegative(pool_, e[term].factors, i)) continue;
        if (pool_.atom(e[term].factors[i]).kind == AtomKind::floordiv)
            bound_quotient(e, term, i, bounds);
        else
            bound_lattice(e, term, i, bounds);
    }
}

/// +max0(x) is at least 0 and at least x; -min(x, y) is at least -x and at least -y.
void Prover::bound_lattice(const Poly& e, size_t term, size_t factor, Bounds& bounds) const {
    const ExtentAtom& atom = pool_.atom(e[term].factors[factor]);
    const int64_t coefficient = e[term].coefficient;
    const bool applies =
        atom.kind == AtomKind::max0 ? coefficient > 0 : atom.kind == AtomKind::min && coefficient < 0;
    if (!applies) return;
    const Poly rest = without_term(e, term);
    const ExtentTerm times{coefficient, without_index(e[term].factors, factor)};
    for (const ExtentId operand : atom.operands) push_bound(rest, 1, times, pool_.terms(operand), bounds);
    if (coefficient > 0) bounds.push_back(rest);
    if (coefficient >= -1 && coefficient <= 1) return;
    // m + n - 2*min(m, n) needs a different operand for each of the two.
    const ExtentTerm one{coefficient > 0 ? 1 : -1, times.factors};
    const auto others = add_scaled(pool_, e, {{1, e[term].factors}}, -one.coefficient);
    for (const ExtentId operand : atom.operands)
        if (others) push_bound(*others, 1, one, pool_.terms(operand), bounds);
}

/// a - b + 1 <= b * floor(a / b) <= a for b > 0, and floor(a / b) <= a for a >= 0.
void Prover::bound_quotient(const Poly& e, size_t term, size_t factor, Bounds& bounds) const {
    const ExtentAtom& atom = pool_.atom(e[term].factors[factor]);
    const Poly rest = without_term(e, term);
    const int64_t coefficient = e[term].coefficient;
    const Factors others = without_index(e[term].factors, factor);
    if (coefficient > 0 && atom.nonnegative) bounds.push_back(rest);
    const Poly& a = pool_.terms(atom.operands[0]);
    const Poly& b = pool_.terms(atom.operands[1]);
    if (coefficient < 0 && atom.nonnegative) push_bound(rest, 1, {coefficient, others}, a, bounds);
    if (b.size() != 1 || !term_nonnegative(b[0])) return;
    if (const auto left = without_factors(others, b[0].factors)) {
        const auto above = add_scaled(pool_, a, b, -1);
        const auto lowest = above ? add_scaled(pool_, *above, constant_poly(1), 1) : std::nullopt;
        const ExtentTerm times{coefficient, *left};
        if (coefficient < 0) push_bound(rest, b[0].coefficient, times, a, bounds);
        if (coefficient > 0 && lowest) push_bound(rest, b[0].coefficient, times, *lowest, bounds);
    }
}

/// Adds scale * rest + times * value.
void Prover::push_bound(const Poly& rest, int64_t scale, const ExtentTerm& times, const Poly& value,
                        Bounds& bounds) const {
    const auto part = multiply_term(pool_, value, times);
    if (!part) return;
    if (auto sum = add_scaled(pool_, *part, rest, scale)) bounds.push_back(std::move(*sum));
}

/// n*n >= n for every integer n >= 0: a negative term is paid by a positive one with the same atoms.
std::optional<Poly> Prover::cancel_powers(const Poly& e) const {
    for (size_t i = 0; i < e.size(); ++i) {
        if (!term_nonnegative(e[i])) continue;
        for (size_t j = i + 1; j < e.size(); ++j) {
            const auto extra = without_factors(e[i].factors, e[j].factors);
            if (e[j].coefficient >= 0 || e[j].coefficient == INT64_MIN || !extra || extra->empty()) continue;
            bool same_atoms = true;
            for (const uint32_t x : *extra) same_atoms = same_atoms && without_factors(e[j].factors, {x});
            if (!same_atoms) continue;
            const int64_t paid = std::min(e[i].coefficient, -e[j].coefficient);
            const auto less = add_scaled(pool_, e, {{1, e[i].factors}}, -paid);
            return less ? add_scaled(pool_, *less, {{1, e[j].factors}}, paid) : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<Poly> Prover::replace(const Poly& e, uint32_t atom, const Poly& value) const {
    Poly result;
    for (const ExtentTerm& term : e) {
        const auto rest = without_factors(term.factors, {atom});
        if (rest && without_factors(*rest, {atom})) return std::nullopt;
        const auto part = rest ? multiply_term(pool_, value, {term.coefficient, *rest}) : Poly{term};
        auto sum = part ? add_scaled(pool_, result, *part, 1) : std::nullopt;
        if (!sum || sum->size() > ExtentPool::kMaxTerms) return std::nullopt;
        result = std::move(*sum);
    }
    return result;
}

}  // namespace

bool others_nonnegative(const ExtentPool& pool, const Factors& factors, size_t skip) {
    for (size_t i = 0; i < factors.size(); ++i)
        if (i != skip && !pool.atom(factors[i]).nonnegative) return false;
    return true;
}

bool provably_nonnegative(const ExtentPool& pool, const Poly& e) { return Prover(pool).prove(e, 0); }

}  // namespace fuseline::extents
