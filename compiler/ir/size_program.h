// Size expressions made ready to be evaluated many times: names become slots, nothing is looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/extent.h"

namespace fuseline {

/// An expression of a SizeProgram.
struct SizeHandle {
    uint32_t index = 0;
};

/// Expressions of one pool over numbered symbols. Immutable while it is evaluated, so threads may share it.
class SizeProgram {
public:
    /// The slot of a symbol; a new one gets the next.
    uint32_t slot(const std::string& symbol);
    /// In the order of their slots.
    const std::vector<std::string>& symbols() const { return symbols_; }
    /// Takes an expression in, always of the same pool.
    SizeHandle add(const ExtentPool& pool, ExtentId e);
    /// As ExtentPool::evaluate; `values` by slot.
    std::optional<int64_t> evaluate(SizeHandle handle, std::span<const int64_t> values) const;

private:
    struct Range {
        uint32_t begin = 0, end = 0;
    };
    /// coefficient * product of registers, which `factors` lists.
    struct Term {
        int64_t coefficient = 0;
        Range factors;
    };
    /// Fills one register: from a slot, or from its operands, sums each (ranges of `terms_`).
    struct Step {
        AtomKind kind = AtomKind::symbol;
        uint32_t slot = 0;
        Range operands;
    };
    enum class Kind : uint8_t { constant, symbol, general };
    struct Expression {
        Kind kind = Kind::constant;
        int64_t constant = 0;
        uint32_t slot = 0;
        Range steps;
        Range sum;
    };
    Range add_sum(const std::vector<ExtentTerm>& terms,
                  const std::unordered_map<uint32_t, uint32_t>& registers);
    template <class Wide>
    std::optional<int64_t> run(const Expression& e, std::span<const int64_t> values, Wide* registers) const;
    template <class Wide>
    bool sum_of(Range terms, const Wide* registers, Wide& sum) const;

    std::vector<std::string> symbols_;
    std::unordered_map<std::string, uint32_t> slots_;
    std::unordered_map<uint32_t, SizeHandle> handles_;
    std::vector<Expression> expressions_;
    std::vector<Step> steps_;
    std::vector<Range> operands_;
    std::vector<Term> terms_;
    std::vector<uint32_t> factors_;
};

}  // namespace fuseline
