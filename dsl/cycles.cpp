// Depth-first search for back edges, with an explicit stack.
#include "dsl/cycles.h"

#include <algorithm>

namespace fuseline::dsl {

namespace {

struct Step {
    size_t node;
    size_t next = 0;  ///< edge to take
};

enum class Mark : unsigned char { fresh, open, done };

Cycle close(const std::vector<Step>& path, size_t target, Span span) {
    const auto first =
        std::find_if(path.begin(), path.end(), [&](const Step& s) { return s.node == target; });
    Cycle cycle;
    for (auto at = first; at != path.end(); ++at) cycle.nodes.push_back(at->node);
    cycle.closing = span;
    return cycle;
}

struct Search {
    std::vector<Cycle> cycles;
    std::vector<size_t> order;
};

Search search(const Edges& edges) {
    Search found;
    std::vector<Mark> marks(edges.size(), Mark::fresh);
    for (size_t root = 0; root < edges.size(); ++root) {
        if (marks[root] != Mark::fresh) continue;
        std::vector<Step> path{{root}};
        marks[root] = Mark::open;
        while (!path.empty()) {
            Step& step = path.back();
            if (step.next == edges[step.node].size()) {
                marks[step.node] = Mark::done;
                found.order.push_back(step.node);
                path.pop_back();
                continue;
            }
            const Edge edge = edges[step.node][step.next++];
            if (marks[edge.target] == Mark::open) found.cycles.push_back(close(path, edge.target, edge.span));
            if (marks[edge.target] != Mark::fresh) continue;
            marks[edge.target] = Mark::open;
            path.push_back({edge.target});
        }
    }
    return found;
}

}  // namespace

std::vector<Cycle> find_cycles(const Edges& edges) { return search(edges).cycles; }

std::vector<size_t> post_order(const Edges& edges) { return search(edges).order; }

}  // namespace fuseline::dsl
