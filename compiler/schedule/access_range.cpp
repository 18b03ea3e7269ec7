// distinct_elements: groups accesses of equal strides, and puts a box around each group.
#include "compiler/schedule/access_range.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace fuseline {
namespace {

using Axes = std::vector<AccessRange::Axis>;

/// Axes of one stride, in whichever direction, are one: i + r runs over extents n and k as over n + k - 1.
Axes merged(const Axes& axes, ExtentPool& pool) {
    Axes result;
    for (const AccessRange::Axis& axis : axes) {
        const ExtentId back = pool.negate(axis.coefficient);
        const auto same = std::ranges::find_if(result, [&](const AccessRange::Axis& a) {
            return a.coefficient == axis.coefficient || a.coefficient == back;
        });
        if (same == result.end()) {
            result.push_back(axis);
        } else {
            same->extent = pool.sub(pool.add(same->extent, axis.extent), pool.constant(1));
        }
    }
    return result;
}

/// Nearest, so that a step back in one axis is not taken for many steps of another.
int64_t rounded_quotient(int64_t a, int64_t b) {
    const int64_t quotient = a / b, rest = a % b;
    if (std::abs(rest) <= std::abs(b) - std::abs(rest)) return quotient;
    return (rest < 0) == (b < 0) ? quotient + 1 : quotient - 1;
}

/// Strides that are numbers, largest first; those of other sizes match terms of their own.
std::vector<size_t> by_stride(const Axes& axes, const ExtentPool& pool) {
    std::vector<size_t> order(axes.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    const auto stride = [&](size_t k) {
        const auto& terms = pool.terms(axes[k].coefficient);
        return terms.size() == 1 ? std::abs(terms[0].coefficient) : 0;
    };
    std::ranges::stable_sort(order, std::greater<>(), stride);
    return order;
}

/// By axis: the steps that lead from one access to another, where whole steps do.
std::optional<std::vector<int64_t>> steps_to(const Axes& axes, ExtentId distance, const ExtentPool& pool) {
    std::vector<int64_t> steps(axes.size(), 0);
    const std::vector<size_t> order = by_stride(axes, pool);
    for (const ExtentTerm& term : pool.terms(distance)) {
        int64_t left = term.coefficient;
        for (size_t k : order) {
            const auto& stride = pool.terms(axes[k].coefficient);
            if (stride.size() != 1 || stride[0].factors != term.factors) continue;
            const int64_t taken = rounded_quotient(left, stride[0].coefficient);
            steps[k] += taken;
            left -= taken * stride[0].coefficient;
        }
        if (left != 0) return std::nullopt;
    }
    return steps;
}

/// Accesses that are whole steps apart, and the steps between the outermost of them, by axis.
struct Box {
    Axes axes;
    ExtentId offset;
    std::vector<int64_t> least, most;

    bool take(const Axes& other, ExtentId at, ExtentPool& pool) {
        if (other != axes) return false;
        const auto steps = steps_to(axes, pool.sub(at, offset), pool);
        if (!steps) return false;
        for (size_t k = 0; k < steps->size(); ++k) {
            least[k] = std::min(least[k], (*steps)[k]);
            most[k] = std::max(most[k], (*steps)[k]);
        }
        return true;
    }
    ExtentId elements(ExtentPool& pool) const {
        ExtentId all = pool.constant(1);
        for (size_t k = 0; k < axes.size(); ++k)
            all = pool.mul(all, pool.add(axes[k].extent, pool.constant(most[k] - least[k])));
        return all;
    }
};

}  // namespace

ExtentId distinct_elements(const std::vector<AccessRange>& accesses, ExtentId most, ExtentPool& pool) {
    std::vector<Box> boxes;
    for (const AccessRange& access : accesses) {
        const Axes axes = merged(access.axes, pool);
        const bool taken =
            std::ranges::any_of(boxes, [&](Box& box) { return box.take(axes, access.offset, pool); });
        if (taken) continue;
        const std::vector<int64_t> none(axes.size(), 0);
        boxes.push_back({axes, access.offset, none, none});
    }
    ExtentId all = pool.constant(0);
    for (const Box& box : boxes) all = pool.add(all, box.elements(pool));
    // One access that is not guarded stays inside its array, whatever the sizes: its number needs no bound.
    const bool plain = accesses.size() == 1 && accesses[0].inside && boxes[0].axes == accesses[0].axes;
    return plain ? all : pool.min(all, most);
}

}  // namespace fuseline
