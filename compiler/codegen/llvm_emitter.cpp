// Prints a kernel as textual LLVM IR: loops over the outer axes, a vector loop and a masked tail over the
// innermost.
#include <algorithm>

#include "compiler/codegen/emitters.h"
#include "compiler/codegen/llvm_folds.h"
#include "compiler/codegen/llvm_regions.h"
#include "compiler/codegen/llvm_rows.h"
#include "compiler/support/errors.h"
#include "embedded/llvm_prelude.h"
#include "embedded/llvm_special.h"

namespace fuseline {

using ir::Loops;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

namespace {

/// Above this many vector operations one masked body serves full vectors and the tail: a second body would
/// double the time to compile for little.
constexpr size_t kTwoBodies = 64;

/// Lanes of a vector. Loops and calls leave the processor waiting for one result after another, so that two
/// registers side by side are up to twice as fast; straight arithmetic overlaps from round to round anyway.
int vector_lanes(const LlvmLevels& levels, const Target& target) {
    if (!levels.vector_nest()) return 1;
    const int registers = levels.waits() && levels.vector_nodes() <= kTwoBodies ? 2 : 1;
    return registers * std::max(1, target.vector_bits / 8 / levels.widest_bytes());
}

class Emitter {
public:
    Emitter(const ir::Function& kernel, const Target& target)
        : f_(kernel),
          target_(target),
          levels_(kernel),
          w_(kernel, levels_, vector_lanes(levels_, target)),
          sizes_(w_),
          access_(w_, sizes_),
          regions_(w_, sizes_, access_),
          folds_(w_, sizes_, access_, regions_, target),
          rows_(w_, sizes_, access_, regions_, folds_, target),
          loops_(std::get<Loops>(kernel.node(levels_.nest()).attribute)) {
        if (levels_.vector_nest()) access_.set_lane_axis(levels_.rank() - 1);
        for (NodeId id : levels_.folds()) own_lanes_ = own_lanes_ || !levels_.shared(id);
    }

    std::string emit(const std::string& symbol);
    /// Steps of the outermost axis that one vector takes together.
    int64_t steps_together() const;

private:
    const std::vector<NodeId>& nest_nodes() const {
        return f_.region(f_.region_of(f_.node(levels_.nest()), 0)).nodes;
    }
    void prologue();
    void scalars();
    void guard();
    void axis_heads();
    void write(NodeId id, const std::string& next);
    void scalar_nodes();
    void vector_nodes(const std::string& next);
    int fold_lanes() const {
        return levels_.vector_nodes() > kTwoBodies ? folds_.lanes() : folds_.wide_lanes();
    }
    void innermost();
    std::string full_vectors(const std::string& low, const std::string& high);
    void vector_loop(const std::string& low, const std::string& stop, bool masked);
    void tail(const std::string& stop, const std::string& high);
    void vector_steps(const std::string& label, std::string_view before, const std::string& low,
                      const std::string& high, std::string_view after, bool masked);
    void tail_loop(const std::string& stop, const std::string& high);
    void body(std::string_view index, bool masked, const std::string& next);
    std::string lower(uint32_t axis) const { return axis == 0 ? "%begin" : "0"; }
    std::string upper(uint32_t axis) { return axis == 0 ? "%end" : sizes_.operand(loops_.extents[axis]); }
    /// The parameter of the nest's innermost axis.
    ValueId inner_name() const {
        return f_.region(f_.region_of(f_.node(levels_.nest()), 0)).parameters.back();
    }
    std::string axis_label(uint32_t axis) const { return fmt::format("axis{}", axis); }
    std::string assembled();
    void close_axes();

