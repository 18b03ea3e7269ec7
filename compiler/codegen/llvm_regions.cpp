// The walk over nodes, and `if`.
#include "compiler/codegen/llvm_regions.h"

#include "compiler/codegen/llvm_cells.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Region;
using ir::RegionId;
using ir::Structure;
using ir::ValueId;

void LlvmRegions::write(NodeId id) {
    const ir::Function& f = w_.kernel();
    if (f.node(id).regions_count == 0) return simple(id);
    enter(id);
    while (!frames_.empty()) {
        Frame& frame = frames_.back();
        const Region& region = f.region(f.region_of(f.node(frame.owner), frame.number));
        if (frame.position == region.nodes.size()) {
            leave();
            continue;
        }
        const NodeId next = region.nodes[frame.position++];
        if (f.node(next).regions_count == 0) {
            simple(next);
        } else {
            enter(next);
        }
    }
}

void LlvmRegions::simple(NodeId id) {
    const ir::Function& f = w_.kernel();
    const Node& n = f.node(id);
    if (n.op.elementwise()) return write_llvm_operation(w_, id);
    switch (n.op.structure()) {
        case Structure::constant_: return w_.define_constant(f.result(id), std::get<Scalar>(n.attribute));
        case Structure::extent_:
            return w_.define(f.result(id), sizes_.operand(std::get<ExtentId>(n.attribute)));
        case Structure::index_: return access_.index(id);
        case Structure::load_: return access_.load(id);
        case Structure::load_at_: return access_.load_at(id);
        case Structure::store_: return access_.store(id);
        default: throw InternalError(fmt::format("a CPU kernel cannot hold {}", n.op.name()));
    }
}

void LlvmRegions::enter(NodeId id) {
    Frame frame;
    frame.owner = id;
    frame.outer_mask = w_.mask;
    const Node& n = w_.kernel().node(id);
    if (n.op.is(Structure::if_)) return enter_if(std::move(frame));
    if (n.op.is(Structure::while_)) return enter_while(std::move(frame));
    enter_for(std::move(frame));
}

void LlvmRegions::leave() {
    Frame& frame = frames_.back();
    const Node& n = w_.kernel().node(frame.owner);
    if (n.op.is(Structure::while_)) return leave_while(frame);
    if (n.op.is(Structure::for_)) return leave_for(frame);
    if (w_.lanes(w_.kernel().operands(n)[0]) == 1) return leave_scalar_if(frame);
    leave_vector_if(frame);
}

void LlvmRegions::define_results(const Node& n, const std::vector<std::string>& texts) {
    for (uint32_t k = 0; k < n.results_count; ++k) w_.define({n.results_begin + k}, texts[k]);
}

void LlvmRegions::enter_if(Frame f) {
    const ValueId condition = w_.kernel().operands(f.owner)[0];
    const int lanes = w_.lanes(condition);
    f.condition = w_.operand(condition, lanes);
    f.stem = w_.label("if");
    if (lanes == 1) {
        w_.line("br i1 {0}, label %{1}.then, label %{1}.else", f.condition, f.stem);
        w_.block(f.stem + ".then");
    } else {
        begin_side(f);
    }
    frames_.push_back(std::move(f));
}

/// The yields of the open side, each a vector where its result is one.
std::vector<std::string> LlvmRegions::side_yields(const Frame& f) {
    const Node& n = w_.kernel().node(f.owner);
    const Region& side = w_.kernel().region(w_.kernel().region_of(n, f.number));
    std::vector<std::string> texts;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        texts.push_back(w_.operand(side.yields[k], w_.lanes({n.results_begin + k})));
    }
    return texts;
}

void LlvmRegions::leave_scalar_if(Frame& f) {
    const Node& n = w_.kernel().node(f.owner);
    std::vector<std::string> texts = side_yields(f);
    const std::string end = w_.open_block();
    w_.jump(f.stem + ".done");
    if (f.number == 0) {
        f.yields = std::move(texts);
        f.yield_block = end;
        f.number = 1;
        f.position = 0;
        return w_.block(f.stem + ".else");
    }
    w_.block(f.stem + ".done");
    std::vector<std::string> results;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId v{n.results_begin + k};
        results.push_back(w_.name(v));
        w_.line("{} = phi {} [ {}, %{} ], [ {}, %{} ]", results.back(), w_.type(v, w_.lanes(v)), f.yields[k],
                f.yield_block, texts[k], end);
    }
    define_results(n, results);
    frames_.pop_back();
}

/// A side of a vector `if`; both are computed in all lanes unless what it holds asks for a mask.
void LlvmRegions::begin_side(Frame& f) {
    const Node& n = w_.kernel().node(f.owner);
    f.position = 0;
    f.branches = w_.levels().needs_mask(w_.kernel().region_of(n, f.number));
    w_.mask = f.outer_mask;
    if (!f.branches) return;
    const std::string taken = w_.masked_by(f.condition, f.number == 1);
    const std::string some = w_.any(taken);
    const std::string side = f.stem + (f.number == 0 ? ".then" : ".else");
    f.skipped_from = w_.open_block();
    w_.line("br i1 {0}, label %{1}, label %{1}.done", some, side);
    w_.block(side);
    w_.mask = taken;
}

void LlvmRegions::leave_vector_if(Frame& f) {
    const Node& n = w_.kernel().node(f.owner);
    std::vector<std::string> texts = side_yields(f);
    if (f.branches) {
        const std::string side = f.stem + (f.number == 0 ? ".then" : ".else");
        const std::string end = w_.open_block();
        w_.jump(side + ".done");
        w_.block(side + ".done");
        for (uint32_t k = 0; k < n.results_count; ++k) {
            const std::string joined = w_.name("side");
            // Lanes that take no side hold zeros: poison would spread through the masks of loops.
            w_.line("{} = phi {} [ {}, %{} ], [ zeroinitializer, %{} ]", joined,
                    w_.type({n.results_begin + k}, w_.vector_lanes()), texts[k], end, f.skipped_from);
            texts[k] = joined;
        }
    }
    w_.mask = f.outer_mask;
    if (f.number == 0) {
        f.yields = std::move(texts);
        f.number = 1;
        return begin_side(f);
    }
    std::vector<std::string> results;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId v{n.results_begin + k};
        const std::string type = w_.type(v, w_.vector_lanes());
        results.push_back(w_.name(v));
        w_.line("{} = select {} {}, {} {}, {} {}", results.back(), w_.mask_type(), f.condition, type,
                f.yields[k], type, texts[k]);
    }
    define_results(n, results);
    frames_.pop_back();
}

}  // namespace fuseline
