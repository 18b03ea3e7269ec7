// Loops over a row: one over its outer axes where it has several, and those over vectors of the innermost
// one.
#include "compiler/codegen/llvm_rows.h"

namespace fuseline {

using ir::Loops;
using ir::NodeId;
using ir::Structure;

namespace {

/// Above this many vector operations one masked body serves full vectors and the rest.
constexpr size_t kTwoBodies = 64;

}  // namespace

void LlvmRows::write(NodeId id) {
    const Loops& loops = std::get<Loops>(w_.kernel().node(id).attribute);
    const size_t inner = loops.extents.size() - 1;
    if (w_.kernel().node(id).op.is(Structure::hold_)) make_held(id);
    const int lanes = w_.vector_lanes();
    w_.open_inner();
    const uint32_t axis = access_.set_lane_axis(w_.levels().rank() + static_cast<uint32_t>(inner));
    if (inner == 0) {
        vectors(id, "0");
    } else {
        LlvmLoop runs(w_, "run");
        const std::string run = runs.carry("i64", "0", "run");
        runs.test_below(run, product(loops, 0, inner));
        set_outer_axes(loops, run);
        vectors(id, w_.value("base", "mul i64 {}, {}", run, sizes_.operand(loops.extents[inner])));
        runs.end({w_.value("next", "add i64 {}, 1", run)});
    }
    access_.set_lane_axis(axis);
    w_.close_inner();
    w_.set_lanes(lanes);
}

std::string LlvmRows::product(const Loops& loops, size_t first, size_t last) {
    std::string all = sizes_.operand(loops.extents[first]);
    for (size_t k = first + 1; k < last; ++k)
        all = w_.value("count", "mul i64 {}, {}", all, sizes_.operand(loops.extents[k]));
    return all;
}

void LlvmRows::make_held(NodeId id) {
    const Loops& loops = std::get<Loops>(w_.kernel().node(id).attribute);
    const uint32_t here = w_.place();
    w_.enter_head(0);
    const std::string count = product(loops, 0, loops.extents.size());
    for (uint32_t k = 0; k < w_.kernel().node(id).results_count; ++k) {
        access_.make_held(w_.kernel().result(id, k), count);
    }
    w_.return_to(here);
}

void LlvmRows::set_outer_axes(const Loops& loops, const std::string& run) {
    const uint32_t rank = w_.levels().rank();
    std::string rest = run;
    for (size_t axis = loops.extents.size() - 2; axis > 0; --axis) {
        const std::string extent = sizes_.operand(loops.extents[axis]);
        access_.set_axis(rank + static_cast<uint32_t>(axis), w_.value("k", "urem i64 {}, {}", rest, extent));
        rest = w_.value("k", "udiv i64 {}, {}", rest, extent);
    }
    access_.set_axis(rank, rest);
}

/// Along the innermost axis; `base` is the number of its first element in the row.
void LlvmRows::vectors(NodeId id, const std::string& base) {
    const std::string high = sizes_.operand(std::get<Loops>(w_.kernel().node(id).attribute).extents.back());
    std::string low = "0";
    if (w_.levels().vector_nodes() <= kTwoBodies) {
        w_.set_lanes(folds_.wide_lanes());
        const std::string whole = w_.value("whole", "and i64 {}, {}", high, -w_.vector_lanes());
        steps(id, base, low, whole, false);
        low = whole;
    }
    w_.set_lanes(folds_.lanes());
    steps(id, base, low, high, true);
}

void LlvmRows::steps(NodeId id, const std::string& base, const std::string& low, const std::string& high,
                     bool masked) {
    const size_t inner = std::get<Loops>(w_.kernel().node(id).attribute).extents.size() - 1;
    LlvmLoop loop(w_, masked ? "tail" : "vector");
    const std::string at = loop.carry("i64", low, "r");
    loop.test_below(at, high);
    access_.set_axis(w_.levels().rank() + static_cast<uint32_t>(inner), at);
    access_.set_row_index(base == "0" ? at : w_.value("flat", "add i64 {}, {}", base, at));
    if (masked) {
        const std::string left = w_.value("left", "sub i64 {}, {}", high, at);
        const std::string some =
            w_.value("left", "call i64 @llvm.umin.i64(i64 {}, i64 {})", left, w_.vector_lanes());
        w_.mask = w_.first_lanes(some, vector_bits_);
    }
    body(id);
    w_.mask.clear();
    loop.end({w_.value("next", "add i64 {}, {}", at, w_.vector_lanes())});
}

void LlvmRows::body(NodeId id) {
    const ir::Node& n = w_.kernel().node(id);
    const ir::Region& region = w_.kernel().region(w_.kernel().region_of(n, 0));
    for (NodeId inner : region.nodes) regions_.write(inner);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        access_.store_held(w_.kernel().result(id, k), region.yields[k]);
    }
}

}  // namespace fuseline
