// Size expressions and affine offsets as CUDA C++.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/codegen/cuda_names.h"
#include "compiler/ir/ir.h"

namespace fuseline {

/// A CUDA expression of type long long over the names that `symbols` gives to sizes.
CudaText cuda_size(const ExtentPool& extents, ExtentId size,
                   const std::map<std::string, std::string>& symbols);

/// The same where the value itself is wanted: a constant has the type of i64 too.
CudaText cuda_size_value(const ExtentPool& extents, ExtentId size,
                         const std::map<std::string, std::string>& symbols);

/// Sums of products of sizes with axes, as text: "i * m + j - 1".
class CudaSum {
public:
    /// `factor` is a constant or a name or a product that needs no parentheses.
    void add(int64_t constant);
    void add(const std::string& factor, const std::string& axis);
    void add(int64_t factor, const std::string& axis);
    /// "0" when empty; `precedence` as CudaText's.
    CudaText text() const;

private:
    std::string sum_;
    int precedence_ = 0;
    int64_t constant_ = 0;
    void append(bool negative, const std::string& term, int precedence);
};

/// Sizes inside index arithmetic of one kernel. In a kernel of 32-bit indices a size is computed in 64 bits
/// and narrowed once, by a declaration before the indices.
class CudaIndexSizes {
public:
    CudaIndexSizes(const ir::Function& kernel, const std::map<std::string, std::string>& symbols,
                   CudaNames& names)
        : f_(&kernel), symbols_(&symbols), names_(&names) {}

    bool narrow() const { return f_->index_bits == 32; }
    std::string index_type() const { return narrow() ? "int" : "long long"; }
    std::string unsigned_type() const { return narrow() ? "unsigned" : "unsigned long long"; }

    std::optional<int64_t> constant(ExtentId e) const { return f_->extents.constant_value(e); }
    CudaText wide(ExtentId e) const { return cuda_size(f_->extents, e, *symbols_); }
    /// A constant or the name of a value of the index type.
    std::string narrowed(ExtentId e, std::string_view wanted);
    /// offset + sum of coefficient * axis over all terms but that of `without`.
    CudaText affine(const ir::Affine& affine, std::span<const std::string> axes, size_t without = SIZE_MAX);

    /// "const int m32 = (int)m;" for all sizes asked for, in the order of asking.
    const std::vector<std::string>& declarations() const { return declarations_; }

private:
    const ir::Function* f_;
    const std::map<std::string, std::string>* symbols_;
    CudaNames* names_;
    std::map<ExtentId, std::string> known_;
    std::vector<std::string> declarations_;
};

}  // namespace fuseline
