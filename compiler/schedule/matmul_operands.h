// What a library product takes in place of arrays that only transpose or repeat another one.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// The products of a fused graph. A group that is nothing but a transposed or repeated view of a stored
/// array, and that only one product reads, needs no kernel.
class MatmulOperands {
public:
    explicit MatmulOperands(const ir::Function& fused);

    struct Call {
        ir::ValueId left, right;  ///< as stored; of rank 2 where one matrix serves all products
        /// "matmul" and, where an operand is stored transposed, " tn", " nt" or " tt" (left, right).
        std::string function;
    };
    Call call(ir::NodeId matmul) const;
    /// Whether a group's only use is a product that reads the group's operand.
    bool absorbed(ir::NodeId group) const { return absorbed_[group.index]; }

private:
    /// The stored array behind an operand of a product.
    struct Source {
        ir::ValueId value;
        bool transposed = false;
    };
    Source source(ir::ValueId operand) const;

    const ir::Function& f_;
    std::vector<uint32_t> uses_;
    std::vector<bool> absorbed_;
};

}  // namespace fuseline
