// Finds cycles in a graph of calls or imports.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/support/source.h"

namespace fuseline::dsl {

struct Edge {
    size_t target = 0;
    Span span;
};
using Edges = std::vector<std::vector<Edge>>;  ///< by source node

struct Cycle {
    std::vector<size_t> nodes;  ///< in the order of the edges
    Span closing;               ///< of the edge from the last node to the first
};

/// Cycles such that every cycle of the graph shares a closing edge with one of them; depth first in the order
/// given.
std::vector<Cycle> find_cycles(const Edges& edges);

/// All nodes, each after the targets of its edges where no cycle forbids it.
std::vector<size_t> post_order(const Edges& edges);

}  // namespace fuseline::dsl
