// Normalising floor quotients: exact parts leave the quotient, common factors cancel, nested quotients merge.
#include <numeric>

#include "compiler/ir/extent_folder.h"

namespace fuseline {

using extents::add_scaled;
using extents::constant_part;
using extents::constant_poly;
using extents::multiply;
using extents::provably_nonnegative;

namespace {

constexpr size_t kMergedTerms = 16;

/// Exact division of every coefficient but the constant, which is rounded down.
void divide_coefficients(extents::Poly& e, int64_t divisor) {
    for (ExtentTerm& term : e) {
        int64_t rest = term.coefficient % divisor;
        if (rest < 0) rest += divisor;
        term.coefficient = (term.coefficient - rest) / divisor;
    }
    if (!e.empty() && e.back().coefficient == 0) e.pop_back();
}

void remove_factors(extents::Poly& e, const extents::Factors& factors) {
    for (ExtentTerm& term : e) term.factors = *extents::without_factors(term.factors, factors);
}

/// The factors that every term of both sums has.
extents::Factors common_factors(const extents::Poly& a, const extents::Poly& b) {
    extents::Factors common;
    extents::Factors candidates = b.front().factors;
    for (const uint32_t factor : candidates) {
        common.push_back(factor);
        bool everywhere = true;
        for (const auto* e : {&a, &b})
            for (const ExtentTerm& term : *e)
                everywhere = everywhere && extents::without_factors(term.factors, common);
        if (!everywhere) common.pop_back();
    }
    return common;
}

bool is_small(const extents::Poly& e) {
    return e.size() <= kMergedTerms && (e.empty() || e[0].factors.size() <= ExtentPool::kMaxDegree);
}

}  // namespace

/// whole + sign * floor(a / b), where the first coefficient of b is positive.
struct ExtentFolder::Quotient {
    Poly a;
    Poly b;
    Poly whole;
    int64_t sign = 1;
};

ExtentId ExtentFolder::floordiv(ExtentId a, ExtentId b) {
    const auto plain = [&] { return pool_.intern_atom({AtomKind::floordiv, {}, {a, b}, false}); };
    if (b == ExtentId{0}) return plain();
    Quotient q{pool_.terms(a), pool_.terms(b), {}, 1};
    if (!make_denominator_positive(q.a, q.b)) return plain();
    bool changed = true;
    for (int round = 0; changed && round < kRounds; ++round) {
        if (!reduce(q)) return plain();
        if (q.a.empty()) break;
        changed = cancel_content(q) || drop_max0(q) || flip(q) || merge_nested(q);
    }
    if (changed && !q.a.empty() && !reduce(q)) return plain();
    if (settle(q)) return pool_.intern(std::move(q.whole));
    const ExtentId numerator = pool_.intern(std::move(q.a));
    const ExtentId denominator = pool_.intern(std::move(q.b));
    const ExtentId atom = pool_.intern_atom({AtomKind::floordiv, {}, {numerator, denominator}, false});
    return sum(pool_.intern(std::move(q.whole)), atom, q.sign);
}

bool ExtentFolder::make_denominator_positive(Poly& numerator, Poly& denominator) const {
    if (denominator.front().coefficient > 0) return true;
    auto a = add_scaled(pool_, {}, numerator, -1);
    auto b = add_scaled(pool_, {}, denominator, -1);
    if (!a || !b) return false;
    numerator = std::move(*a);
    denominator = std::move(*b);
    return true;
}

/// Moves multiples of the denominator into the whole part; false on overflow.
bool ExtentFolder::reduce(Quotient& q) {
    Poly exact;
    if (!extents::divide(pool_, q.a, q.b, exact)) return false;
    auto whole = add_scaled(pool_, q.whole, exact, q.sign);
    if (!whole || whole->size() + 1 > ExtentPool::kMaxTerms || q.a.size() > ExtentPool::kMaxTerms)
        return false;
    q.whole = std::move(*whole);
    return true;
}

/// (g*x + k) // (g*y) = (x + k//g) // y for y >= 0, or where g divides k too; (f*x) // (f*y) = x // y.
bool ExtentFolder::cancel_content(Quotient& q) const {
    const extents::Factors factors = common_factors(q.a, q.b);
    remove_factors(q.a, factors);
    remove_factors(q.b, factors);
    const int64_t divisor = std::gcd(extents::content(q.a, false), extents::content(q.b, true));
    const bool exact = divisor > 1 && constant_part(q.a) % divisor == 0;
    if (divisor <= 1 || (!exact && !provably_nonnegative(pool_, q.b))) return !factors.empty();
    divide_coefficients(q.a, divisor);
    divide_coefficients(q.b, divisor);
    return true;
}

/// (c*max(0, x) + k) // d = (c*x + k) // d where c*x + k >= 0, because 0 <= k < d.
bool ExtentFolder::drop_max0(Quotient& q) const {
    if (!extents::constant_value(q.b) || q.a.front().coefficient < 0) return false;
    const Poly constant = constant_poly(constant_part(q.a));
    if (q.a.size() != 1 + constant.size()) return false;
    const extents::Factors factors = q.a.front().factors;
    for (size_t i = 0; i < factors.size(); ++i) {
        const ExtentAtom& atom = pool_.atom(factors[i]);
        if (atom.kind != AtomKind::max0 || !extents::others_nonnegative(pool_, factors, i)) continue;
        const ExtentTerm times{q.a.front().coefficient, *extents::without_factors(factors, {factors[i]})};
        const auto product = extents::multiply_term(pool_, pool_.terms(atom.operands[0]), times);
        auto whole = product ? add_scaled(pool_, *product, constant, 1) : std::nullopt;
        if (!whole || !provably_nonnegative(pool_, *whole)) continue;
        q.a = std::move(*whole);
        return true;
    }
    return false;
}

/// floor(a / b) = -1 - floor((-1 - a) / b) for b > 0: of the two the one with the smaller coefficients stays.
bool ExtentFolder::flip(Quotient& q) const {
    const auto divisor = extents::constant_value(q.b);
    bool smaller = !divisor && q.a.front().coefficient < 0 && provably_nonnegative(pool_, q.b);
    for (size_t i = 0; divisor && i < q.a.size(); ++i) {
        const int64_t coefficient = q.a[i].coefficient;
        const int64_t other = *divisor - coefficient - (q.a[i].factors.empty() ? 1 : 0);
        if (coefficient == other && !q.a[i].factors.empty()) continue;
        smaller = coefficient > other && q.a.size() > constant_poly(constant_part(q.a)).size();
        break;
    }
    if (!smaller) return false;
    auto whole = add_scaled(pool_, q.whole, constant_poly(1), -q.sign);
    auto a = add_scaled(pool_, constant_poly(-1), q.a, -1);
    if (!whole || !a) return false;
    q.whole = std::move(*whole);
    q.a = std::move(*a);
    q.sign = -q.sign;
    return true;
}

/// (x // c + r) // d = (x + c*r) // (c*d) for d >= 0.
bool ExtentFolder::merge_nested(Quotient& q) const {
    for (const ExtentTerm& term : q.a) {
        if (term.coefficient != 1 || term.factors.size() != 1) continue;
        const ExtentAtom& atom = pool_.atom(term.factors[0]);
        if (atom.kind != AtomKind::floordiv || atom.operands[1] == ExtentId{0}) continue;
        if (!provably_nonnegative(pool_, q.b)) return false;
        const Poly& divisor = pool_.terms(atom.operands[1]);
        const auto rest = add_scaled(pool_, q.a, {term}, -1);
        const auto scaled = rest ? multiply(pool_, *rest, divisor) : std::nullopt;
        auto a = scaled ? add_scaled(pool_, pool_.terms(atom.operands[0]), *scaled, 1) : std::nullopt;
        auto b = multiply(pool_, q.b, divisor);
        if (!a || !b || !is_small(*a) || !is_small(*b)) return false;
        q.a = std::move(*a);
        q.b = std::move(*b);
        return true;
    }
    return false;
}

/// True where 0 <= a < b, so that only the whole part is left.
bool ExtentFolder::settle(Quotient& q) const {
    if (q.a.empty()) return true;
    const auto room = add_scaled(pool_, q.b, q.a, -1);
    const auto below = room ? add_scaled(pool_, *room, constant_poly(1), -1) : std::nullopt;
    return below && provably_nonnegative(pool_, q.a) && provably_nonnegative(pool_, *below);
}

}  // namespace fuseline
