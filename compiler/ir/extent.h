// Symbolic sizes: normalised, interned integer expressions over the names of dimensions.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fuseline {

/// Handle of a normalised size expression in an ExtentPool. Equal ids of one pool are provably equal sizes.
/// Index 0 is the constant 0 and index 1 the constant 1 in every pool.
struct ExtentId {
    uint32_t index = 0;
    auto operator<=>(const ExtentId&) const = default;
};

/// What an atom of an extent computes from its operands.
enum class AtomKind : uint8_t {
    symbol,    ///< the size called `name`, at least 0
    floordiv,  ///< floor(operands[0] / operands[1]); a denominator of 0 is an evaluation error
    min,       ///< the least of its operands; with one operand a sum that was too large to fold
    max0,      ///< max(0, operands[0])
};

/// An indivisible factor of an extent. Its operands are extents of the same pool with smaller atoms only.
struct ExtentAtom {
    AtomKind kind = AtomKind::symbol;
    std::string name;
    std::vector<ExtentId> operands;
    /// The value is provably >= 0.
    bool nonnegative = false;
    /// Names and numbers of its text, see ExtentPool::leaves.
    uint64_t leaves = 1;
};

/// coefficient * product of the atoms in `factors` (indices into the pool, in canonical order, with repeats).
struct ExtentTerm {
    int64_t coefficient = 0;
    std::vector<uint32_t> factors;
    bool operator==(const ExtentTerm&) const = default;
};

/// Owner of extents; a value that can be copied (ids stay valid in the copy).
///
/// An extent is a sum of coefficient * product of atoms. Every operation normalises: products are
/// distributed, like terms collected, exact parts of quotients split off, min and max decided where the order
/// is provable. The order of terms depends on names and structure only, never on the order of creation.
///
/// Sizes are mathematical integers. A fold whose coefficient would leave int64, or whose sum would have more
/// than `kMaxTerms` terms or a degree over `kMaxDegree`, is not made: the operands are wrapped as atoms (a
/// `min` with one operand), the value stays right and `evaluate` reports the overflow if there is one; only
/// equality may then go unrecognised. A division by zero that cancels is dropped: (n*m)//m is n for m = 0 as
/// well.
///
/// Extents share their parts, texts do not: each `%` repeats its left side, so a chain of them has a text
/// that doubles with every one. Whoever reads extents from a user refuses those of more than `kMaxLeaves`
/// leaves.
class ExtentPool {
public:
    using Term = ExtentTerm;
    static constexpr size_t kMaxTerms = 128;
    static constexpr size_t kMaxDegree = 16;
    static constexpr uint64_t kMaxLeaves = 1024;

    ExtentPool();

    ExtentId constant(int64_t value);
    /// The size called `name`; the same name gives the same id.
    ExtentId symbol(std::string_view name);
    ExtentId add(ExtentId a, ExtentId b);
    ExtentId sub(ExtentId a, ExtentId b);
    ExtentId mul(ExtentId a, ExtentId b);
    ExtentId negate(ExtentId a);
    /// Floor quotient, as Python's `//`.
    ExtentId floordiv(ExtentId a, ExtentId b);
    /// a - b * floordiv(a, b), as Python's `%`.
    ExtentId mod(ExtentId a, ExtentId b);
    ExtentId max0(ExtentId a);
    ExtentId min(ExtentId a, ExtentId b);
    ExtentId max(ExtentId a, ExtentId b);
    /// Of one operand at least.
    ExtentId min(std::vector<ExtentId> operands);
    ExtentId max(std::vector<ExtentId> operands);
    /// `e` as one atom that is not folded into sums around it; written "min(e)".
    ExtentId wrap(ExtentId e);

    std::optional<int64_t> constant_value(ExtentId e) const;
    bool is_one(ExtentId e) const { return e.index == 1; }
    /// The name when `e` is a bare symbol.
    std::optional<std::string> symbol_name(ExtentId e) const;
    /// The names in `e`, sorted, each once.
    std::vector<std::string> symbols(ExtentId e) const;

    /// True only where the value is >= 0 for all symbols >= 0 (wherever it has a value).
    bool provably_nonnegative(ExtentId e) const;
    /// b - a provably >= 0.
    bool provably_le(ExtentId a, ExtentId b) const;
    /// Equal ids, or each provably <= the other.
    bool provably_equal(ExtentId a, ExtentId b) const;

    /// `e` with symbols replaced by sizes >= 0; names that the map lacks stay.
    ExtentId substitute(ExtentId e, const std::map<std::string, ExtentId>& replacements);
    /// The same expression of another pool in this one.
    ExtentId import(const ExtentPool& from, ExtentId e);

    /// Canonical text in the spelling of the language: "2*n - 1", "max(0, n - 2)", "n//2", "min(m, n)".
    std::string text(ExtentId e) const;
    /// How many names and numbers the text of `e` has, to within a small factor; a long name counts as
    /// several.
    uint64_t leaves(ExtentId e) const;
    /// Reads an expression over + - * // % ( ) min max, names and decimal integers; nullopt where it is none
    /// or has, with what it repeats, more than kMaxLeaves leaves.
    /// parse(text(e)) has the value of e; it is e but for rare deep nests of minima and atoms from `wrap`.
    std::optional<ExtentId> parse(std::string_view text);

    /// The value for given symbol sizes; nullopt for a missing symbol, an overflow of int64 or a division by
    /// zero, and `why`, if given, then says which.
    std::optional<int64_t> evaluate(ExtentId e, const std::map<std::string, int64_t>& sizes,
                                    std::string* why = nullptr) const;
    /// Solves `declared == actual` for `symbol` where declared is c*symbol + d with c and d over `known`:
    /// exact and >= 0, else nullopt.
    std::optional<int64_t> solve(ExtentId declared, std::string_view symbol, int64_t actual,
                                 const std::map<std::string, int64_t>& known) const;

    /// The sum that `e` stands for, in canonical order; empty for 0. Valid until the pool changes.
    const std::vector<Term>& terms(ExtentId e) const { return extents_[e.index]; }
    /// Valid until the pool changes.
    const ExtentAtom& atom(uint32_t index) const { return atoms_[index]; }
    /// All atoms that the value of `e` needs, each once, every atom after the atoms of its operands.
    std::vector<uint32_t> atoms_of(ExtentId e) const;

private:
    friend class ExtentFolder;

    std::vector<uint32_t> atoms_in(const std::vector<Term>& terms) const;
    std::optional<int64_t> evaluate_terms(const std::vector<Term>& terms,
                                          const std::map<std::string, int64_t>& sizes,
                                          std::string* why) const;
    ExtentId intern(std::vector<Term> terms);
    ExtentId intern_atom(ExtentAtom atom);
    ExtentId combine(ExtentId a, ExtentId b, int64_t scale);
    using AtomValues = std::unordered_map<uint32_t, ExtentId>;
    ExtentId rebuild_sum(const std::vector<Term>& terms, const AtomValues& values);
    ExtentId rebuild_atom(const ExtentAtom& atom, std::vector<ExtentId> operands);

    std::vector<std::vector<Term>> extents_;
    std::vector<ExtentAtom> atoms_;
    std::unordered_multimap<uint64_t, uint32_t> extent_index_;
    std::unordered_multimap<uint64_t, uint32_t> atom_index_;
};

}  // namespace fuseline
