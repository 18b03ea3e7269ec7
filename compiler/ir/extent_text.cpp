// The text of extents: each term in the spelling that reads best, which parses back to the same extent.
#include <algorithm>
#include <cstdlib>

#include "compiler/ir/extent_algebra.h"

#include <fmt/format.h>

namespace fuseline {

using extents::add_scaled;
using extents::constant_part;
using extents::constant_poly;
using extents::Poly;

namespace {

/// coefficient * factors as texts; one that is a quotient needs parentheses beside others.
struct Piece {
    int64_t coefficient = 0;
    std::vector<std::string> factors;
    std::vector<bool> quotient;
};

class Printer {
public:
    explicit Printer(const ExtentPool& pool) : pool_(pool) {}

    std::string print(ExtentId e);

private:
    std::string sum(const Poly& e) const;
    std::string product(const Piece& piece, bool leading) const;
    std::string atom(const ExtentAtom& atom) const;
    std::string quotient(const Poly& a, const Poly& b) const;
    std::string list(const char* name, const std::vector<Poly>& operands) const;
    std::vector<Piece> pieces_of(Poly terms) const;
    Piece plain_piece(const ExtentTerm& term) const;
    void push_factor(Piece& piece, uint32_t index) const;

    bool has_lattice(const Poly& e) const;
    bool take(Poly& terms, const ExtentTerm& times, const Poly& sum) const;
    std::optional<Piece> special_piece(Poly& terms, const ExtentTerm& term, size_t factor) const;
    std::optional<std::string> min_of_max0(Poly& terms, const ExtentTerm& times, const Poly& inner) const;
    std::optional<std::string> max_of_max0(Poly& terms, const ExtentTerm& times, const Poly& inner) const;
    std::optional<std::string> max_of_min(Poly& terms, const ExtentTerm& times, const ExtentAtom& atom) const;
    std::optional<std::string> rounded_up(Poly& terms, const ExtentTerm& times, const ExtentAtom& atom) const;

