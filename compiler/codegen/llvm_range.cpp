// Trip counts of a launch on the CPU.
#include <algorithm>

#include "compiler/codegen/emitters.h"
#include "compiler/ir/reduction_order.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

/// The value of an extent. Bare sizes and constants, which most are, are found without a table of names.
int64_t extent_value(const ir::Function& kernel, ExtentId e, const std::vector<int64_t>& sizes) {
    const ExtentPool& pool = kernel.extents;
    if (const auto constant = pool.constant_value(e)) return *constant;
    if (const auto name = pool.symbol_name(e)) {
        const auto at = std::find(kernel.sizes.begin(), kernel.sizes.end(), *name);
        require(at != kernel.sizes.end(), "a loop over a size that is no parameter");
        return sizes.at(static_cast<size_t>(at - kernel.sizes.begin()));
    }
    std::map<std::string, int64_t> values;
    for (size_t k = 0; k < kernel.sizes.size(); ++k) values.emplace(kernel.sizes[k], sizes.at(k));
    const auto value = pool.evaluate(e, values);
    require(value.has_value(), "a launch whose loops have no extents");
    return *value;
}

/// Saturates: more than all memory cannot be told apart.
int64_t product(const ir::Function& kernel, const std::vector<ExtentId>& extents,
                const std::vector<int64_t>& sizes, size_t first) {
    int64_t all = 1;
    for (size_t axis = first; axis < extents.size(); ++axis) {
        const int64_t value = std::max<int64_t>(extent_value(kernel, extents[axis], sizes), 0);
        if (__builtin_mul_overflow(all, value, &all)) all = INT64_MAX;
    }
    return all;
}

}  // namespace

CpuRange cpu_range(const ir::Function& kernel, const std::vector<int64_t>& sizes) {
    CpuRange range{1, 1, {}};
    for (ir::NodeId id : kernel.region(kernel.body()).nodes) {
        const ir::Node& nest = kernel.node(id);
        if (!nest.op.is(ir::Structure::nest_)) continue;
        const auto& extents = std::get<ir::Loops>(nest.attribute).extents;
        if (!extents.empty()) {
            range.extent = product(kernel, {extents[0]}, sizes, 0);
            range.work_per_step = product(kernel, extents, sizes, 1);
        }
        for (ir::NodeId inner : kernel.region(kernel.region_of(nest, 0)).nodes) {
            const ir::Node& n = kernel.node(inner);
            if (!std::holds_alternative<ir::Loops>(n.attribute)) continue;
            const int64_t elements = product(kernel, std::get<ir::Loops>(n.attribute).extents, sizes, 0);
            const int64_t chunks = elements / ir::kReduceChunk + (elements % ir::kReduceChunk != 0 ? 1 : 0);
            const bool fold = n.op.is(ir::Structure::fold_);
            range.loops.push_back({elements, chunks, fold ? n.results_count : 0, fold});
        }
        const auto is_fold = [](const CpuRange::Loop& loop) { return loop.fold; };
        if (std::ranges::all_of(range.loops, is_fold)) continue;
        for (CpuRange::Loop& loop : range.loops) loop.chunks = std::min<int64_t>(loop.chunks, 1);
    }
    return range;
}

}  // namespace fuseline