    const ir::Function& f_;
    const Target& target_;
    LlvmLevels levels_;
    LlvmWriter w_;
    LlvmSizes sizes_;
    LlvmAccess access_;
    LlvmRegions regions_;
    LlvmFolds folds_;
    LlvmRows rows_;
    const Loops& loops_;
    /// Whether lanes of a vector fold elements of an output each.
    bool own_lanes_ = false;
    std::vector<std::string> axes_, axis_nexts_;
};

void Emitter::prologue() {
    for (const char* taken : {"buffers", "scalars", "sizes", "begin", "end", "parts", "entry", "start",
                              "done", "rows", "vector", "rest", "tail"}) {
        w_.label(taken);
    }
    for (uint32_t axis = 0; axis < levels_.rank(); ++axis) w_.label(axis_label(axis));
    w_.enter_head(0);
    w_.block("entry");
    access_.buffers();
    scalars();
    w_.enter(0);
    w_.block("start");
}

void Emitter::scalars() {
    int slot = 0;
    for (ValueId p : f_.region(f_.body()).parameters) {
        if (f_.type(p).kind != ir::TypeKind::value) continue;
        const DType dtype = f_.type(p).dtype;
        const std::string address = w_.name("scalar.at");
        w_.line("{} = getelementptr i64, ptr %scalars, i64 {}", address, slot++);
        std::string value = w_.name(p);
        const bool apart = is_bool(dtype) || is_half(dtype);
        const std::string stored = apart ? w_.name("stored") : value;
        w_.line("{} = load {}, ptr {}, align 8", stored, row(dtype).llvm_storage, address);
        if (apart) llvm_loaded(w_, dtype, stored, 1, value);
        w_.enter(0);
        w_.define(p, value);
        w_.enter_head(0);
    }
}

/// Ends the prologue: code that moved out of the loops must not run when they do not.
void Emitter::guard() {
    std::string empty;
    const auto test = [&](const std::string& low, const std::string& high) {
        const std::string one = w_.name("empty");
        w_.line("{} = icmp sge i64 {}, {}", one, low, high);
        if (empty.empty()) {
            empty = one;
            return;
        }
        const std::string both = w_.name("empty");
        w_.line("{} = or i1 {}, {}", both, empty, one);
        empty = both;
    };
    w_.enter_head(0);
    for (uint32_t axis = 0; axis < levels_.rank(); ++axis) {
        const std::string high = upper(axis);
        test(lower(axis), high);
    }
    if (empty.empty()) {
        w_.jump("start");
    } else {
        w_.line("br i1 {}, label %done, label %start", empty);
    }
}

void Emitter::axis_heads() {
    const auto& parameters = f_.region(f_.region_of(f_.node(levels_.nest()), 0)).parameters;
    for (uint32_t axis = 0; axis < levels_.loops(); ++axis) {
        const std::string label = axis_label(axis);
        w_.enter_head(axis + 1);
        w_.block(label);
        axes_.push_back(w_.name(parameters[axis]));
        axis_nexts_.push_back(w_.name("next"));
        w_.line("{} = phi i64 [ {}, %{}.enter ], [ {}, %{}.latch ]", axes_[axis], lower(axis), label,
                axis_nexts_[axis], label);
        access_.set_axis(axis, axes_[axis]);
        w_.enter(axis + 1);
        w_.block(label + ".body");
    }
}

/// `next` is where the loop around goes on.
void Emitter::write(NodeId id, const std::string& next) {
    if (f_.node(id).op.is(Structure::fold_)) return folds_.write(id, next);
    if (std::holds_alternative<Loops>(f_.node(id).attribute)) return rows_.write(id);
    regions_.write(id);
}

void Emitter::scalar_nodes() {
    w_.enter(0);
    for (NodeId id : f_.region(f_.body()).nodes) {
        if (id != levels_.nest()) regions_.write(id);
    }
    for (NodeId id : nest_nodes()) {
        const uint32_t level = levels_.of_node(id);
        if (level > levels_.loops()) continue;
        w_.enter(level);
        write(id, level == 0 ? "done" : axis_label(level - 1) + ".latch");
    }
}

void Emitter::vector_nodes(const std::string& next) {
    for (NodeId id : nest_nodes()) {
        if (levels_.of_node(id) == levels_.rank()) write(id, next);
    }
}

void Emitter::body(std::string_view index, bool masked, const std::string& next) {
    w_.mask.clear();
    access_.set_axis(levels_.rank() - 1, std::string(index));
    if (masked) {
        const std::string left = w_.name("left");
        w_.line("{} = sub i64 {}, {}", left, upper(levels_.rank() - 1), index);
        std::string capped = left;
        if (levels_.vector_nodes() > kTwoBodies || own_lanes_) {
            capped = w_.name("left");
            w_.line("{} = call i64 @llvm.umin.i64(i64 {}, i64 {})", capped, left, w_.vector_lanes());
        }
        w_.mask = w_.first_lanes(capped, target_.vector_bits);
    }
    vector_nodes(next);
    w_.mask.clear();
}

/// Jumps to the loop, or past it where no full vector fits; gives the end of the full vectors.
std::string Emitter::full_vectors(const std::string& low, const std::string& high) {
    const int lanes = w_.vector_lanes();
    const std::string count = w_.name("count"), whole = w_.name("whole"), some = w_.name("some");
    const std::string stop = w_.name("stop");
    w_.line("{} = sub i64 {}, {}", count, high, low);
    w_.line("{} = and i64 {}, {}", whole, count, -lanes);
    w_.line("{} = add i64 {}, {}", stop, low, whole);
    w_.line("{} = icmp ne i64 {}, 0", some, whole);
    w_.line("br i1 {}, label %vector, label %rest", some);
    return stop;
}

/// The block `label`, entered from `before`: bodies of vectors from `low` up to `high`, then `after`.
void Emitter::vector_steps(const std::string& label, std::string_view before, const std::string& low,
                           const std::string& high, std::string_view after, bool masked) {
    const std::string index = w_.name(inner_name()), next = w_.name("next"), more = w_.name("more");
    const std::string latch = label + ".latch";
    w_.line("{} = phi i64 [ {}, %{} ], [ {}, %{} ]", index, low, before, next, latch);
    body(index, masked, latch);
    w_.jump(latch);
    w_.block(latch);
    w_.line("{} = add i64 {}, {}", next, index, w_.vector_lanes());
    w_.line("{} = icmp slt i64 {}, {}", more, next, high);
    w_.line("br i1 {}, label %{}, label %{}", more, label, after);
}

void Emitter::vector_loop(const std::string& low, const std::string& stop, bool masked) {
    w_.block("vector");
    vector_steps("vector", "rows", low, stop, "rest", masked);
    w_.block("rest");
}

void Emitter::tail(const std::string& stop, const std::string& high) {
    const std::string some = w_.name("some");
    w_.line("{} = icmp slt i64 {}, {}", some, stop, high);
    w_.line("br i1 {}, label %tail, label %rows.done", some);
    w_.block("tail");
    if (own_lanes_) return tail_loop(stop, high);
    body(stop, true, "rows.done");
}

/// Wide vectors may leave room for several narrower ones.
void Emitter::tail_loop(const std::string& stop, const std::string& high) {
    w_.set_lanes(folds_.tail_lanes());
    vector_steps("tail", "rest", stop, high, "rows.done", true);
}

void Emitter::innermost() {
    const uint32_t axis = levels_.rank() - 1;
    const std::string low = lower(axis), high = upper(axis);
    if (own_lanes_) w_.set_lanes(fold_lanes());
    const bool several = w_.vector_lanes() > 1;
    const bool two_bodies = several && levels_.vector_nodes() <= kTwoBodies;
    w_.enter(levels_.rank());
    w_.block("rows");
    std::string stop = high;
    if (two_bodies) {
        stop = full_vectors(low, high);
    } else {
        w_.jump("vector");
    }
    vector_loop(low, stop, several && !two_bodies);
    if (two_bodies) tail(stop, high);
    if (!two_bodies || !own_lanes_) w_.jump("rows.done");
    w_.block("rows.done");
}

/// Joins the loops over the outer axes around the innermost one.
std::string Emitter::assembled() {
    const uint32_t rank = levels_.rank();
    guard();
    std::string text = w_.take_head(0);
    w_.enter(0);
    for (uint32_t axis = 0; axis < levels_.loops(); ++axis) {
        const std::string label = axis_label(axis);
        w_.jump(label + ".enter");
        w_.block(label + ".enter");
        w_.jump(label);
        text += w_.take(axis);
        w_.enter_head(axis + 1);
        w_.jump(label + ".body");
        text += w_.take_head(axis + 1);
        w_.enter(axis + 1);
    }
    if (levels_.vector_nest()) {
        w_.jump("rows");
        text += w_.take(rank - 1);
    }
    close_axes();
    w_.jump("done");
    return text + w_.take(rank) + "done:\n  ret void\n}\n";
}

void Emitter::close_axes() {
    w_.enter(levels_.rank());
    for (uint32_t axis = levels_.loops(); axis-- > 0;) {
        const std::string label = axis_label(axis);
        const std::string more = w_.name("more");
        w_.jump(label + ".latch");
        w_.block(label + ".latch");
        w_.line("{} = add i64 {}, 1", axis_nexts_[axis], axes_[axis]);
        w_.line("{} = icmp slt i64 {}, {}", more, axis_nexts_[axis], upper(axis));
        w_.line("br i1 {0}, label %{1}, label %{1}.done", more, label);
        w_.block(label + ".done");
    }
}

int64_t Emitter::steps_together() const {
    if (!levels_.vector_nest() || levels_.rank() != 1) return 1;
    return own_lanes_ ? fold_lanes() : w_.vector_lanes();
}

std::string Emitter::emit(const std::string& symbol) {
    prologue();
    axis_heads();
    scalar_nodes();
    if (levels_.vector_nest()) innermost();
    const std::string code = assembled();
    const bool folds = !levels_.folds().empty();
    const int lanes = folds ? folds_.lanes() : w_.vector_lanes();
    std::string text = lanes == 1 ? "; one element at a time\n" : fmt::format("; vectors of {}\n", lanes);
    text += fmt::format(
        "define void @{}(ptr noalias nocapture readonly %buffers, ptr noalias nocapture readonly %scalars,\n"
        "    ptr noalias nocapture readonly %sizes, i64 %begin, i64 %end{}) #0 {{\n",
        symbol, folds ? ", ptr noalias nocapture readonly %parts" : "");
    text += code;
    std::string library(embedded::kLlvmPrelude);
    library += "\n";
    library += embedded::kLlvmSpecial;
    // Each of the prelude's blocks ends with a blank line.
    text += "\n" + llvm_prelude_text(library, w_.instances, target_);
    text +=
        fmt::format("attributes #0 = {{ nounwind \"prefer-vector-width\"=\"{}\" }}\n", target_.vector_bits);
    const std::string metadata = access_.metadata();
    return metadata.empty() ? text : text + "\n" + metadata;
}

}  // namespace

std::string emit_llvm(const ir::Function& kernel, const std::string& symbol, const Target& target) {
    return Emitter(kernel, target).emit(symbol);
}

int64_t cpu_steps_together(const ir::Function& kernel, const Target& target) {
    return Emitter(kernel, target).steps_together();
}

}  // namespace fuseline
