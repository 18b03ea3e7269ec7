// The axes of a nest: unit axes dropped, neighbours merged where every access allows, lanes of the innermost
// chosen.
#pragma once

#include "compiler/schedule/trace.h"

namespace fuseline::schedule_map {

/// The nest of a trace, whose accesses have been rewritten to run over `extents`.
struct Axes {
    std::vector<ExtentId> extents;
    int lanes = 1;
};

/// `widest`: bytes of the largest element loaded or stored.
Axes choose_axes(Trace& trace, ExtentPool& pool, int widest);

}  // namespace fuseline::schedule_map
