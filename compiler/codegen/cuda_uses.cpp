// How often and where the values of a kernel are used.
#include "compiler/codegen/cuda_uses.h"

#include "compiler/ir/walk.h"

namespace fuseline {

using ir::Structure;

std::vector<CudaUse> cuda_uses(const ir::Function& function) {
    std::vector<CudaUse> uses(function.value_count());
    const auto use = [&](ir::ValueId v, ir::RegionId region, bool assigned) {
        uses[v.index].count++;
        uses[v.index].region = region;
        uses[v.index].assigned = assigned;
    };
    for (ir::NodeId id : ir::nodes_in_order(function, function.body())) {
        const ir::Node& n = function.node(id);
        for (ir::ValueId v : function.operands(n)) use(v, n.parent, n.op.is(Structure::store_));
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            const ir::RegionId region = function.region_of(n, k);
            const bool condition = n.op.is(Structure::while_) && k == 0;
            for (ir::ValueId v : function.region(region).yields) use(v, region, !condition);
        }
    }
    return uses;
}

}  // namespace fuseline
