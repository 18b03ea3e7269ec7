// Executes scalar nodes and regions (if, while, for) one value at a time through the operator table's
// references.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

using SizeMap = std::map<std::string, int64_t>;

/// The type in which an elementwise node computes: that of its operands.
DType operation_dtype(const ir::Function& function, const ir::Node& node);

/// The value of a size expression. Throws UserError with `span` where it has none (overflow, division by
/// zero, unknown name).
int64_t size_value(const ir::Function& function, ExtentId size, const SizeMap& sizes, Span span);

/// The registers of one function and the loop that executes its scalar regions. Nothing recurses.
class ScalarMachine {
public:
    ScalarMachine(const ir::Function& function, const SizeMap& sizes)
        : f_(&function), sizes_(&sizes), values_(function.value_count()) {}

    void set(ir::ValueId value, Scalar scalar) { values_[value.index] = scalar; }
    Scalar get(ir::ValueId value) const { return values_[value.index]; }

    /// Executes all nodes of a region whose parameters are set.
    void run(ir::RegionId region);
    /// Executes one node with its regions.
    void execute(ir::NodeId id);
    /// Executes one node without regions: constant, extent or elementwise.
    void simple(ir::NodeId id);

private:
    struct Frame {
        ir::RegionId region;
        size_t position = 0;
        int64_t index = 0, stop = 0;  ///< of a `for`
        bool whole = false;           ///< started by `run`: its yields go nowhere
    };
    void drain(size_t base);
    void enter(ir::NodeId id);
    void leave();
    void leave_while(const ir::Node& owner);
    void leave_for(const ir::Node& owner);
    void copy(std::span<const ir::ValueId> from, std::span<const ir::ValueId> to);
    void copy_to_results(std::span<const ir::ValueId> from, const ir::Node& node);

    const ir::Function* f_;
    const SizeMap* sizes_;
    std::vector<Scalar> values_;
    std::vector<Frame> frames_;
};

}  // namespace fuseline
