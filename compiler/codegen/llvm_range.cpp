// Trip counts of a launch on the CPU.
#include <algorithm>

#include "compiler/codegen/emitters.h"
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

}  // namespace

CpuRange cpu_range(const ir::Function& kernel, const std::vector<int64_t>& sizes) {
    CpuRange range{1, 1};
    for (ir::NodeId id : kernel.region(kernel.body()).nodes) {
        const auto* loops = std::get_if<ir::Loops>(&kernel.node(id).attribute);
        if (loops == nullptr) continue;
        for (size_t axis = 0; axis < loops->extents.size(); ++axis) {
            const int64_t value = extent_value(kernel, loops->extents[axis], sizes);
            (axis == 0 ? range.extent : range.work_per_step) *= std::max<int64_t>(value, 0);
        }
    }
    return range;
}

}  // namespace fuseline
