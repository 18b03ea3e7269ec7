// Memory operations: a vector where lanes lie side by side, a scalar where all read one element, a gather or
// scatter otherwise.
#include <cstdlib>

#include "compiler/codegen/llvm_access.h"
#include "compiler/codegen/llvm_cells.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Affine;
using ir::NodeId;
using ir::ValueId;

namespace {

constexpr ExtentId kZero{0}, kOne{1};

/// The integer of which an element in memory consists where it is no value yet, else the type itself.
DType stored_type(DType dtype) {
    if (is_half(dtype)) return DType::u16_;
    return is_bool(dtype) ? DType::u8_ : dtype;
}

bool stored_apart(DType dtype) { return stored_type(dtype) != dtype; }

}  // namespace

std::string storage_suffix(DType dtype, int lanes) { return llvm_suffix(stored_type(dtype), lanes); }

std::string llvm_storage_type(DType dtype, int lanes) {
    const std::string_view element = row(dtype).llvm_storage;
    return lanes == 1 ? std::string(element) : fmt::format("<{} x {}>", lanes, element);
}

bool LlvmAccess::runs_backwards(const Affine& affine) const {
    return w_.kernel().extents.constant_value(lane_coefficient(affine)) == -1;
}

bool LlvmAccess::side_by_side(const Affine& affine) const {
    return lane_coefficient(affine) == kOne || runs_backwards(affine);
}

std::string llvm_loaded(LlvmWriter& w, DType dtype, const std::string& stored, int lanes,
                        const std::string& name) {
    const DType memory = stored_type(dtype);
    if (is_bool(dtype)) return write_llvm_step(w, {"icmp ne zero", memory, dtype}, stored, lanes, name);
    const std::string cell = fmt::format("fl.to_value_{}", fuseline::name(dtype));
    return write_llvm_step(w, {cell, memory, computed_type(dtype)}, stored, lanes, name);
}

void LlvmAccess::define_loaded(NodeId id, const std::string& stored, int lanes) {
    const ValueId result = w_.kernel().result(id);
    const DType dtype = w_.kernel().type(result).dtype;
    if (!stored_apart(dtype)) return w_.define(result, stored);
    w_.define(result, llvm_loaded(w_, dtype, stored, lanes, w_.name(result)));
}

std::string LlvmAccess::to_storage(ValueId v, int lanes) {
    const DType dtype = w_.kernel().type(v).dtype;
    const std::string value = w_.operand(v, lanes);
    if (!stored_apart(dtype)) return value;
    const DType memory = stored_type(dtype);
    if (is_bool(dtype)) return write_llvm_step(w_, {"zext", dtype, memory}, value, lanes, w_.name("byte"));
    const std::string cell = fmt::format("fl.to_bits_{}", fuseline::name(dtype));
    return write_llvm_step(w_, {cell, computed_type(dtype), memory}, value, lanes, w_.name("bits"));
}

void LlvmAccess::load(NodeId id) {
    const ir::Function& f = w_.kernel();
    const Affine& affine = std::get<Affine>(f.node(id).attribute);
    const ValueId result = f.result(id), buffer = f.operands(id)[0];
    const DType dtype = f.type(result).dtype;
    require(!is_complex(dtype), "an element type that the CPU does not have yet");
    if (f.type(buffer).kind == ir::TypeKind::held) return load_held(id);
    if (w_.lanes(result) == 1) return load_scalar(id, element_address(buffer, affine), 1);
    if (side_by_side(affine)) return load_vector(id);
    load_lanes(id, lane_addresses(buffer, affine, lane_coefficient(affine)), 1);
}

void LlvmAccess::load_at(NodeId id) {
    const ir::Function& f = w_.kernel();
    const auto operands = f.operands(id);
    const ValueId result = f.result(id);
    const std::string type = llvm_storage_type(f.type(result).dtype, 1);
    const std::string pointer = buffers_.at(operands[0].index).pointer;
    const int lanes = w_.lanes(result);
    const std::string offset = w_.operand(operands[1], lanes);
    const std::string at = w_.name("at");
    w_.line("{} = getelementptr {}, ptr {}, {} {}", at, type, pointer, w_.type(operands[1], lanes), offset);
    if (lanes == 1) return load_scalar(id, at, 2);
    load_lanes(id, at, 2);
}

