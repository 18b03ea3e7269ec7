// What fusion asks about a graph: who uses what, what is cheap to compute again, what the host computes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline::fusion {

/// Cost of recomputing that never justifies a store: a few exact operators for each element.
inline constexpr uint32_t kCheap = 8;
/// The same for a value that one kernel reads at several places: what is computed in excess of one time.
inline constexpr uint32_t kCheapPlaces = 40;
/// The same for rank-0 values, which a kernel computes before its loops.
inline constexpr uint32_t kCheapScalar = 256;

/// Operations of one node without its operands and regions; a loop or reduction counts as many.
uint32_t operation_cost(const ir::Function& function, ir::NodeId node);

/// Why a value must be stored; "" when fusion is free to choose.
using Reason = std::string;

/// The live array and scalar computations of one region over arrays (a graph's body, or a region of a loop or
/// a branch in it), called steps, numbered in the region's order. Everything else in the region (constants,
/// sizes, host scalars, checks) stays where it is; values of regions around it are there already.
class Graph {
public:
    /// `fuse` false: every step but a view must be stored.
    Graph(const ir::Function& function, ir::RegionId region, bool fuse = true);

    const ir::Function& function() const { return f_; }
    ir::RegionId region() const { return region_; }
    size_t size() const { return steps_.size(); }
    ir::NodeId node(uint32_t step) const { return steps_[step]; }
    /// The step that computes a value; -1 for parameters and what the host computes.
    int step_of(ir::ValueId v) const;
    /// Operands and values that the node's regions use from outside, each once.
    const std::vector<ir::ValueId>& inputs(uint32_t step) const { return inputs_[step]; }
    /// Steps that use a result, ascending, each once.
    const std::vector<uint32_t>& users(uint32_t step) const { return users_[step]; }
    const std::vector<ExtentId>& shape(uint32_t step) const;
    /// Reads its operand at other elements than its own.
    bool is_view(uint32_t step) const;
    /// No part of a kernel: a loop, a branch, a matrix product, a reshape, an assertion.
    bool alone(uint32_t step) const { return alone_[step]; }
    /// Each step is a kernel of its own.
    bool unfused() const { return !fuse_; }
    bool is_update(uint32_t step) const { return f_.node(node(step)).op.is(ir::Structure::update_); }
    /// Its value is reduced from others of its kernel, or computed from such a value there.
    bool folds(uint32_t step) const { return folds_[step]; }
    /// The shape over which a step's kernel runs: of an update the elements that it writes.
    const std::vector<ExtentId>& domain(uint32_t step) const;
    /// Whether a user computes with a step's value at the element where it stands itself.
    bool same_element(uint32_t step, uint32_t user) const;

    /// Operations to compute one element from stored values and parameters; saturates.
    uint32_t cost(uint32_t step) const { return cost_[step]; }
    /// The cost up to which a step is cheaper to compute again than to store and load.
    uint32_t limit(uint32_t step) const { return shape(step).empty() ? kCheapScalar : kCheap; }
    bool cheap(uint32_t step) const { return cost_[step] <= limit(step); }
    /// Nodes, those of regions too.
    uint32_t weight(uint32_t step) const { return weight_[step]; }
    const Reason& must_store(uint32_t step) const { return must_store_[step]; }

    /// Constants, sizes and scalars over them: the host computes these at launch.
    bool on_host(ir::ValueId v) const { return host_[v.index]; }
    bool constant(ir::ValueId v) const;
    bool live(ir::NodeId id) const { return live_[id.index]; }

    /// "`d1`" or "an exp": what to call a value in a remark.
    std::string describe(uint32_t step) const;
    std::string shape_text(const std::vector<ExtentId>& shape) const;

private:
    void find_host();
    void find_live();
    void find_steps();
    void find_costs();
    std::vector<ir::ValueId> find_inputs(ir::NodeId id) const;
    uint32_t own_cost(ir::NodeId id) const;
    Reason store_reason(uint32_t step) const;
    Reason needed_in_memory(uint32_t step) const;
    bool has_effect(ir::NodeId id) const;
    bool reads(uint32_t step, ir::ValueId value) const;
    bool repeats(uint32_t view) const;

    const ir::Function& f_;
    ir::RegionId region_;
    bool fuse_;
    std::vector<bool> scalar_regions_;
    std::vector<bool> host_, live_;
    std::vector<ir::NodeId> steps_;
    std::vector<int> step_of_node_;
    std::vector<std::vector<ir::ValueId>> inputs_;
    std::vector<std::vector<uint32_t>> users_;
    std::vector<uint32_t> cost_, weight_;
    std::vector<bool> alone_, folds_, loops_;
    std::vector<Reason> must_store_;
};

}  // namespace fuseline::fusion
