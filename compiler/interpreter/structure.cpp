// The interpreter's nodes with regions, and its constants and checks.
#include "compiler/interpreter/graph_machine.h"
#include "compiler/interpreter/interpreter.h"

namespace fuseline {

void run_simple(GraphMachine& m, ir::NodeId id) {
    m.scalars.simple(id);
    const Scalar value = m.scalars.get(m.f.result(id));
    store(m.make(m.f.result(id)), 0, value);
}

void run_apply(GraphMachine& m, ir::NodeId id) {
    const ir::Node& n = m.f.node(id);
    const auto operands = m.f.operands(n);
    std::vector<HostArray*> results;
    for (uint32_t k = 0; k < n.results_count; ++k) results.push_back(&m.make(m.f.result(id, k)));
    const ir::RegionId region = m.f.region_of(n, 0);
    const auto& parameters = m.f.region(region).parameters;
    const auto& yields = m.f.region(region).yields;
    const int64_t count = results.empty() ? 0 : results[0]->element_count();
    for (int64_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < operands.size(); ++k)
            m.scalars.set(parameters[k], element(m.array(operands[k]), i));
        m.scalars.run(region);
        for (size_t k = 0; k < results.size(); ++k) store(*results[k], i, m.scalars.get(yields[k]));
    }
}

void run_group(GraphMachine& m, ir::NodeId id) {
    const ir::Node& n = m.f.node(id);
    const ir::RegionId region = m.f.region_of(n, 0);
    const auto operands = m.f.operands(n);
    for (size_t k = 0; k < operands.size(); ++k)
        m.set(m.f.region(region).parameters[k], m.array(operands[k]));
    m.nodes(region);
    for (uint32_t k = 0; k < n.results_count; ++k)
        m.set(m.f.result(id, k), m.array(m.f.region(region).yields[k]));
}

void run_check(GraphMachine& m, ir::NodeId id) { test_check(m.f, id, m.sizes); }

}  // namespace fuseline
