// The interpreter's reductions, in the order that reduction_order.h fixes for every back end.
#include "compiler/interpreter/graph_machine.h"
#include "compiler/ir/reduction_order.h"

namespace fuseline {

namespace {

using State = std::vector<Scalar>;

/// A reduction's combining region and the states that wait for it.
class Combiner {
public:
    Combiner(GraphMachine& m, ir::RegionId region) : m_(m), region_(region) {}

    /// left = combine(left, right).
    void combine(State& left, const State& right) {
        const ir::Region& region = m_.f.region(region_);
        for (size_t k = 0; k < left.size(); ++k) {
            m_.scalars.set(region.parameters[k], left[k]);
            m_.scalars.set(region.parameters[left.size() + k], right[k]);
        }
        m_.scalars.run(region_);
        for (size_t k = 0; k < left.size(); ++k) left[k] = m_.scalars.get(region.yields[k]);
    }

    /// Neighbours in pairs, then pairs of pairs, ..; the result stands in the first.
    void tree(std::vector<State>& states) {
        for (size_t s = 1; s < states.size(); s *= 2) {
            for (size_t l = 0; l + s < states.size(); l += 2 * s) combine(states[l], states[l + s]);
        }
    }

private:
    GraphMachine& m_;
    ir::RegionId region_;
};

/// The positions in the operands of one result element's elements, by the flat index of the reduced axes.
struct Walk {
    std::vector<int64_t> extents, strides;  ///< of the reduced axes
    int64_t count = 1;
};

/// Fills `elements` with the positions, relative to the first, that the reduced axes reach in row-major
/// order.
std::vector<int64_t> positions_of(const Walk& walk) {
    std::vector<int64_t> positions;
    positions.reserve(static_cast<size_t>(walk.count));
    std::vector<int64_t> indices(walk.extents.size(), 0);
    for (int64_t r = 0; r < walk.count; ++r, advance(indices, walk.extents)) {
        int64_t at = 0;
        for (size_t k = 0; k < indices.size(); ++k) at += indices[k] * walk.strides[k];
        positions.push_back(at);
    }
    return positions;
}

class Reduction {
public:
    Reduction(GraphMachine& m, ir::NodeId id);
    void run();

private:
    State load(int64_t position) const;
    State reduce(int64_t base);

    GraphMachine& m_;
    ir::NodeId id_;
    std::vector<const HostArray*> arrays_;
    State identity_;
    std::vector<int64_t> kept_, kept_strides_;
    std::vector<int64_t> positions_;
    Combiner combiner_;
};

Reduction::Reduction(GraphMachine& m, ir::NodeId id)
    : m_(m), id_(id), combiner_(m, m.f.region_of(m.f.node(id), 0)) {
    const ir::Node& n = m.f.node(id);
    const auto operands = m.f.operands(n);
    const size_t width = operands.size() / 2;
    for (size_t k = 0; k < width; ++k) {
        arrays_.push_back(&m.array(operands[k]));
        identity_.push_back(element(m.array(operands[width + k]), 0));
    }
    const std::vector<int64_t>& shape = arrays_[0]->shape;
    // The other axes of an array without elements may be longer than the memory.
    const bool empty = arrays_[0]->bytes.empty();
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t k = shape.size(); k-- > 1 && !empty;) strides[k - 1] = strides[k] * shape[k];
    const std::vector<uint32_t>& axes = std::get<ir::ReducedAxes>(n.attribute).axes;
    Walk walk;
    size_t next = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const bool reduced = next < axes.size() && axes[next] == axis;
        (reduced ? walk.extents : kept_).push_back(shape[axis]);
        (reduced ? walk.strides : kept_strides_).push_back(strides[axis]);
        if (!reduced) continue;
        ++next;
        if (!empty) walk.count *= shape[axis];
    }
    if (!empty) positions_ = positions_of(walk);
}

State Reduction::load(int64_t position) const {
    State state;
    for (const HostArray* a : arrays_) state.push_back(element(*a, position));
    return state;
}

State Reduction::reduce(int64_t base) {
    const auto count = static_cast<int64_t>(positions_.size());
    if (count == 0) return identity_;
    std::vector<State> chunks;
    for (int64_t first = 0; first < count; first += ir::kReduceChunk) {
        const int64_t end = std::min(first + ir::kReduceChunk, count);
        std::vector<State> lanes;
        for (int64_t r = first; r < end; ++r) {
            const auto lane = static_cast<size_t>((r - first) % ir::kReduceLanes);
            State next = load(base + positions_[static_cast<size_t>(r)]);
            if (lane == lanes.size())
                lanes.push_back(std::move(next));
            else
                combiner_.combine(lanes[lane], next);
        }
        combiner_.tree(lanes);
        chunks.push_back(std::move(lanes.front()));
    }
    combiner_.tree(chunks);
    return chunks.front();
}

void Reduction::run() {
    std::vector<HostArray> results;
    for (uint32_t k = 0; k < m_.f.node(id_).results_count; ++k)
        results.push_back(m_.make(m_.f.result(id_, k)));
    const int64_t count = results.front().element_count();
    std::vector<int64_t> indices(kept_.size(), 0);
    for (int64_t i = 0; i < count; ++i, advance(indices, kept_)) {
        int64_t base = 0;
        for (size_t k = 0; k < indices.size(); ++k) base += indices[k] * kept_strides_[k];
        const State state = reduce(base);
        for (size_t k = 0; k < results.size(); ++k) store(results[k], i, state[k]);
    }
    for (uint32_t k = 0; k < results.size(); ++k) m_.set(m_.f.result(id_, k), std::move(results[k]));
}

}  // namespace

void run_reduce(GraphMachine& m, ir::NodeId id) { Reduction(m, id).run(); }

}  // namespace fuseline
