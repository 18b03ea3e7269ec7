// The axes of a nest and of its folds: unit axes dropped, neighbours merged where every access allows, lanes
// of the innermost chosen.
#pragma once

#include "compiler/schedule/trace.h"

namespace fuseline::schedule_map {

/// The loops of a trace, whose accesses have been rewritten to run over `extents` and, in a space, over that
/// space's extents, numbered behind them.
struct Axes {
    struct Space {
        std::vector<ExtentId> extents;  ///< at least one
        ir::Mapping mapping = ir::Mapping::team;
    };
    std::vector<ExtentId> extents;
    int lanes = 1;
    std::vector<Space> spaces;  ///< by number
};

/// `widest`: bytes of the largest element loaded or stored.
Axes choose_axes(Trace& trace, ExtentPool& pool, int widest);

}  // namespace fuseline::schedule_map
