// The pool of extents: interning, sums and products, substitution and import, evaluation.
#include "compiler/ir/extent.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "compiler/ir/extent_algebra.h"
#include "compiler/ir/extent_folder.h"

namespace fuseline {

using extents::Poly;

namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ (hash >> 29);
}

uint64_t hash_terms(const Poly& terms) {
    uint64_t hash = terms.size();
    for (const ExtentTerm& term : terms) {
        hash = mix(hash, static_cast<uint64_t>(term.coefficient));
        for (const uint32_t factor : term.factors) hash = mix(hash, factor + 1);
    }
    return hash;
}

uint64_t hash_atom(const ExtentAtom& atom) {
    uint64_t hash = mix(static_cast<uint64_t>(atom.kind), std::hash<std::string>{}(atom.name));
    for (const ExtentId operand : atom.operands) hash = mix(hash, operand.index);
    return hash;
}

bool same_atom(const ExtentAtom& a, const ExtentAtom& b) {
    return a.kind == b.kind && a.name == b.name && a.operands == b.operands;
}

/// All operands >= 0: enough for a quotient and a minimum; the other kinds are >= 0 by themselves.
bool atom_nonnegative(const ExtentPool& pool, const ExtentAtom& atom) {
    if (atom.kind == AtomKind::symbol || atom.kind == AtomKind::max0) return true;
    return std::all_of(atom.operands.begin(), atom.operands.end(),
                       [&](ExtentId e) { return pool.provably_nonnegative(e); });
}

/// Large enough to be refused by everyone, small enough for sums of it to stay in range.
constexpr uint64_t kCountedLeaves = uint64_t{1} << 40;
/// Characters of a name that count as one leaf more.
constexpr uint64_t kLongName = 32;

uint64_t leaves_of_atom(const ExtentPool& pool, const ExtentAtom& atom) {
    if (atom.kind == AtomKind::symbol) return 1 + atom.name.size() / kLongName;
    uint64_t count = 0;
    for (const ExtentId operand : atom.operands)
        count = std::min(count + pool.leaves(operand), kCountedLeaves);
    return count;
}

bool small_enough(const Poly& e) {
    return e.size() <= ExtentPool::kMaxTerms &&
           (e.empty() || e.front().factors.size() <= ExtentPool::kMaxDegree);
}

}  // namespace

ExtentPool::ExtentPool() {
    intern({});
    intern(extents::constant_poly(1));
}

ExtentId ExtentPool::intern(std::vector<Term> terms) {
    const uint64_t hash = hash_terms(terms);
    const auto [first, last] = extent_index_.equal_range(hash);
    for (auto it = first; it != last; ++it)
        if (extents_[it->second] == terms) return {it->second};
    const auto index = static_cast<uint32_t>(extents_.size());
    extents_.push_back(std::move(terms));
    extent_index_.emplace(hash, index);
    return {index};
}

ExtentId ExtentPool::intern_atom(ExtentAtom atom) {
    const uint64_t hash = hash_atom(atom);
    const auto [first, last] = atom_index_.equal_range(hash);
    for (auto it = first; it != last; ++it)
        if (same_atom(atoms_[it->second], atom)) return intern({{1, {it->second}}});
    const auto index = static_cast<uint32_t>(atoms_.size());
    atom.nonnegative = atom_nonnegative(*this, atom);
    atom.leaves = leaves_of_atom(*this, atom);
    atoms_.push_back(std::move(atom));
    atom_index_.emplace(hash, index);
    return intern({{1, {index}}});
}

ExtentId ExtentPool::constant(int64_t value) { return intern(extents::constant_poly(value)); }

ExtentId ExtentPool::symbol(std::string_view name) {
    return intern_atom({AtomKind::symbol, std::string(name), {}, true});
}

ExtentId ExtentPool::wrap(ExtentId e) {
    const Poly& terms = extents_[e.index];
    if (terms.empty()) return e;
    if (terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1) return e;
    return intern_atom({AtomKind::min, {}, {e}, false});
}

ExtentId ExtentPool::combine(ExtentId a, ExtentId b, int64_t scale) {
    const Poly& left = extents_[a.index];
    const Poly& right = extents_[b.index];
    auto sum = extents::add_scaled(*this, left, right, scale);
    if (sum && small_enough(*sum)) return intern(std::move(*sum));
    const bool overflow = !sum;
    const size_t left_size = left.size();
    const size_t right_size = right.size();
    if (overflow || left_size >= right_size) a = wrap(a);
    if (overflow || right_size >= left_size) b = wrap(b);
    sum = extents::add_scaled(*this, extents_[a.index], extents_[b.index], scale);
    if (sum) return intern(std::move(*sum));
    // Two atoms with coefficients 1 and `scale`, which is 1 or -1, cannot overflow.
    a = wrap(a);
    b = wrap(b);
    return intern(*extents::add_scaled(*this, extents_[a.index], extents_[b.index], scale));
}