/// Operands from `guard` on are the bool that allows the access and what stands in its place.
void LlvmAccess::load_scalar(NodeId id, const std::string& address, size_t guard) {
    const ir::Function& f = w_.kernel();
    const auto operands = f.operands(id);
    const ValueId result = f.result(id);
    const DType dtype = f.type(result).dtype;
    const std::string type = llvm_storage_type(dtype, 1);
    const bool guarded = operands.size() > guard;
    std::string stem, fill, before;
    if (guarded) {
        const std::string allowed = w_.operand(operands[guard], 1);
        fill = to_storage(operands[guard + 1], 1);
        stem = w_.label("guard");
        before = w_.open_block();
        w_.line("br i1 {0}, label %{1}.inside, label %{1}.done", allowed, stem);
        w_.block(stem + ".inside");
    }
    std::string stored = stored_apart(dtype) || guarded ? w_.name("stored") : w_.name(result);
    w_.line("{} = load {}, ptr {}, align {}{}", stored, type, address, byte_size(dtype),
            alias_text(operands[0]));
    if (guarded) {
        w_.jump(stem + ".done");
        w_.block(stem + ".done");
        const std::string joined = stored_apart(dtype) ? w_.name("stored") : w_.name(result);
        w_.line("{0} = phi {1} [ {2}, %{3}.inside ], [ {4}, %{5} ]", joined, type, stored, stem, fill,
                before);
        stored = joined;
    }
    define_loaded(id, stored, 1);
}

LlvmAccess::Guard LlvmAccess::lane_guard(NodeId id, size_t first) {
    const auto operands = w_.kernel().operands(id);
    if (operands.size() == first) return {w_.mask, "zeroinitializer"};
    const int lanes = w_.vector_lanes();
    const std::string allowed = w_.operand(operands[first], lanes);
    return {w_.masked_by(allowed, false), to_storage(operands[first + 1], lanes)};
}

std::string LlvmAccess::reversed(DType dtype, const std::string& value) {
    const int lanes = w_.vector_lanes();
    const std::string result = w_.name("reversed");
    w_.line("{0} = call {1} @llvm.vector.reverse.{2}({1} {3})", result, llvm_storage_type(dtype, lanes),
            storage_suffix(dtype, lanes), value);
    return result;
}

/// A mask in the order of memory; empty where all lanes compute.
std::string LlvmAccess::ordered_mask(bool backwards, const std::string& mask) {
    if (!backwards || mask.empty()) return mask;
    const std::string result = w_.name("mask");
    w_.line("{0} = call {1} @llvm.vector.reverse.v{2}i1({1} {3})", result, w_.mask_type(), w_.vector_lanes(),
            mask);
    return result;
}

void LlvmAccess::load_vector(NodeId id) {
    const ir::Function& f = w_.kernel();
    const Affine& affine = std::get<Affine>(f.node(id).attribute);
    const ValueId result = f.result(id), buffer = f.operands(id)[0];
    const DType dtype = f.type(result).dtype;
    const int lanes = w_.vector_lanes();
    const bool turned = runs_backwards(affine);
    const std::string type = llvm_storage_type(dtype, lanes);
    const Guard guard = lane_guard(id, 1);
    const std::string address = vector_address(buffer, affine);
    const std::string mask = ordered_mask(turned, guard.mask);
    std::string fill = guard.fill;
    if (turned && fill != "zeroinitializer") fill = reversed(dtype, fill);
    std::string stored = stored_apart(dtype) || turned ? w_.name("stored") : w_.name(result);
    if (mask.empty()) {
        w_.line("{} = load {}, ptr {}, align {}{}", stored, type, address, byte_size(dtype),
                alias_text(buffer));
    } else {
        w_.line("{} = call {} @llvm.masked.load.{}.p0(ptr {}, i32 {}, {} {}, {} {}){}", stored, type,
                storage_suffix(dtype, lanes), address, byte_size(dtype), w_.mask_type(), mask, type, fill,
                alias_text(buffer));
    }
    if (ahead_) fetch_ahead(address, turned ? -lanes * byte_size(dtype) : lanes * byte_size(dtype));
    if (turned) stored = reversed(dtype, stored);
    define_loaded(id, stored, lanes);
}

