// The interpreter's nodes that move elements: windows, reshapes, gathers and updates.
#include <fmt/format.h>

#include "compiler/interpreter/graph_machine.h"

namespace fuseline {

namespace {

/// The flat position of the element at the mapped indices; -1 where they lie outside, and the axis where.
struct Place {
    int64_t position = 0;
    size_t axis = 0;
    int64_t index = 0;
};

Place place(const std::vector<Line>& lines, const std::vector<int64_t>& shape,
            const std::vector<int64_t>& indices) {
    Place p;
    for (size_t axis = 0; axis < lines.size(); ++axis) {
        p.axis = axis;
        p.index = lines[axis].at(indices);
        if (p.index < 0 || p.index >= shape[axis]) {
            p.position = -1;
            return p;
        }
        p.position = p.position * shape[axis] + p.index;
    }
    return p;
}

UserError outside(const GraphMachine& m, const Place& p, const std::vector<int64_t>& shape) {
    return m.error(fmt::format("index {} is outside axis {} of extent {}", p.index, p.axis, shape[p.axis]));
}

}  // namespace

void run_window(GraphMachine& m, ir::NodeId id) {
    const ir::Node& n = m.f.node(id);
    HostArray& result = m.make(m.f.result(id));
    const HostArray& source = m.array(m.f.operands(n)[0]);
    const Scalar fill = element(m.array(m.f.operands(n)[1]), 0);
    const std::vector<Line> lines = m.lines(std::get<ir::IndexMap>(n.attribute), result.shape.size());
    std::vector<int64_t> indices(result.shape.size(), 0);
    const int64_t count = result.element_count();
    for (int64_t i = 0; i < count; ++i, advance(indices, result.shape)) {
        const Place p = place(lines, source.shape, indices);
        store(result, i, p.position < 0 ? fill : element(source, p.position));
    }
}

void run_reshape(GraphMachine& m, ir::NodeId id) {
    HostArray& result = m.make(m.f.result(id));
    const HostArray& source = m.array(m.f.operands(id)[0]);
    if (result.element_count() != source.element_count()) {
        throw m.error(
            fmt::format("a reshape of {} elements to {}", source.element_count(), result.element_count()));
    }
    result.bytes = source.bytes;
}

void run_gather(GraphMachine& m, ir::NodeId id) {
    HostArray& result = m.make(m.f.result(id));
    const auto operands = m.f.operands(id);
    const HostArray& source = m.array(operands[0]);
    const int64_t count = result.element_count();
    for (int64_t i = 0; i < count; ++i) {
        Place p;
        for (; p.axis < source.shape.size(); ++p.axis) {
            p.index = element(m.array(operands[p.axis + 1]), i).as_i64();
            if (p.index < 0 || p.index >= source.shape[p.axis]) throw outside(m, p, source.shape);
            p.position = p.position * source.shape[p.axis] + p.index;
        }
        store(result, i, element(source, p.position));
    }
}

void run_update(GraphMachine& m, ir::NodeId id) {
    const ir::Node& n = m.f.node(id);
    HostArray& result = m.make(m.f.result(id));
    const HostArray& values = m.array(m.f.operands(n)[1]);
    result.bytes = m.array(m.f.operands(n)[0]).bytes;
    const std::vector<Line> lines = m.lines(std::get<ir::IndexMap>(n.attribute), values.shape.size());
    std::vector<int64_t> indices(values.shape.size(), 0);
    const int64_t count = values.element_count();
    for (int64_t i = 0; i < count; ++i, advance(indices, values.shape)) {
        const Place p = place(lines, result.shape, indices);
        if (p.position < 0) throw outside(m, p, result.shape);
        store(result, p.position, element(values, i));
    }
}

}  // namespace fuseline
