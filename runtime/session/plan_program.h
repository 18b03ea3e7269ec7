// A plan made ready to be executed many times: steps with their operands as slots, sizes as small programs,
// and for each value the step after which nobody needs it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/size_program.h"
#include "compiler/pipeline/index_width.h"

namespace fuseline {

/// Shared by all calls of a plan; immutable. Values are named by their ids in the plan.
class PlanProgram {
public:
    struct Step;
    /// What a step of each kind of node does; see plan_run.
    enum class Kind : uint8_t { scalar, check, alloc, own, alias, launch, library, loop, branch, assertion };

    struct Step {
        Kind kind = Kind::scalar;
        ir::NodeId node;
        uint32_t detail = 0;  ///< place in the table of the kind: launches, libraries, loops, checks, extents
        /// Values that no step needs after this one: operands that may be taken over when the step begins,
        /// and the others, which go when it ends.
        std::vector<ir::ValueId> taken, dropped;
    };
    struct Region {
        std::vector<Step> steps;
        std::vector<ir::ValueId> parameters, yields;
        /// By yield: it is the last use of a value of this region.
        std::vector<bool> last;
        /// Parameters that nothing uses.
        std::vector<ir::ValueId> unused;
    };
    struct Launch {
        size_t kernel = 0;
        /// By operand: whether the kernel takes it by value.
        std::vector<bool> by_value;
        std::vector<SizeHandle> sizes;
        SizeHandle bytes;     ///< that a launch moves, see kernel_cost
        bool varies = false;  ///< its sizes may change from step to step of a loop
        bool nested = false;  ///< stands in a region
    };
    struct Library {
        SizeHandle bytes, flops;  ///< of a call
    };
    struct Loop {
        bool bounded = false, conditional = false;
        uint32_t slot = 0;
        SizeHandle start, stop, step;
        uint32_t region = 0;
    };
    struct Check {
        SizeHandle left, right;
        ir::Check::Relation relation = ir::Check::Relation::equal;
    };

    /// Keeps a reference to the plan.
    PlanProgram(const ir::Function& plan, const std::vector<ir::Function>& kernels);

    const SizeProgram& sizes() const { return sizes_; }
    const Region& body() const { return regions_[0]; }
    const Region& region(uint32_t id) const { return regions_[id]; }
    const Launch& launch(uint32_t id) const { return launches_[id]; }
    size_t launch_count() const { return launches_.size(); }
    const Library& library(uint32_t id) const { return libraries_[id]; }
    size_t library_count() const { return libraries_.size(); }
    const Loop& loop(uint32_t id) const { return loops_[id]; }
    const Check& check(uint32_t id) const { return checks_[id]; }
    SizeHandle extent(uint32_t id) const { return extents_[id]; }
    const std::vector<SizeHandle>& shape(ir::ValueId v) const { return shapes_[v.index]; }
    const IndexWidth& width(size_t kernel) const { return widths_[kernel]; }

private:
    using Kernels = std::vector<ir::Function>;
    void add_node(ir::NodeId id, const Kernels& kernels);
    uint32_t add_launch(ir::NodeId id, const Kernels& kernels);
    void add_costs(const Kernels& kernels);
    void find_last_uses();
    bool depends_on_counters(ExtentId e) const;

    const ir::Function& f_;
    SizeProgram sizes_;
    std::vector<Region> regions_;  ///< by region of the plan
    std::vector<Launch> launches_;
    std::vector<Library> libraries_;
    std::vector<Loop> loops_;
    std::vector<Check> checks_;
    std::vector<SizeHandle> extents_;
    std::vector<std::vector<SizeHandle>> shapes_;  ///< by value
    std::vector<IndexWidth> widths_;               ///< by kernel
    std::vector<std::string> counters_;            ///< symbols of loops
};

}  // namespace fuseline
