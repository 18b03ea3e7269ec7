// The interpreter's loops, branches and assertions over arrays.
#include "compiler/interpreter/graph_machine.h"

namespace fuseline {

namespace {

using ir::ValueId;

/// Gives values to others; all are read before one is written.
void move_values(GraphMachine& m, std::span<const ValueId> from, std::span<const ValueId> to) {
    std::vector<HostArray> read;
    read.reserve(from.size());
    for (ValueId v : from) read.push_back(m.array(v));
    for (size_t k = 0; k < to.size(); ++k) m.set(to[k], std::move(read[k]));
}

std::vector<ValueId> results_of(const GraphMachine& m, ir::NodeId id) {
    std::vector<ValueId> results;
    for (uint32_t k = 0; k < m.f.node(id).results_count; ++k) results.push_back(m.f.result(id, k));
    return results;
}

}  // namespace

void run_loop(GraphMachine& m, ir::NodeId id) {
    const ir::Node& n = m.f.node(id);
    const auto& steps = std::get<ir::Iteration>(n.attribute);
    const ir::RegionId region = m.f.region_of(n, 0);
    const std::vector<ValueId>& carried = m.f.region(region).parameters;
    int64_t counter = 0, stop = 0, step = 0;
    if (steps.bounded()) counter = m.size(steps.start), stop = m.size(steps.stop), step = m.size(steps.step);
    move_values(m, m.f.operands(n), carried);
    const auto more = [&] {
        if (steps.bounded() && !(step >= 0 ? counter < stop : counter > stop)) return false;
        return !steps.conditional || m.scalars.get(carried[0]).as_bool();
    };
    const auto advance = [&] {
        if (__builtin_add_overflow(counter, step, &counter)) counter = stop;
    };
    for (; more(); advance()) {
        if (steps.bounded()) m.sizes[steps.symbol] = counter;
        m.nodes(region);
        move_values(m, m.f.region(region).yields, carried);
    }
    move_values(m, carried, results_of(m, id));
}

void run_if(GraphMachine& m, ir::NodeId id) {
    const ir::Node& n = m.f.node(id);
    const ir::RegionId side = m.f.region_of(n, m.scalars.get(m.f.operands(n)[0]).as_bool() ? 0 : 1);
    m.nodes(side);
    move_values(m, m.f.region(side).yields, results_of(m, id));
}

void run_assert(GraphMachine& m, ir::NodeId id) {
    const ir::Node& n = m.f.node(id);
    if (!m.scalars.get(m.f.operands(n)[0]).as_bool()) throw m.error(std::get<std::string>(n.attribute));
}

}  // namespace fuseline