    const ExtentPool& pool_;
    std::unordered_map<uint32_t, std::string> texts_;
};

std::string Printer::print(ExtentId e) {
    for (const uint32_t index : pool_.atoms_of(e)) texts_[index] = atom(pool_.atom(index));
    return sum(pool_.terms(e));
}

std::string Printer::atom(const ExtentAtom& atom) const {
    if (atom.kind == AtomKind::symbol) return atom.name;
    const std::vector<Poly> operands = extents::sums_of(pool_, atom.operands);
    if (atom.kind == AtomKind::floordiv) return quotient(operands[0], operands[1]);
    if (atom.kind == AtomKind::max0) return fmt::format("max(0, {})", sum(operands[0]));
    return list("min", operands);
}

std::string Printer::list(const char* name, const std::vector<Poly>& operands) const {
    std::string text;
    for (const Poly& operand : operands) {
        if (!text.empty()) text += ", ";
        text += sum(operand);
    }
    return fmt::format("{}({})", name, text);
}

std::string Printer::quotient(const Poly& a, const Poly& b) const {
    const auto top = pieces_of(a);
    const auto bottom = pieces_of(b);
    const bool top_plain = top.empty() || (top.size() == 1 && top[0].coefficient > 0);
    const bool bottom_plain =
        bottom.empty() || (bottom.size() == 1 && bottom[0].coefficient > 0 &&
                           bottom[0].factors.size() + (bottom[0].coefficient != 1) <= 1 &&
                           std::count(bottom[0].quotient.begin(), bottom[0].quotient.end(), true) == 0);
    const auto wrapped = [](const std::string& text, bool plain) { return plain ? text : "(" + text + ")"; };
    return wrapped(sum(a), top_plain) + "//" + wrapped(sum(b), bottom_plain);
}

/// Terms in canonical order, but a positive one first if there is any.
std::string Printer::sum(const Poly& e) const {
    std::vector<Piece> pieces = pieces_of(e);
    const auto positive =
        std::find_if(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.coefficient > 0; });
    if (positive != pieces.end()) std::rotate(pieces.begin(), positive, positive + 1);
    std::string text;
    for (const Piece& piece : pieces) {
        const bool plus = piece.coefficient > 0 || piece.coefficient == INT64_MIN;
        if (!text.empty()) text += plus ? " + " : " - ";
        const bool leading = text.empty();
        text += product(piece, leading || piece.coefficient == INT64_MIN);
    }
    return text.empty() ? "0" : text;
}

/// With its sign only if `leading`.
std::string Printer::product(const Piece& piece, bool leading) const {
    const bool negative = leading && piece.coefficient < 0;
    const int64_t number = !leading && piece.coefficient < 0 ? -piece.coefficient : piece.coefficient;
    const bool sign_only = number == -1 && !piece.factors.empty();
    std::string text = sign_only ? "-" : "";
    const bool has_number = piece.factors.empty() || (number != 1 && number != -1);
    if (has_number) text += fmt::format("{}", number);
    for (size_t i = 0; i < piece.factors.size(); ++i) {
        if (i > 0 || has_number) text += "*";
        const bool alone = piece.factors.size() == 1 && !has_number && !negative;
        text += piece.quotient[i] && !alone ? "(" + piece.factors[i] + ")" : piece.factors[i];
    }
    return text;
}

void Printer::push_factor(Piece& piece, uint32_t index) const {
    piece.factors.push_back(texts_.at(index));
    piece.quotient.push_back(pool_.atom(index).kind == AtomKind::floordiv);
}

Piece Printer::plain_piece(const ExtentTerm& term) const {
    Piece piece{term.coefficient, {}, {}};
    for (const uint32_t factor : term.factors) push_factor(piece, factor);
    return piece;
}

/// Looks first for terms that read better together: n - max(0, n - 5) is min(n, 5).
std::vector<Piece> Printer::pieces_of(Poly terms) const {
    std::vector<Piece> special;
    for (size_t i = 0; i < terms.size(); ++i) {
        const ExtentTerm term = terms[i];
        if (term.coefficient == INT64_MIN) continue;
        for (size_t f = 0; f < term.factors.size(); ++f) {
            auto piece = special_piece(terms, term, f);
            if (!piece) continue;
            special.push_back(std::move(*piece));
            i = static_cast<size_t>(-1);
            break;
        }
    }
    std::vector<Piece> pieces;
    for (const ExtentTerm& term : terms) {
        if (term.factors.empty())
            for (Piece& piece : special) pieces.push_back(std::move(piece));
        if (term.factors.empty()) special.clear();
        pieces.push_back(plain_piece(term));
    }
    for (Piece& piece : special) pieces.push_back(std::move(piece));
    return pieces;
}

std::optional<Piece> Printer::special_piece(Poly& terms, const ExtentTerm& term, size_t factor) const {
    const ExtentAtom& atom = pool_.atom(term.factors[factor]);
    const ExtentTerm times{std::abs(term.coefficient),
                           *extents::without_factors(term.factors, {term.factors[factor]})};
    auto left = add_scaled(pool_, terms, {term}, -1);
    if (!left) return std::nullopt;
    std::optional<std::string> text;
    const bool negative = term.coefficient < 0;
    // Nested minima and maxima print as they are: put another way they would be read as another normal form.
    for (const ExtentId operand : atom.operands)
        if (atom.kind != AtomKind::floordiv && has_lattice(pool_.terms(operand))) return std::nullopt;
    if (atom.kind == AtomKind::max0 && negative)
        text = min_of_max0(*left, times, pool_.terms(atom.operands[0]));
    if (atom.kind == AtomKind::max0 && !negative)
        text = max_of_max0(*left, times, pool_.terms(atom.operands[0]));
    if (atom.kind == AtomKind::min && negative) text = max_of_min(*left, times, atom);
    if (atom.kind == AtomKind::floordiv && negative && times.factors.empty())
        text = rounded_up(*left, times, atom);
    if (!text) return std::nullopt;
    terms = std::move(*left);
    Piece piece = plain_piece(times);
    piece.factors.push_back(std::move(*text));
    piece.quotient.push_back(atom.kind == AtomKind::floordiv);
    return piece;
}

bool Printer::has_lattice(const Poly& e) const {
    for (const ExtentTerm& term : e)
        for (const uint32_t factor : term.factors)
            if (pool_.atom(factor).kind == AtomKind::max0 || pool_.atom(factor).kind == AtomKind::min)
                return true;
    return false;
}

/// Removes times * sum from `terms` if no term changes its sign by that (a bare constant may).
bool Printer::take(Poly& terms, const ExtentTerm& times, const Poly& sum) const {
    const auto part = extents::multiply_term(pool_, sum, times);
    if (!part) return false;
    for (const ExtentTerm& wanted : *part) {
        if (wanted.factors.empty()) continue;
        const auto at = std::find_if(terms.begin(), terms.end(),
                                     [&](const ExtentTerm& term) { return term.factors == wanted.factors; });
        if (at == terms.end() || at->coefficient < wanted.coefficient) return false;
    }
    auto left = add_scaled(pool_, terms, *part, -1);
    if (left) terms = std::move(*left);
    return left.has_value();
}

/// p - max(0, p - k) = min(p, k)
std::optional<std::string> Printer::min_of_max0(Poly& terms, const ExtentTerm& times,
                                                const Poly& inner) const {
    const int64_t constant = constant_part(inner);
    if (constant == INT64_MIN) return std::nullopt;
    Poly high = inner;
    if (constant != 0) high.pop_back();
    if (!take(terms, times, high)) return std::nullopt;
    return list("min", {high, constant_poly(-constant)});
}

/// max(0, p - k) - p = max(0, k - p) - k; here the sum has -times * p, and `times` is positive.
std::optional<std::string> Printer::max_of_max0(Poly& terms, const ExtentTerm& times,
                                                const Poly& inner) const {
    const auto negated = add_scaled(pool_, {}, inner, -1);
    auto opposite = add_scaled(pool_, {}, terms, -1);
    if (!negated || !opposite || constant_part(inner) == 0 || !take(*opposite, times, inner))
        return std::nullopt;
    const auto left = add_scaled(pool_, {}, *opposite, -1);
    if (!left) return std::nullopt;
    terms = *left;
    return list("max", {{}, *negated});
}

/// s - min(p, q) = max(s - p, s - q), where s has the larger coefficients of all operands; the sum may also
/// have just one of two operands: p - min(p, q) = max(0, p - q).
std::optional<std::string> Printer::max_of_min(Poly& terms, const ExtentTerm& times,
                                               const ExtentAtom& atom) const {
    const std::vector<Poly> operands = extents::sums_of(pool_, atom.operands);
    Poly all = extents::largest_coefficients(pool_, operands);
    std::vector<Poly> wanted(operands.begin(), operands.end());
    wanted.insert(wanted.begin(), std::move(all));
    for (size_t i = 0; i < (operands.size() == 2 ? wanted.size() : 1); ++i) {
        Poly left = terms;
        if (!take(left, times, wanted[i])) continue;
        std::vector<Poly> rest;
        for (const Poly& operand : operands) {
            auto difference = add_scaled(pool_, wanted[i], operand, -1);
            if (!difference) return std::nullopt;
            if (difference->empty())
                rest.insert(rest.begin(), Poly{});
            else
                rest.push_back(std::move(*difference));
        }
        terms = std::move(left);
        std::reverse(rest.begin() + (i > 0 ? 1 : 0), rest.end());
        return list("max", rest);
    }
    return std::nullopt;
}

/// n - n//2 = (n + 1)//2: with s the atoms of a, each once, s - floor(a / k) = floor((k*s + k - 1 - a) / k).
std::optional<std::string> Printer::rounded_up(Poly& terms, const ExtentTerm& times,
                                               const ExtentAtom& atom) const {
    const auto divisor = pool_.constant_value(atom.operands[1]);
    if (!divisor || *divisor <= 1) return std::nullopt;
    const Poly& a = pool_.terms(atom.operands[0]);
    Poly once = a;
    if (constant_part(a) != 0) once.pop_back();
    for (ExtentTerm& term : once) term.coefficient = 1;
    const auto high = add_scaled(pool_, constant_poly(*divisor - 1), once, *divisor);
    const auto numerator = high ? add_scaled(pool_, *high, a, -1) : std::nullopt;
    if (!numerator || !take(terms, times, once)) return std::nullopt;
    return quotient(*numerator, constant_poly(*divisor));
}

}  // namespace

std::string ExtentPool::text(ExtentId e) const { return Printer(*this).print(e); }

}  // namespace fuseline
