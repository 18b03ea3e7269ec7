// Extents with values or other extents in place of their symbols: evaluate, solve, substitute, import.
#include <algorithm>

#include "compiler/ir/extent_algebra.h"

#include <fmt/format.h>

namespace fuseline {

namespace {

/// Intermediate sums may leave int64 as long as the result does not.
__extension__ typedef __int128 Wide;
using Values = std::unordered_map<uint32_t, Wide>;

bool fail(std::string* why, std::string text) {
    if (why != nullptr) *why = std::move(text);
    return false;
}

bool overflow(std::string* why) { return fail(why, "the size does not fit 64 bits"); }

bool sum_of(const std::vector<ExtentTerm>& terms, const Values& values, Wide& result, std::string* why) {
    result = 0;
    for (const ExtentTerm& term : terms) {
        Wide product = term.coefficient;
        bool bad = false;
        for (const uint32_t factor : term.factors)
            bad = __builtin_mul_overflow(product, values.at(factor), &product) || bad;
        if (bad || __builtin_add_overflow(result, product, &result)) return overflow(why);
    }
    return true;
}

Wide floor_quotient(Wide a, Wide b) {
    const Wide quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

bool atom_value(const ExtentAtom& atom, const std::vector<Wide>& operands, Wide& result, std::string* why) {
    if (atom.kind == AtomKind::floordiv && operands[1] == 0) return fail(why, "division by zero");
    if (atom.kind == AtomKind::floordiv)
        result = floor_quotient(operands[0], operands[1]);
    else if (atom.kind == AtomKind::max0)
        result = std::max<Wide>(0, operands[0]);
    else
        result = *std::min_element(operands.begin(), operands.end());
    return true;
}

}  // namespace

std::optional<int64_t> ExtentPool::evaluate(ExtentId e, const std::map<std::string, int64_t>& sizes,
                                            std::string* why) const {
    return evaluate_terms(extents_[e.index], sizes, why);
}

std::optional<int64_t> ExtentPool::evaluate_terms(const std::vector<Term>& terms,
                                                  const std::map<std::string, int64_t>& sizes,
                                                  std::string* why) const {
    Values values;
    for (const uint32_t index : atoms_in(terms)) {
        const ExtentAtom& a = atoms_[index];
        if (a.kind == AtomKind::symbol) {
            const auto found = sizes.find(a.name);
            if (found == sizes.end()) {
                fail(why, fmt::format("the size `{}` is not known", a.name));
                return std::nullopt;
            }
            values[index] = found->second;
            continue;
        }
        std::vector<Wide> operands(a.operands.size());
        for (size_t i = 0; i < operands.size(); ++i)
            if (!sum_of(extents_[a.operands[i].index], values, operands[i], why)) return std::nullopt;
        if (!atom_value(a, operands, values[index], why)) return std::nullopt;
    }
    Wide result = 0;
    if (!sum_of(terms, values, result, why)) return std::nullopt;
    if (result >= INT64_MIN && result <= INT64_MAX) return static_cast<int64_t>(result);
    overflow(why);
    return std::nullopt;
}

std::optional<int64_t> ExtentPool::solve(ExtentId declared, std::string_view symbol, int64_t actual,
                                         const std::map<std::string, int64_t>& known) const {
    std::vector<Term> slope;
    std::vector<Term> offset;
    for (const Term& term : extents_[declared.index]) {
        const auto at = std::find_if(term.factors.begin(), term.factors.end(), [&](uint32_t factor) {
            return atoms_[factor].kind == AtomKind::symbol && atoms_[factor].name == symbol;
        });
        if (at == term.factors.end()) {
            offset.push_back(term);
            continue;
        }
        slope.push_back({term.coefficient, *extents::without_factors(term.factors, {*at})});
    }
    // Without the symbol among the known ones, any other use of it fails the evaluation.
    std::map<std::string, int64_t> others = known;
    others.erase(std::string(symbol));
    const auto c = evaluate_terms(slope, others, nullptr);
    const auto d = evaluate_terms(offset, others, nullptr);
    int64_t rest = 0;
    if (!c || !d || *c == 0 || __builtin_sub_overflow(actual, *d, &rest)) return std::nullopt;
    if (*c == -1 && rest == INT64_MIN) return std::nullopt;
    if (rest % *c != 0 || rest / *c < 0) return std::nullopt;
    return rest / *c;
}

ExtentId ExtentPool::rebuild_sum(const std::vector<Term>& terms, const AtomValues& values) {
    std::vector<ExtentId> products;
    std::optional<extents::Poly> total = extents::Poly{};
    for (const Term& term : terms) {
        ExtentId product = constant(term.coefficient);
        for (const uint32_t factor : term.factors) product = mul(product, values.at(factor));
        products.push_back(product);
        if (total) total = extents::add_scaled(*this, *total, extents_[product.index], 1);
    }
    if (total && total->size() <= kMaxTerms) return intern(std::move(*total));
    ExtentId result;
    for (const ExtentId product : products) result = add(result, product);
    return result;
}

ExtentId ExtentPool::rebuild_atom(const ExtentAtom& atom, std::vector<ExtentId> operands) {
    switch (atom.kind) {
        case AtomKind::symbol: return symbol(atom.name);
        case AtomKind::floordiv: return floordiv(operands[0], operands[1]);
        case AtomKind::max0: return max0(operands[0]);
        case AtomKind::min: return operands.size() == 1 ? operands[0] : min(std::move(operands));
    }
    return {};
}

ExtentId ExtentPool::substitute(ExtentId e, const std::map<std::string, ExtentId>& replacements) {
    AtomValues values;
    for (const uint32_t index : atoms_of(e)) {
        const ExtentAtom atom = atoms_[index];
        const auto named = replacements.find(atom.name);
        if (atom.kind == AtomKind::symbol && named != replacements.end()) {
            values[index] = named->second;
            continue;
        }
        std::vector<ExtentId> operands;
        for (const ExtentId operand : atom.operands)
            operands.push_back(rebuild_sum(std::vector(extents_[operand.index]), values));
        values[index] = rebuild_atom(atom, std::move(operands));
    }
    return rebuild_sum(std::vector(extents_[e.index]), values);
}

/// The structure is canonical already and its order free of ids, so that no rule has to be applied again.
ExtentId ExtentPool::import(const ExtentPool& from, ExtentId e) {
    if (&from == this) return e;
    std::unordered_map<uint32_t, uint32_t> indices;
    const auto copy_of = [&](ExtentId source) {
        std::vector<Term> terms = from.terms(source);
        for (Term& term : terms)
            for (uint32_t& factor : term.factors) factor = indices.at(factor);
        return intern(std::move(terms));
    };
    for (const uint32_t index : from.atoms_of(e)) {
        ExtentAtom atom = from.atom(index);
        for (ExtentId& operand : atom.operands) operand = copy_of(operand);
        indices[index] = extents_[intern_atom(std::move(atom)).index][0].factors[0];
    }
    return copy_of(e);
}

}  // namespace fuseline