ExtentId ExtentPool::add(ExtentId a, ExtentId b) { return combine(a, b, 1); }
ExtentId ExtentPool::sub(ExtentId a, ExtentId b) { return combine(a, b, -1); }
ExtentId ExtentPool::negate(ExtentId a) { return combine({}, a, -1); }

ExtentId ExtentPool::mul(ExtentId a, ExtentId b) {
    const Poly& left = extents_[a.index];
    const Poly& right = extents_[b.index];
    if (left.size() * right.size() <= kMaxTerms * kMaxTerms / 4) {
        auto product = extents::multiply(*this, left, right);
        if (product && small_enough(*product)) return intern(std::move(*product));
    }
    a = wrap(a);
    b = wrap(b);
    return intern(*extents::multiply(*this, extents_[a.index], extents_[b.index]));
}

ExtentId ExtentPool::floordiv(ExtentId a, ExtentId b) { return ExtentFolder(*this).floordiv(a, b); }

ExtentId ExtentPool::mod(ExtentId a, ExtentId b) {
    const ExtentId quotient = floordiv(a, b);
    // 0 * (a // 0) would fold to 0 and hide the error; the quotient alone keeps it.
    if (b == ExtentId{0}) return quotient;
    return sub(a, mul(b, quotient));
}

ExtentId ExtentPool::max0(ExtentId a) { return max({ExtentId{0}, a}); }
ExtentId ExtentPool::min(ExtentId a, ExtentId b) { return min(std::vector{a, b}); }
ExtentId ExtentPool::max(ExtentId a, ExtentId b) { return max(std::vector{a, b}); }
ExtentId ExtentPool::min(std::vector<ExtentId> operands) {
    return ExtentFolder(*this).min(std::move(operands));
}
ExtentId ExtentPool::max(std::vector<ExtentId> operands) {
    return ExtentFolder(*this).max(std::move(operands));
}

std::optional<int64_t> ExtentPool::constant_value(ExtentId e) const {
    return extents::constant_value(extents_[e.index]);
}

std::optional<std::string> ExtentPool::symbol_name(ExtentId e) const {
    const Poly& terms = extents_[e.index];
    if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].factors.size() != 1) return std::nullopt;
    const ExtentAtom& only = atoms_[terms[0].factors[0]];
    if (only.kind != AtomKind::symbol) return std::nullopt;
    return only.name;
}

std::vector<uint32_t> ExtentPool::atoms_of(ExtentId e) const { return atoms_in(extents_[e.index]); }

std::vector<uint32_t> ExtentPool::atoms_in(const std::vector<Term>& terms) const {
    std::vector<uint32_t> found;
    std::vector<const Poly*> pending{&terms};
    std::unordered_set<uint32_t> seen;
    while (!pending.empty()) {
        const Poly& next = *pending.back();
        pending.pop_back();
        for (const Term& term : next) {
            for (const uint32_t factor : term.factors) {
                if (!seen.insert(factor).second) continue;
                found.push_back(factor);
                for (const ExtentId operand : atoms_[factor].operands)
                    pending.push_back(&extents_[operand.index]);
            }
        }
    }
    // An atom is interned after its operands, so the order of indices is an order of evaluation.
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::string> ExtentPool::symbols(ExtentId e) const {
    std::vector<std::string> names;
    for (const uint32_t index : atoms_of(e))
        if (atoms_[index].kind == AtomKind::symbol) names.push_back(atoms_[index].name);
    std::sort(names.begin(), names.end());
    return names;
}

uint64_t ExtentPool::leaves(ExtentId e) const {
    uint64_t count = 0;
    for (const Term& term : extents_[e.index]) {
        ++count;
        for (const uint32_t factor : term.factors)
            count = std::min(count + atoms_[factor].leaves, kCountedLeaves);
    }
    return count;
}

bool ExtentPool::provably_nonnegative(ExtentId e) const {
    return extents::provably_nonnegative(*this, extents_[e.index]);
}

bool ExtentPool::provably_le(ExtentId a, ExtentId b) const {
    const auto difference = extents::add_scaled(*this, extents_[b.index], extents_[a.index], -1);
    return difference && extents::provably_nonnegative(*this, *difference);
}

bool ExtentPool::provably_equal(ExtentId a, ExtentId b) const {
    return a == b || (provably_le(a, b) && provably_le(b, a));
}

}  // namespace fuseline
