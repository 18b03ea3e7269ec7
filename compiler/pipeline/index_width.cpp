// IndexWidth: the sum of the magnitudes of an access bounds every partial sum as well as the whole.
#include "compiler/pipeline/index_width.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/support/errors.h"

namespace fuseline {
namespace {

constexpr int64_t kLimit = INT32_MAX;

}  // namespace

IndexWidth::IndexWidth(const ir::Function& kernel) : size_count_(kernel.sizes.size()) {
    for (const std::string& name : kernel.sizes) program_.slot(name);
    for (ir::NodeId id : kernel.region(kernel.body()).nodes) {
        if (std::get_if<ir::Loops>(&kernel.node(id).attribute) != nullptr) add_space(kernel, id, {});
    }
}

void IndexWidth::add_space(const ir::Function& kernel, ir::NodeId owner, std::vector<SizeHandle> outer) {
    Space space{outer.size(), std::move(outer), {}};
    for (ExtentId e : std::get<ir::Loops>(kernel.node(owner).attribute).extents) {
        space.extents.push_back(program_.add(kernel.extents, e));
    }
    for (ir::NodeId id : kernel.region(kernel.region_of(kernel.node(owner), 0)).nodes) {
        const ir::Node& n = kernel.node(id);
        if (std::holds_alternative<ir::Loops>(n.attribute)) add_space(kernel, id, space.extents);
        const auto* affine = std::get_if<ir::Affine>(&n.attribute);
        if (affine == nullptr) continue;
        Access access{program_.add(kernel.extents, affine->offset), {}, 1};
        for (const auto& t : affine->terms) {
            access.terms.emplace_back(t.axis, program_.add(kernel.extents, t.coefficient));
        }
        const auto operands = kernel.operands(n);
        if (!operands.empty()) access.element_bytes = byte_size(kernel.type(operands[0]).dtype);
        space.accesses.push_back(std::move(access));
    }
    spaces_.push_back(std::move(space));
}

bool IndexWidth::narrow(const Access& access, std::span<const int64_t> last,
                        std::span<const int64_t> sizes) const {
    int64_t reach = 0;
    const auto add = [&](SizeHandle factor, int64_t times) {
        const auto value = program_.evaluate(factor, sizes);
        int64_t product = 0;
        return value && *value != INT64_MIN && !__builtin_mul_overflow(std::abs(*value), times, &product) &&
               !__builtin_mul_overflow(product, access.element_bytes, &product) &&
               !__builtin_add_overflow(reach, product, &reach) && reach <= kLimit;
    };
    if (!add(access.offset, 1)) return false;
    return std::ranges::all_of(access.terms, [&](const auto& t) { return add(t.second, last[t.first]); });
}

bool IndexWidth::narrow(const Space& space, std::span<const int64_t> sizes) const {
    constexpr size_t kFewAxes = 16;
    int64_t few[kFewAxes];
    std::vector<int64_t> many(space.extents.size() > kFewAxes ? space.extents.size() : 0);
    int64_t* const last = many.empty() ? few : many.data();
    int64_t count = 1;
    for (size_t axis = 0; axis < space.extents.size(); ++axis) {
        const auto extent = program_.evaluate(space.extents[axis], sizes);
        if (!extent || *extent > kLimit) return false;
        if (*extent <= 0) return true;
        last[axis] = *extent - 1;
        // All indices of a nest are walked by one counter, so their product must be narrow too.
        if (axis < space.first_own) continue;
        if (__builtin_mul_overflow(count, *extent, &count) || count > kLimit) return false;
    }
    const std::span<const int64_t> ends(last, space.extents.size());
    return std::ranges::all_of(space.accesses, [&](const Access& a) { return narrow(a, ends, sizes); });
}

int IndexWidth::bits(std::span<const int64_t> sizes) const {
    require(sizes.size() == size_count_, "an index width: one value for each size of the kernel");
    return std::ranges::all_of(spaces_, [&](const Space& s) { return narrow(s, sizes); }) ? 32 : 64;
}

}  // namespace fuseline