/// Asks for the bytes next to a vector's, in as many lines; where there is no memory nothing happens.
void LlvmAccess::fetch_ahead(const std::string& address, int64_t bytes) {
    constexpr int64_t kLine = 64;
    for (int64_t at = 0; at < std::abs(bytes); at += kLine) {
        const std::string line = w_.name("ahead");
        w_.line("{} = getelementptr i8, ptr {}, i64 {}", line, address, bytes + at);
        w_.line("call void @llvm.prefetch.p0(ptr {}, i32 0, i32 3, i32 1)", line);
    }
}

void LlvmAccess::load_lanes(NodeId id, const std::string& addresses, size_t guard) {
    const ir::Function& f = w_.kernel();
    const ValueId result = f.result(id), buffer = f.operands(id)[0];
    const DType dtype = f.type(result).dtype;
    const int lanes = w_.vector_lanes();
    const std::string type = llvm_storage_type(dtype, lanes);
    const Guard g = lane_guard(id, guard);
    const std::string mask = g.mask.empty() ? w_.mask_operand() : g.mask;
    const std::string stored = stored_apart(dtype) ? w_.name("stored") : w_.name(result);
    w_.line("{0} = call {1} @llvm.masked.gather.{2}.v{3}p0(<{3} x ptr> {4}, i32 {5}, {6} {7}, {1} {8}){9}",
            stored, type, storage_suffix(dtype, lanes), lanes, addresses, byte_size(dtype), w_.mask_type(),
            mask, g.fill, alias_text(buffer));
    define_loaded(id, stored, lanes);
}

void LlvmAccess::store(NodeId id) {
    const ir::Function& f = w_.kernel();
    const Affine& affine = std::get<Affine>(f.node(id).attribute);
    const ValueId buffer = f.operands(id)[0], value = f.operands(id)[1];
    const DType dtype = f.type(value).dtype;
    if (lane_axis_ != kNoAxis) {
        const ExtentId coefficient = lane_coefficient(affine);
        require(coefficient != kZero, "a store at the same place in every lane");
        return side_by_side(affine) ? store_vector(id) : store_lanes(id, coefficient);
    }
    const std::string stored = to_storage(value, 1);
    const std::string address = element_address(buffer, affine);
    w_.line("store {} {}, ptr {}, align {}{}", llvm_storage_type(dtype, 1), stored, address, byte_size(dtype),
            alias_text(buffer));
}

void LlvmAccess::store_vector(NodeId id) {
    const ir::Function& f = w_.kernel();
    const Affine& affine = std::get<Affine>(f.node(id).attribute);
    const ValueId buffer = f.operands(id)[0], value = f.operands(id)[1];
    const DType dtype = f.type(value).dtype;
    const int lanes = w_.vector_lanes();
    const bool turned = runs_backwards(affine);
    std::string stored = to_storage(value, lanes);
    if (turned) stored = reversed(dtype, stored);
    const std::string type = llvm_storage_type(dtype, lanes);
    const std::string address = vector_address(buffer, affine);
    const std::string mask = ordered_mask(turned, w_.mask);
    if (mask.empty()) {
        w_.line("store {} {}, ptr {}, align {}{}", type, stored, address, byte_size(dtype),
                alias_text(buffer));
    } else {
        w_.line("call void @llvm.masked.store.{}.p0({} {}, ptr {}, i32 {}, {} {}){}",
                storage_suffix(dtype, lanes), type, stored, address, byte_size(dtype), w_.mask_type(), mask,
                alias_text(buffer));
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
            storage_suffix(dtype, lanes), lanes, llvm_storage_type(dtype, lanes), stored, lanes, all,
            byte_size(dtype), w_.mask_type(), w_.mask_operand(), alias_text(buffer));
}

}  // namespace fuseline
