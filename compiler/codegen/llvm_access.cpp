// Addresses and memory operations: a vector where neighbours lie side by side, a scalar where all lanes read one
// element, a gather or scatter otherwise.
#include "compiler/codegen/llvm_access.h"

#include "compiler/support/errors.h"

namespace fuseline {

using ir::Affine;
using ir::NodeId;
using ir::ValueId;

namespace {

constexpr ExtentId kZero{0}, kOne{1};

std::string storage_type(DType dtype, int lanes) {
    const std::string_view element = row(dtype).llvm_storage;
    return lanes == 1 ? std::string(element) : fmt::format("<{} x {}>", lanes, element);
}

std::string storage_suffix(DType dtype, int lanes) {
    return is_bool(dtype) ? fmt::format("v{}i8", lanes) : llvm_suffix(dtype, lanes);
}

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

/// The offset with its terms in the first `axes` axes, each term in the section of its loop.
std::string LlvmAccess::terms(const Affine& affine, uint32_t axes) {
    std::string total = affine.offset == kZero ? "" : sizes_.operand(affine.offset);
    std::string key = fmt::format("{}", affine.offset.index);
    const uint32_t here = w_.place();
    for (const Affine::Term& t : affine.terms) {
        if (t.axis >= axes) break;
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

ExtentId LlvmAccess::lane_coefficient(const Affine& affine) const {
    const uint32_t rank = w_.levels().rank();
    return rank == 0 ? kZero : affine.coefficient(rank - 1);
}

/// Address of the element of lane 0. The innermost index is added last, in the innermost body.
std::string LlvmAccess::element_address(ValueId buffer, const Affine& affine) {
    const ir::Type& type = w_.kernel().type(buffer);
    const uint32_t rank = w_.levels().rank();
    const std::string element = storage_type(type.dtype, 1);
    std::string offset = rank == 0 ? terms(affine, 0) : terms(affine, rank - 1);
    std::string pointer = buffers_.at(buffer.index).pointer;
    const ExtentId inner = lane_coefficient(affine);
    const std::string stem = pointer.substr(1);
    if (offset != "0") {
        const uint32_t here = w_.place();
        // An innermost body must not repeat the address of its row.
        const std::string key = fmt::format("{}+{}", pointer, offset);
        std::string& known = offsets_[key];
        if (known.empty() && inner != kZero) {
            w_.enter_head(rank - 1);
            known = w_.name("row");
            w_.line("{} = getelementptr {}, ptr {}, i64 {}", known, element, pointer, offset);
            w_.return_to(here);
        }
        if (inner == kZero) {
            const std::string at = w_.name("at");
            w_.line("{} = getelementptr {}, ptr {}, i64 {}", at, element, pointer, offset);
            return at;
        }
        pointer = known;
    }
    if (inner == kZero) return pointer;
    const std::string step = product(axes_[rank - 1], inner, "step");
    const std::string at = w_.name("at");
    w_.line("{} = getelementptr {}, ptr {}, i64 {}", at, element, pointer, step);
    return at;
}

std::string LlvmAccess::alias_text(ValueId buffer) const {
    // !1 is what is read, !2 all that is written; then for writer k its own set and that of all other buffers.
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

void LlvmAccess::define_loaded(NodeId id, const std::string& stored, int lanes) {
    const ValueId result = w_.kernel().result(id);
    const DType dtype = w_.kernel().type(result).dtype;
    if (!is_bool(dtype)) return w_.define(result, stored);
    const std::string value = w_.name(result);
    w_.line("{} = icmp ne {} {}, zeroinitializer", value, storage_type(dtype, lanes), stored);
    w_.define(result, value);
}

std::string LlvmAccess::to_storage(ValueId v, int lanes) {
    const DType dtype = w_.kernel().type(v).dtype;
    std::string value = w_.operand(v, lanes);
    if (!is_bool(dtype)) return value;
    const std::string stored = w_.name("byte");
    w_.line("{} = zext {} {} to {}", stored, w_.type(v, lanes), value, storage_type(dtype, lanes));
    return stored;
}

void LlvmAccess::load(NodeId id) {
    const ir::Function& f = w_.kernel();
    const Affine& affine = std::get<Affine>(f.node(id).attribute);
    const ValueId result = f.result(id), buffer = f.operands(id)[0];
    const DType dtype = f.type(result).dtype;
    require(dtype != DType::f16_ && dtype != DType::bf16_ && !is_complex(dtype),
            "an element type that the CPU does not have yet");
    if (w_.lanes(result) != 1) {
        const ExtentId coefficient = lane_coefficient(affine);
        return coefficient == kOne ? load_vector(id) : load_lanes(id, coefficient);
    }
    const std::string address = element_address(buffer, affine);
    const std::string stored = is_bool(dtype) ? w_.name("byte") : w_.name(result);
    w_.line("{} = load {}, ptr {}, align {}{}", stored, storage_type(dtype, 1), address, byte_size(dtype),
            alias_text(buffer));
    define_loaded(id, stored, 1);
}

void LlvmAccess::load_vector(NodeId id) {
    const ir::Function& f = w_.kernel();
    const ValueId result = f.result(id), buffer = f.operands(id)[0];
    const DType dtype = f.type(result).dtype;
    const int lanes = w_.vector_lanes();
    const std::string type = storage_type(dtype, lanes);
    const std::string address = element_address(buffer, std::get<Affine>(f.node(id).attribute));
    const std::string stored = is_bool(dtype) ? w_.name("bytes") : w_.name(result);
    if (w_.mask.empty()) {
        w_.line("{} = load {}, ptr {}, align {}{}", stored, type, address, byte_size(dtype), alias_text(buffer));
    } else {
        w_.line("{} = call {} @llvm.masked.load.{}.p0(ptr {}, i32 {}, {} {}, {} zeroinitializer){}", stored, type,
                storage_suffix(dtype, lanes), address, byte_size(dtype), w_.mask_type(), w_.mask, type,
                alias_text(buffer));
    }
    define_loaded(id, stored, lanes);
}

std::string LlvmAccess::lane_offsets(ExtentId coefficient) {
    const int lanes = w_.vector_lanes();
    std::string iota;
    for (int k = 0; k < lanes; ++k) iota += fmt::format("{}i64 {}", k == 0 ? "" : ", ", k);
    iota = fmt::format("<{}>", iota);
    if (coefficient == kOne) return iota;
    std::string& known = offsets_[fmt::format("lanes*{}", coefficient.index)];
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
    w_.line("{} = getelementptr {}, ptr {}, <{} x i64> {}", all, storage_type(dtype, 1), first, w_.vector_lanes(),
            offsets);
    return all;
}

void LlvmAccess::load_lanes(NodeId id, ExtentId coefficient) {
    const ir::Function& f = w_.kernel();
    const ValueId result = f.result(id), buffer = f.operands(id)[0];
    const DType dtype = f.type(result).dtype;
    const int lanes = w_.vector_lanes();
    const std::string type = storage_type(dtype, lanes);
    const std::string all = lane_addresses(buffer, std::get<Affine>(f.node(id).attribute), coefficient);
    const std::string stored = is_bool(dtype) ? w_.name("bytes") : w_.name(result);
    w_.line("{0} = call {1} @llvm.masked.gather.{2}.v{3}p0(<{3} x ptr> {4}, i32 {5}, {6} {7}, {1} zeroinitializer){8}",
            stored, type, storage_suffix(dtype, lanes), lanes, all, byte_size(dtype), w_.mask_type(),
            w_.mask_operand(), alias_text(buffer));
    define_loaded(id, stored, lanes);
}

void LlvmAccess::store(NodeId id) {
    const ir::Function& f = w_.kernel();
    const Affine& affine = std::get<Affine>(f.node(id).attribute);
    const ValueId buffer = f.operands(id)[0], value = f.operands(id)[1];
    const DType dtype = f.type(value).dtype;
    if (w_.levels().rank() != 0) {
        const ExtentId coefficient = lane_coefficient(affine);
        require(coefficient != kZero, "a store at the same place in every lane");
        return coefficient == kOne ? store_vector(id) : store_lanes(id, coefficient);
    }
    const std::string stored = to_storage(value, 1);
    const std::string address = element_address(buffer, affine);
    w_.line("store {} {}, ptr {}, align {}{}", storage_type(dtype, 1), stored, address, byte_size(dtype),
            alias_text(buffer));
}

void LlvmAccess::store_vector(NodeId id) {
    const ir::Function& f = w_.kernel();
    const ValueId buffer = f.operands(id)[0], value = f.operands(id)[1];
    const DType dtype = f.type(value).dtype;
    const int lanes = w_.vector_lanes();
    const std::string stored = to_storage(value, lanes);
    const std::string type = storage_type(dtype, lanes);
    const std::string address = element_address(buffer, std::get<Affine>(f.node(id).attribute));
    if (w_.mask.empty()) {
        w_.line("store {} {}, ptr {}, align {}{}", type, stored, address, byte_size(dtype), alias_text(buffer));
    } else {
        w_.line("call void @llvm.masked.store.{}.p0({} {}, ptr {}, i32 {}, {} {}){}", storage_suffix(dtype, lanes),
                type, stored, address, byte_size(dtype), w_.mask_type(), w_.mask, alias_text(buffer));
    }
}

void LlvmAccess::store_lanes(NodeId id, ExtentId coefficient) {
    const ir::Function& f = w_.kernel();
    const ValueId buffer = f.operands(id)[0], value = f.operands(id)[1];
    const DType dtype = f.type(value).dtype;
    const int lanes = w_.vector_lanes();
    const std::string stored = to_storage(value, lanes);
    const std::string all = lane_addresses(buffer, std::get<Affine>(f.node(id).attribute), coefficient);
    w_.line("call void @llvm.masked.scatter.{}.v{}p0({} {}, <{} x ptr> {}, i32 {}, {} {}){}",
            storage_suffix(dtype, lanes), lanes, storage_type(dtype, lanes), stored, lanes, all, byte_size(dtype),
            w_.mask_type(), w_.mask_operand(), alias_text(buffer));
}

void LlvmAccess::index(NodeId id) {
    const ir::Function& f = w_.kernel();
    const Affine& affine = std::get<Affine>(f.node(id).attribute);
    const ValueId result = f.result(id);
    const int lanes = w_.lanes(result);
    const uint32_t rank = w_.levels().rank();
    const ExtentId inner = lane_coefficient(affine);
    std::string first = terms(affine, rank == 0 ? 0 : rank - 1);
    if (lanes == 1) return w_.define(result, first);
    const std::string offsets = lane_offsets(inner);
    const std::string step = product(axes_[rank - 1], inner, "step");
    const std::string base = w_.name("base");
    w_.line("{} = add i64 {}, {}", base, first, step);
    const std::string all = w_.splat("i64", base, lanes, "base");
    const std::string value = w_.name(result);
    w_.line("{} = add <{} x i64> {}, {}", value, lanes, all, offsets);
    w_.define(result, value);
}

}  // namespace fuseline
