// What the text of a kernel with folds, its launch and its workspace must agree on.
#include "compiler/codegen/cuda_folds.h"

#include <algorithm>

#include "compiler/codegen/cuda_geometry.h"
#include "compiler/ir/walk.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Structure;

namespace {

constexpr size_t kShortWork = 12;
constexpr size_t kLongWork = 40;

size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

/// Alignment and size of a struct of the fold's values.
std::pair<size_t, size_t> state_layout(const ir::Function& f, NodeId fold) {
    size_t align = 1, bytes = 0;
    for (ir::ValueId v : f.operands(fold)) {
        const auto size = static_cast<size_t>(byte_size(computed_type(f.type(v).dtype)));
        align = std::max(align, size);
        bytes = round_up(bytes, size) + size;
    }
    return {align, round_up(bytes, align)};
}

}  // namespace

CudaFolds cuda_folds(const ir::Function& kernel) {
    CudaFolds out;
    const Node& nest = kernel.node(cuda_nest(kernel));
    const ir::Region& region = kernel.region(kernel.region_of(nest, 0));
    bool column = !region.parameters.empty();
    for (NodeId id : region.nodes) {
        const ir::Opcode op = kernel.node(id).op;
        const bool row = op.is(Structure::hold_) || op.is(Structure::nest_);
        out.rows = out.rows || row;
        if (row || op.is(Structure::fold_)) out.phases.push_back(id);
        if (!op.is(Structure::fold_)) continue;
        out.folds.push_back(id);
        if (std::get<ir::Loops>(kernel.node(id).attribute).mapping == ir::Mapping::team) column = false;
    }
    out.team = !column || out.rows;
    out.chained = out.rows;
    // Nodes stand before their uses: what a fold needs is found in one walk from the end.
    for (size_t k = region.nodes.size(); k-- > 0;) {
        const NodeId id = region.nodes[k];
        const bool phase = std::ranges::find(out.phases, id) != out.phases.end();
        if (!phase && !out.needed.contains(id)) continue;
        if (phase && out.needed.contains(id)) out.chained = true;
        out.needed.insert(id);
        for (ir::ValueId v : ir::inputs_of(kernel, id)) {
            const NodeId from = kernel.value(v).definition;
            if (from && kernel.node(from).parent == kernel.region_of(nest, 0)) out.needed.insert(from);
        }
    }
    return out;
}

CudaRoom cuda_room(const ir::Function& kernel, const CudaFolds& folds) {
    const std::vector<NodeId>& phases = folds.phases;
    std::map<uint32_t, size_t> last;
    for (size_t k = 0; k < phases.size(); ++k) {
        for (NodeId id : ir::nodes_in_order(kernel, kernel.region_of(kernel.node(phases[k]), 0))) {
            if (kernel.node(id).op.is(Structure::load_)) last[kernel.operands(id)[0].index] = k;
        }
    }
    const auto extents = [&](NodeId id) { return std::get<ir::Loops>(kernel.node(id).attribute).extents; };
    CudaRoom room;
    std::vector<size_t> free_after;  // by place: the phase that reads it last
    for (size_t k = 0; k < phases.size(); ++k) {
        const Node& n = kernel.node(phases[k]);
        if (!n.op.is(Structure::hold_)) continue;
        // One of several results must not take the place that another one is still computed from.
        const size_t before = n.results_count == 1 ? k + 1 : k;
        for (uint32_t r = 0; r < n.results_count; ++r) {
            const ir::ValueId v = kernel.result(phases[k], r);
            size_t place = 0;
            while (place < room.places.size() &&
                   (free_after[place] >= before || room.places[place].dtype != kernel.type(v).dtype ||
                    extents(room.places[place].hold) != extents(phases[k])))
                ++place;
            if (place == room.places.size()) {
                room.places.push_back({phases[k], kernel.type(v).dtype});
                free_after.push_back(0);
            }
            free_after[place] = std::max(k + 1, last[v.index]);
            room.of[v.index] = place;
        }
    }
    return room;
}

size_t cuda_fold_work(const ir::Function& kernel, NodeId fold) {
    size_t work = 0;
    for (uint32_t k = 0; k < kernel.node(fold).regions_count; ++k) {
        for (NodeId id : ir::nodes_in_order(kernel, kernel.region_of(kernel.node(fold), k))) {
            const Node& n = kernel.node(id);
            if (n.op.elementwise() || n.regions_count != 0) ++work;
            // A loop is never worth a second copy.
            if (n.op.is(Structure::while_) || n.op.is(Structure::for_)) work += kLongWork;
        }
    }
    return work;
}

int cuda_fold_unroll(const ir::Function& kernel, NodeId fold) {
    const size_t work = cuda_fold_work(kernel, fold);
    return work <= kShortWork ? 4 : work <= kLongWork ? 2 : 0;
}

int cuda_fold_together(const ir::Function& kernel, NodeId fold) {
    const size_t work = cuda_fold_work(kernel, fold);
    return work <= kShortWork ? 8 : work <= kLongWork ? 4 : 1;
}

size_t cuda_state_bytes(const ir::Function& kernel, NodeId fold) { return state_layout(kernel, fold).second; }

size_t cuda_part_bytes(const ir::Function& kernel, NodeId fold) {
    const auto [align, bytes] = state_layout(kernel, fold);
    return round_up(bytes, std::max<size_t>(4, align));
}

}  // namespace fuseline
