// The normalising rules for quotients, minima and maxima of extents; internal to the extent files.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/extent_algebra.h"

namespace fuseline {

/// Applies the rules to extents of one pool; every result is an extent of that pool.
class ExtentFolder {
public:
    explicit ExtentFolder(ExtentPool& pool, int depth = 0) : pool_(pool), depth_(depth) {}

    ExtentId floordiv(ExtentId a, ExtentId b);
    ExtentId max(std::vector<ExtentId> operands);
    ExtentId min(std::vector<ExtentId> operands);

private:
    using Poly = extents::Poly;
    using Factors = extents::Factors;
    using MaybeExtent = std::optional<ExtentId>;
    using MaybeExtents = std::optional<std::vector<ExtentId>>;
    struct Quotient;
    enum class Form { max, min };

    bool make_denominator_positive(Poly& numerator, Poly& denominator) const;
    bool reduce(Quotient& q);
    bool cancel_content(Quotient& q) const;
    bool drop_max0(Quotient& q) const;
    bool flip(Quotient& q) const;
    bool merge_nested(Quotient& q) const;
    bool settle(Quotient& q) const;

    ExtentFolder deeper() { return ExtentFolder(pool_, depth_ + 1); }
    MaybeExtents alternatives(ExtentId e, Form form);
    std::vector<ExtentId> expand(const std::vector<ExtentId>& operands, Form form);
    void prune(std::vector<ExtentId>& operands, Form form);
    MaybeExtent hinge_of_quotient(const Poly& e);
    MaybeExtent distribute(const std::vector<ExtentId>& operands);
    bool extract_offset(std::vector<Poly>& operands, Poly& offset) const;
    ExtentTerm extract_factor(std::vector<Poly>& operands) const;
    ExtentId sum(ExtentId a, ExtentId b, int64_t scale) { return pool_.combine(a, b, scale); }
    ExtentId least(std::vector<ExtentId> operands, bool from_max);
    ExtentId least_atom(std::vector<ExtentId> operands, bool from_max);
    bool is_hinge(const std::vector<ExtentId>& operands) const;
    std::vector<ExtentId> sorted(std::vector<ExtentId> operands) const;
    ExtentId hinge(const Poly& e, bool expand_hinge);
    ExtentId raw_least(std::vector<ExtentId> operands);

    static constexpr int kMaxDepth = 6;
    static constexpr int kRounds = 32;
    static constexpr size_t kMaxOperands = 16;
    ExtentPool& pool_;
    int depth_;
};

}  // namespace fuseline
