// Normalising minima and maxima: provable order decides, common parts move out, nested ones flatten.
#include <algorithm>
#include <numeric>

#include "compiler/ir/extent_folder.h"

namespace fuseline {

using extents::add_scaled;
using extents::multiply_term;

namespace {

void sort_unique(const ExtentPool& pool, std::vector<ExtentId>& list) {
    std::sort(list.begin(), list.end(),
              [&](ExtentId a, ExtentId b) { return extents::compare_extents(pool, a, b) < 0; });
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

ExtentId ExtentFolder::max(std::vector<ExtentId> operands) {
    sort_unique(pool_, operands);
    prune(operands, Form::max);
    const bool has_zero = std::find(operands.begin(), operands.end(), ExtentId{0}) != operands.end();
    std::vector<ExtentId> expanded = expand(operands, Form::max);
    prune(expanded, Form::max);
    // max(0, e) with more than one max inside e reads better than the minimum of all its cases.
    if (!has_zero || expanded.size() <= operands.size()) operands = std::move(expanded);
    if (operands.size() == 1) return operands[0];
    if (const auto distributed = distribute(operands)) return *distributed;
    if (operands.size() == 2) return sum(sum(operands[0], operands[1], 1), least(operands, true), -1);
    for (ExtentId& operand : operands) operand = pool_.negate(operand);
    return pool_.negate(least(operands, true));
}

ExtentId ExtentFolder::min(std::vector<ExtentId> operands) {
    sort_unique(pool_, operands);
    prune(operands, Form::min);
    operands = expand(operands, Form::min);
    prune(operands, Form::min);
    if (operands.size() == 1) return operands[0];
    return least(std::move(operands), false);
}

/// Removes what another operand provably bounds.
void ExtentFolder::prune(std::vector<ExtentId>& operands, Form form) {
    for (size_t i = 0; i < operands.size() && operands.size() <= kMaxOperands;) {
        const ExtentId mine = operands[i];
        const bool covered = std::any_of(operands.begin(), operands.end(), [&](ExtentId other) {
            if (other == mine) return false;
            return form == Form::max ? pool_.provably_le(mine, other) : pool_.provably_le(other, mine);
        });
        if (covered)
            operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    }
}

/// The extents whose max (or min) `e` is, where one of its terms allows that: r + max(0, x) = max(r, r + x).
ExtentFolder::MaybeExtents ExtentFolder::alternatives(ExtentId e, Form form) {
    const Poly terms = pool_.terms(e);
    for (const ExtentTerm& term : terms) {
        for (size_t i = 0; i < term.factors.size(); ++i) {
            const ExtentAtom atom = pool_.atom(term.factors[i]);
            const bool is_max = atom.kind == AtomKind::max0;
            if (!is_max && (atom.kind != AtomKind::min || atom.operands.size() < 2)) continue;
            if ((is_max == (term.coefficient > 0)) != (form == Form::max)) continue;
            if (!extents::others_nonnegative(pool_, term.factors, i)) continue;
            const auto rest = add_scaled(pool_, terms, {term}, -1);
            if (!rest) continue;
            const ExtentTerm times{term.coefficient,
                                   *extents::without_factors(term.factors, {term.factors[i]})};
            std::vector<ExtentId> result;
            if (is_max) result.push_back(pool_.intern(*rest));
            for (const ExtentId operand : atom.operands) {
                const auto part = multiply_term(pool_, pool_.terms(operand), times);
                auto whole = part ? add_scaled(pool_, *rest, *part, 1) : std::nullopt;
                if (!whole || whole->size() > ExtentPool::kMaxTerms) return std::nullopt;
                result.push_back(pool_.intern(std::move(*whole)));
            }
            return result;
        }
    }
    return std::nullopt;
}

/// Flattens minima in a min and maxima in a max; gives the operands back where there would be too many.
std::vector<ExtentId> ExtentFolder::expand(const std::vector<ExtentId>& operands, Form form) {
    std::vector<ExtentId> pending = operands;
    std::vector<ExtentId> done;
    while (!pending.empty()) {
        const ExtentId next = pending.back();
        pending.pop_back();
        const auto cases = alternatives(next, form);
        if (cases)
            pending.insert(pending.end(), cases->begin(), cases->end());
        else
            done.push_back(next);
        if (pending.size() + done.size() > std::max(kMaxOperands, operands.size())) return operands;
    }
    sort_unique(pool_, done);
    return done;
}

/// max(min(a, b), c) = min(max(a, c), max(b, c)), where the order decides at least one of these.
ExtentFolder::MaybeExtent ExtentFolder::distribute(const std::vector<ExtentId>& operands) {
    if (depth_ >= kMaxDepth) return std::nullopt;
    for (size_t i = 0; i < operands.size(); ++i) {
        const auto cases = alternatives(operands[i], Form::min);
        if (!cases) continue;
        bool decided = false;
        std::vector<std::vector<ExtentId>> lists;
        for (const ExtentId one : *cases) {
            lists.push_back(operands);
            lists.back()[i] = one;
            sort_unique(pool_, lists.back());
            prune(lists.back(), Form::max);
            decided = decided || lists.back().size() == 1;
        }
        if (!decided) continue;
        std::vector<ExtentId> results;
        results.reserve(lists.size());
        for (auto& list : lists) results.push_back(deeper().max(std::move(list)));
        return deeper().min(std::move(results));
    }
    return std::nullopt;
}

/// Takes from all operands the sum of the least coefficients, so that none is negative and one of each is 0.
bool ExtentFolder::extract_offset(std::vector<Poly>& operands, Poly& offset) const {
    offset = extents::least_coefficients(pool_, operands);
    for (Poly& operand : operands) {
        auto rest = add_scaled(pool_, operand, offset, -1);
        if (!rest || rest->size() > ExtentPool::kMaxTerms) return false;
        operand = std::move(*rest);
    }
    return true;
}

/// Takes from all operands their common positive divisor and their common factors that are >= 0.
ExtentTerm ExtentFolder::extract_factor(std::vector<Poly>& operands) const {
    ExtentTerm common{0, {}};
    const Poly& first = operands[0].empty() ? operands[1] : operands[0];
    const Factors candidates = first[0].factors;
    for (const Poly& operand : operands)
        common.coefficient = std::gcd(common.coefficient, extents::content(operand, true));
    for (const uint32_t factor : candidates) {
        bool everywhere = pool_.atom(factor).nonnegative;
        common.factors.push_back(factor);
        for (const Poly& operand : operands)
            for (const ExtentTerm& term : operand)
                everywhere = everywhere && extents::without_factors(term.factors, common.factors);
        if (!everywhere) common.factors.pop_back();
    }
    for (Poly& operand : operands) {
        for (ExtentTerm& term : operand) {
            term.coefficient /= common.coefficient;
            term.factors = *extents::without_factors(term.factors, common.factors);
        }
    }
    return common;
}

/// The minimum of operands, none of which is known to be the least: offset + factor * (p - max(0, p - k)) or
/// an atom. What stands beside the offset is flattened and pruned again until nothing changes.
ExtentId ExtentFolder::least(std::vector<ExtentId> operands, bool from_max) {
    ExtentId total;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<Poly> rest = extents::sums_of(pool_, operands);
        Poly offset;
        if (!extract_offset(rest, offset)) break;
        total = sum(total, pool_.intern(std::move(offset)), 1);
        for (size_t i = 0; i < rest.size(); ++i) operands[i] = pool_.intern(std::move(rest[i]));
        std::vector<ExtentId> expanded = expand(operands, Form::min);
        prune(expanded, Form::min);
        const bool keep = from_max && is_hinge(operands) && expanded.size() > operands.size();
        if (keep || expanded == sorted(operands)) break;
        operands = std::move(expanded);
        if (operands.size() == 1) return sum(total, operands[0], 1);
    }
    return sum(total, least_atom(std::move(operands), from_max), 1);
}

bool ExtentFolder::is_hinge(const std::vector<ExtentId>& operands) const {
    return operands.size() == 2 && (pool_.constant_value(operands[0]) || pool_.constant_value(operands[1]));
}

std::vector<ExtentId> ExtentFolder::sorted(std::vector<ExtentId> operands) const {
    sort_unique(pool_, operands);
    return operands;
}

ExtentId ExtentFolder::least_atom(std::vector<ExtentId> operands, bool from_max) {
    std::vector<Poly> rest = extents::sums_of(pool_, operands);
    const ExtentTerm factor = extract_factor(rest);
    for (size_t i = 0; i < rest.size(); ++i) operands[i] = pool_.intern(std::move(rest[i]));
    if (pool_.constant_value(operands[0])) std::swap(operands[0], operands[1]);
    ExtentId inner;
    if (is_hinge(operands)) {
        const Poly above = pool_.terms(sum(operands[0], operands[1], -1));
        inner = sum(operands[0], hinge(above, !from_max && depth_ < kMaxDepth), -1);
    } else {
        inner = raw_least(std::move(operands));
    }
    return pool_.mul(pool_.intern({factor}), inner);
}

ExtentId ExtentFolder::raw_least(std::vector<ExtentId> operands) {
    sort_unique(pool_, operands);
    return pool_.intern_atom({AtomKind::min, {}, std::move(operands), false});
}

/// max(0, e) for e = p - k with only positive coefficients in p and k >= 0.
ExtentId ExtentFolder::hinge(const Poly& e, bool expand_hinge) {
    if (const auto quotient = hinge_of_quotient(e)) return *quotient;
    const ExtentId inner = pool_.intern(e);
    if (expand_hinge && alternatives(inner, Form::max)) return deeper().max({ExtentId{0}, inner});
    return pool_.intern_atom({AtomKind::max0, {}, {inner}, true});
}

/// max(0, x // c - k) = max(0, x - c*k) // c.
ExtentFolder::MaybeExtent ExtentFolder::hinge_of_quotient(const Poly& e) {
    if (depth_ >= kMaxDepth || e[0].coefficient != 1 || e[0].factors.size() != 1) return std::nullopt;
    if (e.size() > 2 || (e.size() == 2 && !e[1].factors.empty())) return std::nullopt;
    const ExtentAtom atom = pool_.atom(e[0].factors[0]);
    if (atom.kind != AtomKind::floordiv) return std::nullopt;
    const auto divisor = pool_.constant_value(atom.operands[1]);
    if (!divisor || *divisor <= 0) return std::nullopt;
    const auto shift = extents::constant_poly(extents::constant_part(e));
    auto inner = add_scaled(pool_, pool_.terms(atom.operands[0]), shift, *divisor);
    if (!inner) return std::nullopt;
    return deeper().floordiv(deeper().max({ExtentId{0}, pool_.intern(std::move(*inner))}), atom.operands[1]);
}

}  // namespace fuseline
