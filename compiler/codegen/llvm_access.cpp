// Buffers, addresses and indices: what does not vary is computed in the outermost loop that it depends on.
#include "compiler/codegen/llvm_access.h"

#include "compiler/support/errors.h"

namespace fuseline {

using ir::Affine;
using ir::NodeId;
using ir::ValueId;

namespace {

constexpr ExtentId kZero{0}, kOne{1};

}  // namespace

void LlvmAccess::buffers() {
    const ir::Function& f = w_.kernel();
    const auto& parameters = f.region(f.body()).parameters;
    int number = 0;
    for (ValueId p : parameters) {
        const ir::TypeKind kind = f.type(p).kind;
        if (kind == ir::TypeKind::value) continue;
        const std::string value = w_.name(p);
        const std::string address = w_.name(fmt::format("{}.at", f.value_name(p)));
        w_.line("{} = getelementptr ptr, ptr %buffers, i64 {}", address, number++);
        w_.line("{} = load ptr, ptr {}, align 8", value, address);
        buffers_[p.index] = {value, kind == ir::TypeKind::write_buffer ? writers_++ : -1};
    }
}

void LlvmAccess::set_axis(uint32_t axis, std::string index) {
    if (axes_.size() <= axis) axes_.resize(axis + 1);
    axes_[axis] = std::move(index);
}

std::string LlvmAccess::product(std::string_view index, ExtentId coefficient, std::string_view name) {
    if (coefficient == kOne) return std::string(index);
    const std::string factor = sizes_.operand(coefficient);
    const std::string value = w_.name(name);
    w_.line("{} = mul i64 {}, {}", value, index, factor);
    return value;
}

/// The offset with its terms in the nest's scalar loops, each term in the section of its loop.
std::string LlvmAccess::outer_terms(const Affine& affine) {
    std::string total = affine.offset == kZero ? "" : sizes_.operand(affine.offset);
    std::string key = fmt::format("{}", affine.offset.index);
    const uint32_t here = w_.place();
    for (const Affine::Term& t : affine.terms) {
        if (t.axis >= w_.levels().loops()) break;
        key += fmt::format(" {}*{}", t.coefficient.index, t.axis);
        std::string& known = offsets_[key];
        if (known.empty()) {
            w_.enter_head(t.axis + 1);
            const std::string term = product(axes_[t.axis], t.coefficient, "term");
            known = term;
            if (!total.empty()) {
                known = w_.name("offset");
                w_.line("{} = add i64 {}, {}", known, total, term);
            }
        }
        total = known;
    }
    w_.return_to(here);
    return total.empty() ? "0" : total;
}

/// The terms in the axes of lanes and folds, where the writer is; empty where there are none.
std::string LlvmAccess::inner_terms(const Affine& affine) {
    std::string total;
    for (const Affine::Term& t : affine.terms) {
        if (t.axis < w_.levels().loops()) continue;
        const std::string step = product(axes_[t.axis], t.coefficient, "step");
        if (total.empty()) {
            total = step;
            continue;
        }
        const std::string sum = w_.name("step");
        w_.line("{} = add i64 {}, {}", sum, total, step);
        total = sum;
    }
    return total;
}

ExtentId LlvmAccess::lane_coefficient(const Affine& affine) const {
    return lane_axis_ == kNoAxis ? kZero : affine.coefficient(lane_axis_);
}

/// Address of the element of lane 0. Inner indices are added last, in the innermost body.
std::string LlvmAccess::element_address(ValueId buffer, const Affine& affine) {
    const std::string element = llvm_storage_type(w_.kernel().type(buffer).dtype, 1);
    const uint32_t loops = w_.levels().loops();
    const std::string offset = outer_terms(affine);
    std::string pointer = buffers_.at(buffer.index).pointer;
    const bool inner = !affine.terms.empty() && affine.terms.back().axis >= loops;
    if (offset != "0" && !inner) {
        const std::string at = w_.name("at");
        w_.line("{} = getelementptr {}, ptr {}, i64 {}", at, element, pointer, offset);
        return at;
    }
    if (offset != "0") {
        // An innermost body must not repeat the address of its row.
        std::string& known = offsets_[fmt::format("{}+{}", pointer, offset)];
        if (known.empty()) {
            const uint32_t here = w_.place();
            w_.enter_head(loops);
            known = w_.name("row");
            w_.line("{} = getelementptr {}, ptr {}, i64 {}", known, element, pointer, offset);
            w_.return_to(here);
        }
        pointer = known;
    }
    if (!inner) return pointer;
    const std::string step = inner_terms(affine);
    const std::string at = w_.name("at");
    w_.line("{} = getelementptr {}, ptr {}, i64 {}", at, element, pointer, step);
    return at;
}

std::string LlvmAccess::alias_text(ValueId buffer) const {
    // !1 is what is read, !2 all that is written; then for writer k its own set and that of all other
    // buffers.
    const int writer = buffers_.at(buffer.index).writer;
    if (writers_ == 0) return "";
    if (writer < 0) return ", !alias.scope !1, !noalias !2";
    return fmt::format(", !alias.scope !{}, !noalias !{}", 2 * writer + 3, 2 * writer + 4);
}

std::string LlvmAccess::metadata() const {
    if (writers_ == 0) return {};
    // Scopes after the sets: one for what is read, one for each writer.
    const int first = 2 * writers_ + 3;
    const auto scope = [&](int writer) { return fmt::format("!{}", first + 1 + writer); };
    const std::string reads = fmt::format("!{}", first);
    std::string all;
    for (int k = 0; k < writers_; ++k) all += (k == 0 ? "" : ", ") + scope(k);
    std::string text = fmt::format("!0 = distinct !{{!0}}\n!1 = !{{{}}}\n!2 = !{{{}}}\n", reads, all);
    for (int k = 0; k < writers_; ++k) {
        std::string others = reads;
        for (int j = 0; j < writers_; ++j) {
            if (j != k) others += ", " + scope(j);
        }
        text += fmt::format("!{} = !{{{}}}\n!{} = !{{{}}}\n", 2 * k + 3, scope(k), 2 * k + 4, others);
    }
    for (int k = 0; k <= writers_; ++k) text += fmt::format("!{0} = distinct !{{!{0}, !0}}\n", first + k);
    return text;
}

/// Where the vector begins in memory: at the last lane's element when the lanes run backwards.
std::string LlvmAccess::vector_address(ValueId buffer, const Affine& affine) {
    const std::string first = element_address(buffer, affine);
    if (!runs_backwards(affine)) return first;
    const std::string last = w_.name("at");
    w_.line("{} = getelementptr {}, ptr {}, i64 {}", last,
            llvm_storage_type(w_.kernel().type(buffer).dtype, 1), first, 1 - w_.vector_lanes());
    return last;
}

std::string LlvmAccess::lane_offsets(ExtentId coefficient) {
    const int lanes = w_.vector_lanes();
    std::string iota;
    for (int k = 0; k < lanes; ++k) iota += fmt::format("{}i64 {}", k == 0 ? "" : ", ", k);
    iota = fmt::format("<{}>", iota);
    if (coefficient == kOne) return iota;
    std::string& known = offsets_[fmt::format("{} lanes*{}", lanes, coefficient.index)];
    if (!known.empty()) return known;
    const std::string factor = sizes_.operand(coefficient);
    const uint32_t here = w_.place();
    w_.enter_head(0);
    const std::string all = w_.splat("i64", factor, lanes, "stride");
    known = w_.name("strides");
    w_.line("{} = mul <{} x i64> {}, {}", known, lanes, all, iota);
    w_.return_to(here);
    return known;
}

std::string LlvmAccess::lane_addresses(ValueId buffer, const Affine& affine, ExtentId coefficient) {
    const DType dtype = w_.kernel().type(buffer).dtype;
    const std::string offsets = lane_offsets(coefficient);
    const std::string first = element_address(buffer, affine);
    const std::string all = w_.name("all");
    w_.line("{} = getelementptr {}, ptr {}, <{} x i64> {}", all, llvm_storage_type(dtype, 1), first,
            w_.vector_lanes(), offsets);
    return all;
}

void LlvmAccess::index(NodeId id) {
    const ir::Function& f = w_.kernel();
    const Affine& affine = std::get<Affine>(f.node(id).attribute);
    const ValueId result = f.result(id);
    const int lanes = w_.lanes(result);
    const std::string first = outer_terms(affine);
    const std::string offsets = lanes == 1 ? "" : lane_offsets(lane_coefficient(affine));
    const std::string step = inner_terms(affine);
    if (step.empty()) return w_.define(result, first);
    const std::string base = lanes == 1 ? w_.name(result) : w_.name("base");
    w_.line("{} = add i64 {}, {}", base, first, step);
    if (lanes == 1) return w_.define(result, base);
    const std::string all = w_.splat("i64", base, lanes, "base");
    const std::string value = w_.name(result);
    w_.line("{} = add <{} x i64> {}, {}", value, lanes, all, offsets);
    w_.define(result, value);
}

}  // namespace fuseline
