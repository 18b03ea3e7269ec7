// What one launch of a kernel costs, as sizes: bytes to and from memory, operations, parallelism, live
// values.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// How dear an operation is on any processor: an instruction, a helper of several, a function that is only
/// approximated.
enum class OpClass : uint8_t { simple, helper, function };
inline constexpr size_t kOpClassCount = 3;

/// Sizes are expressions of the pool that the cost was asked in.
struct KernelCost {
    /// By parameter of the kernel: the bytes of its distinct elements that are loaded or stored; 0 for
    /// scalars. A guarded load counts for its whole range, a gather for one element each; none for more than
    /// its array.
    std::vector<ExtentId> bytes;
    ExtentId read, written;
    /// By OpClass, over all elements: the body of a scalar loop counts for one step, what stands before the
    /// nest not at all.
    std::array<ExtentId, kOpClassCount> operations;
    ExtentId outputs;    ///< elements of the nest, which are independent
    ExtentId held;       ///< bytes that holds keep for a row
    int live = 0;        ///< the most values that are needed later, at any point of the nest
    bool loops = false;  ///< there are scalar loops, whose length the data decides
};

/// The array behind a parameter of a kernel.
struct CostOperand {
    bool scalar = false;
    ExtentId elements;  ///< of an array
};

/// `sizes`: what each size of the kernel is, and `operands`: what each parameter stands for, in `pool`.
KernelCost kernel_cost(const ir::Function& kernel, const std::vector<ExtentId>& sizes,
                       const std::vector<CostOperand>& operands, ExtentPool& pool);

}  // namespace fuseline
