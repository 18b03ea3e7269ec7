// SizeProgram: atoms become registers, filled in the order in which they need each other.
#include "compiler/ir/size_program.h"

#include <algorithm>

namespace fuseline {
namespace {

/// Intermediate sums may leave int64 as long as the result does not.
__extension__ typedef __int128 Integer;

/// Registers of an expression that need no allocation.
constexpr size_t kFewRegisters = 16;

Integer floor_quotient(Integer a, Integer b) {
    const Integer quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

uint32_t SizeProgram::slot(const std::string& symbol) {
    const auto [at, added] = slots_.try_emplace(symbol, static_cast<uint32_t>(symbols_.size()));
    if (added) symbols_.push_back(symbol);
    return at->second;
}

SizeProgram::Range SizeProgram::add_sum(const std::vector<ExtentTerm>& terms,
                                        const std::unordered_map<uint32_t, uint32_t>& registers) {
    Range range{static_cast<uint32_t>(terms_.size()), 0};
    for (const ExtentTerm& term : terms) {
        Term copy{term.coefficient, {static_cast<uint32_t>(factors_.size()), 0}};
        for (uint32_t factor : term.factors) factors_.push_back(registers.at(factor));
        copy.factors.end = static_cast<uint32_t>(factors_.size());
        terms_.push_back(copy);
    }
    range.end = static_cast<uint32_t>(terms_.size());
    return range;
}

SizeHandle SizeProgram::add(const ExtentPool& pool, ExtentId id) {
    const auto [at, added] =
        handles_.try_emplace(id.index, SizeHandle{static_cast<uint32_t>(expressions_.size())});
    if (!added) return at->second;
    Expression e;
    if (const auto constant = pool.constant_value(id)) {
        e.constant = *constant;
    } else if (const auto name = pool.symbol_name(id)) {
        e.kind = Kind::symbol;
        e.slot = slot(*name);
    } else {
        e.kind = Kind::general;
        e.steps.begin = static_cast<uint32_t>(steps_.size());
        std::unordered_map<uint32_t, uint32_t> registers;
        for (uint32_t index : pool.atoms_of(id)) {
            const ExtentAtom& atom = pool.atom(index);
            Step step{atom.kind, atom.kind == AtomKind::symbol ? slot(atom.name) : 0, {}};
            std::vector<Range> sums;
            for (ExtentId operand : atom.operands) sums.push_back(add_sum(pool.terms(operand), registers));
            step.operands.begin = static_cast<uint32_t>(operands_.size());
            operands_.insert(operands_.end(), sums.begin(), sums.end());
            step.operands.end = static_cast<uint32_t>(operands_.size());
            registers.emplace(index, static_cast<uint32_t>(registers.size()));
            steps_.push_back(step);
        }
        e.steps.end = static_cast<uint32_t>(steps_.size());
        e.sum = add_sum(pool.terms(id), registers);
    }
    expressions_.push_back(e);
    return at->second;
}

template <class Wide>
bool SizeProgram::sum_of(Range terms, const Wide* registers, Wide& sum) const {
    sum = 0;
    for (uint32_t t = terms.begin; t < terms.end; ++t) {
        Wide product = terms_[t].coefficient;
        for (uint32_t k = terms_[t].factors.begin; k < terms_[t].factors.end; ++k) {
            if (__builtin_mul_overflow(product, registers[factors_[k]], &product)) return false;
        }
        if (__builtin_add_overflow(sum, product, &sum)) return false;
    }
    return true;
}

template <class Wide>
std::optional<int64_t> SizeProgram::run(const Expression& e, std::span<const int64_t> values,
                                        Wide* registers) const {
    for (uint32_t s = e.steps.begin; s < e.steps.end; ++s) {
        const Step& step = steps_[s];
        Wide& target = registers[s - e.steps.begin];
        if (step.kind == AtomKind::symbol) {
            target = values[step.slot];
            continue;
        }
        Wide first = 0;
        if (!sum_of(operands_[step.operands.begin], registers, first)) return std::nullopt;
        for (uint32_t k = step.operands.begin + 1; k < step.operands.end; ++k) {
            Wide other = 0;
            if (!sum_of(operands_[k], registers, other)) return std::nullopt;
            if (step.kind == AtomKind::floordiv && other == 0) return std::nullopt;
            first = step.kind == AtomKind::floordiv ? floor_quotient(first, other) : std::min(first, other);
        }
        target = step.kind == AtomKind::max0 ? std::max<Wide>(0, first) : first;
    }
    Wide result = 0;
    if (!sum_of(e.sum, registers, result) || result < INT64_MIN || result > INT64_MAX) return std::nullopt;
    return static_cast<int64_t>(result);
}

std::optional<int64_t> SizeProgram::evaluate(SizeHandle handle, std::span<const int64_t> values) const {
    const Expression& e = expressions_[handle.index];
    if (e.kind == Kind::constant) return e.constant;
    if (e.kind == Kind::symbol) return values[e.slot];
    const size_t count = e.steps.end - e.steps.begin;
    if (count <= kFewRegisters) {
        Integer registers[kFewRegisters];
        return run<Integer>(e, values, registers);
    }
    std::vector<Integer> registers(count);
    return run<Integer>(e, values, registers.data());
}

}  // namespace fuseline
