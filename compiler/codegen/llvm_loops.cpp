// `while` and `for` of LlvmRegions: head, body, latch and exit blocks.
#include "compiler/codegen/llvm_regions.h"

namespace fuseline {

using ir::Node;
using ir::Region;
using ir::Structure;
using ir::ValueId;

/// Whether lanes may stop at different rounds.
bool LlvmRegions::masked_loop(const Node& n) const {
    const ir::Function& f = w_.kernel();
    if (n.op.is(Structure::while_)) return w_.lanes(f.region(f.region_of(n, 0)).yields[0]) != 1;
    const auto operands = f.operands(n);
    return w_.lanes(operands[0]) != 1 || w_.lanes(operands[1]) != 1;
}

/// Opens the head with a phi for each carried value and, where lanes stop one by one, for the active lanes.
void LlvmRegions::begin_loop(Frame& f, std::span<const ValueId> initial, uint32_t first_parameter) {
    const Node& n = w_.kernel().node(f.owner);
    const Region& head = w_.kernel().region(w_.kernel().region_of(n, 0));
    std::vector<std::string> starts;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        starts.push_back(w_.operand(initial[k], w_.lanes(head.parameters[first_parameter + k])));
    }
    std::string index_start;
    ValueId index;
    if (n.op.is(Structure::for_)) {
        index = head.parameters[0];
        index_start = w_.operand(w_.kernel().operands(n)[0], w_.lanes(index));
    }
    const std::string before = w_.open_block();
    const bool masked = masked_loop(n);
    w_.jump(f.stem + ".head");
    w_.block(f.stem + ".head");
    const std::string latch = f.stem + ".latch";
    const auto phi = [&](const std::string& name, const std::string& next, const std::string& type,
                         const std::string& start) {
        w_.line("{} = phi {} [ {}, %{} ], [ {}, %{} ]", name, type, start, before, next, latch);
    };
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId v = head.parameters[first_parameter + k];
        f.phis.push_back(w_.name(v));
        f.nexts.push_back(w_.name("next"));
        phi(f.phis[k], f.nexts[k], w_.type(v, w_.lanes(v)), starts[k]);
        w_.define(v, f.phis[k]);
    }
    if (index) {
        f.index = w_.name(index);
        f.index_next = w_.name("next");
        phi(f.index, f.index_next, w_.type(index, w_.lanes(index)), index_start);
        w_.define(index, f.index);
    }
    if (masked) {
        const std::string active = w_.name("active");
        const std::string start = w_.mask_operand();
        f.mask = w_.name("going");
        phi(active, f.mask, w_.mask_type(), start);
        w_.mask = active;
    }
}

/// Ends the head: to the body while the condition holds, in some lane at least.
void LlvmRegions::go_on(Frame& f, const std::string& condition) {
    std::string some = condition;
    if (masked_loop(w_.kernel().node(f.owner))) {
        w_.line("{} = and {} {}, {}", f.mask, w_.mask_type(), w_.mask, condition);
        some = w_.any(f.mask);
        w_.mask = f.mask;
    }
    w_.line("br i1 {0}, label %{1}.body, label %{1}.done", some, f.stem);
    w_.block(f.stem + ".body");
}

/// Ends the body with the latch and opens the exit. Carried values are those of the head.
void LlvmRegions::end_loop(Frame& f, std::span<const ValueId> yields) {
    const Node& n = w_.kernel().node(f.owner);
    const bool masked = masked_loop(n);
    std::vector<std::string> texts;
    for (uint32_t k = 0; k < n.results_count; ++k) {
        texts.push_back(w_.operand(yields[k], w_.lanes({n.results_begin + k})));
    }
    const std::string end = w_.open_block();
    w_.jump(f.stem + ".latch");
    w_.block(f.stem + ".latch");
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId v{n.results_begin + k};
        const std::string type = w_.type(v, w_.lanes(v));
        if (masked) {
            w_.line("{} = select {} {}, {} {}, {} {}", f.nexts[k], w_.mask_type(), f.mask, type, texts[k],
                    type, f.phis[k]);
        } else {
            w_.line("{} = phi {} [ {}, %{} ]", f.nexts[k], type, texts[k], end);
        }
    }
    if (!f.index.empty()) advance_index(f);
    w_.jump(f.stem + ".head");
    w_.block(f.stem + ".done");
    w_.mask = f.outer_mask;
    define_results(n, f.phis);
    frames_.pop_back();
}

void LlvmRegions::advance_index(Frame& f) {
    const ValueId index =
        w_.kernel().region(w_.kernel().region_of(w_.kernel().node(f.owner), 0)).parameters[0];
    const int lanes = w_.lanes(index);
    w_.line("{} = add {} {}, {}", f.index_next, w_.type(index, lanes), f.index,
            llvm_constant(DType::i64_, lanes, "1"));
}

void LlvmRegions::enter_while(Frame f) {
    const auto initial = w_.kernel().operands(f.owner);
    f.stem = w_.label("while");
    begin_loop(f, initial, 0);
    frames_.push_back(std::move(f));
}

void LlvmRegions::leave_while(Frame& f) {
    const ir::Function& kernel = w_.kernel();
    const Node& n = kernel.node(f.owner);
    const Region& head = kernel.region(kernel.region_of(n, 0));
    const Region& body = kernel.region(kernel.region_of(n, 1));
    if (f.number == 1) return end_loop(f, body.yields);
    const std::string condition = w_.operand(head.yields[0], w_.lanes(head.yields[0]));
    go_on(f, condition);
    for (uint32_t k = 0; k < n.results_count; ++k) w_.alias(body.parameters[k], head.parameters[k]);
    f.number = 1;
    f.position = 0;
}

void LlvmRegions::enter_for(Frame f) {
    const ir::Function& kernel = w_.kernel();
    const Node& n = kernel.node(f.owner);
    const auto operands = kernel.operands(n);
    const ValueId index = kernel.region(kernel.region_of(n, 0)).parameters[0];
    const int lanes = w_.lanes(index);
    f.stem = w_.label("for");
    // The bound's vector is made before the loop.
    const std::string stop = w_.operand(operands[1], lanes);
    begin_loop(f, operands.subspan(2), 1);
    const std::string within = w_.name("within");
    w_.line("{} = icmp slt {} {}, {}", within, w_.type(index, lanes), f.index, stop);
    go_on(f, within);
    frames_.push_back(std::move(f));
}

void LlvmRegions::leave_for(Frame& f) {
    const ir::Function& kernel = w_.kernel();
    end_loop(f, kernel.region(kernel.region_of(kernel.node(f.owner), 0)).yields);
}

}  // namespace fuseline
