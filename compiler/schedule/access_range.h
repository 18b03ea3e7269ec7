// How many distinct elements of an array the accesses of a loop nest touch.
#pragma once

#include <vector>

#include "compiler/ir/extent.h"

namespace fuseline {

/// offset + sum of coefficient * index, each index from 0 to its extent.
struct AccessRange {
    struct Axis {
        ExtentId coefficient, extent;
        bool operator==(const Axis&) const = default;
    };
    std::vector<Axis> axes;
    ExtentId offset;
    bool inside = true;  ///< false: guarded, so that some of it may lie outside the array
};

/// Accesses that differ by whole steps of their axes (a stencil) count as the box around them, those along
/// several axes of one stride (a sliding window) as one longer axis, others each for itself. So the number
/// may be too high, never too low.
/// The array has `most` elements.
ExtentId distinct_elements(const std::vector<AccessRange>& accesses, ExtentId most, ExtentPool& pool);

}  // namespace fuseline
