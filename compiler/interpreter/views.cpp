// The interpreter's index maps: views of arrays and arrays of indices.
#include <fmt/format.h>

#include "compiler/interpreter/graph_machine.h"

namespace fuseline {

void run_view(GraphMachine& m, ir::NodeId id) {
    const ir::Node& n = m.f.node(id);
    HostArray& result = m.make(m.f.result(id));
    const HostArray& source = m.array(m.f.operands(n)[0]);
    const std::vector<Line> lines = m.lines(std::get<ir::IndexMap>(n.attribute), result.shape.size());
    std::vector<int64_t> indices(result.shape.size(), 0);
    const int64_t count = result.element_count();
    for (int64_t i = 0; i < count; ++i, advance(indices, result.shape)) {
        int64_t position = 0;
        for (size_t axis = 0; axis < lines.size(); ++axis) {
            const int64_t at = lines[axis].at(indices);
            if (at < 0 || at >= source.shape[axis]) {
                throw m.error(fmt::format("index {} is outside axis {} of extent {}", at, axis,
                                          source.shape[axis]));
            }
            position = position * source.shape[axis] + at;
        }
        store(result, i, element(source, position));
    }
}

void run_index(GraphMachine& m, ir::NodeId id) {
    HostArray& result = m.make(m.f.result(id));
    const Line l = m.line(std::get<ir::Affine>(m.f.node(id).attribute), result.shape.size());
    std::vector<int64_t> indices(result.shape.size(), 0);
    const int64_t count = result.element_count();
    for (int64_t i = 0; i < count; ++i, advance(indices, result.shape))
        store(result, i, Scalar::of_i64(l.at(indices)));
}

}  // namespace fuseline
