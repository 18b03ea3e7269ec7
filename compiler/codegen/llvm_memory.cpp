// Memory operations: a vector where lanes lie side by side, a scalar where all read one element, a gather or
// scatter otherwise.
#include "compiler/codegen/llvm_access.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Affine;
using ir::NodeId;
using ir::ValueId;

namespace {

constexpr ExtentId kZero{0}, kOne{1};

std::string storage_suffix(DType dtype, int lanes) {
    return is_bool(dtype) ? fmt::format("v{}i8", lanes) : llvm_suffix(dtype, lanes);
}

}  // namespace

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

void LlvmAccess::define_loaded(NodeId id, const std::string& stored, int lanes) {
    const ValueId result = w_.kernel().result(id);
    const DType dtype = w_.kernel().type(result).dtype;
    if (!is_bool(dtype)) return w_.define(result, stored);
    const std::string value = w_.name(result);
    w_.line("{} = icmp ne {} {}, zeroinitializer", value, llvm_storage_type(dtype, lanes), stored);
    w_.define(result, value);
}

std::string LlvmAccess::to_storage(ValueId v, int lanes) {
    const DType dtype = w_.kernel().type(v).dtype;
    std::string value = w_.operand(v, lanes);
    if (!is_bool(dtype)) return value;
    const std::string stored = w_.name("byte");
    w_.line("{} = zext {} {} to {}", stored, w_.type(v, lanes), value, llvm_storage_type(dtype, lanes));
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
        return side_by_side(affine) ? load_vector(id) : load_lanes(id, coefficient);
    }
    const std::string address = element_address(buffer, affine);
    const std::string stored = is_bool(dtype) ? w_.name("byte") : w_.name(result);
    w_.line("{} = load {}, ptr {}, align {}{}", stored, llvm_storage_type(dtype, 1), address,
            byte_size(dtype), alias_text(buffer));
    define_loaded(id, stored, 1);
}

std::string LlvmAccess::reversed(DType dtype, const std::string& value) {
    const int lanes = w_.vector_lanes();
    const std::string result = w_.name("reversed");
    w_.line("{0} = call {1} @llvm.vector.reverse.{2}({1} {3})", result, llvm_storage_type(dtype, lanes),
            storage_suffix(dtype, lanes), value);
    return result;
}

/// The mask in the order of memory; empty where all lanes compute.
std::string LlvmAccess::ordered_mask(bool backwards) {
    if (!backwards || w_.mask.empty()) return w_.mask;
    const std::string result = w_.name("mask");
    w_.line("{0} = call {1} @llvm.vector.reverse.v{2}i1({1} {3})", result, w_.mask_type(), w_.vector_lanes(),
            w_.mask);
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
    const std::string address = vector_address(buffer, affine);
    const std::string mask = ordered_mask(turned);
    std::string stored = is_bool(dtype) || turned ? w_.name("stored") : w_.name(result);
    if (mask.empty()) {
        w_.line("{} = load {}, ptr {}, align {}{}", stored, type, address, byte_size(dtype),
                alias_text(buffer));
    } else {
        w_.line("{} = call {} @llvm.masked.load.{}.p0(ptr {}, i32 {}, {} {}, {} zeroinitializer){}", stored,
                type, storage_suffix(dtype, lanes), address, byte_size(dtype), w_.mask_type(), mask, type,
                alias_text(buffer));
    }
    if (turned) stored = reversed(dtype, stored);
    define_loaded(id, stored, lanes);
}

void LlvmAccess::load_lanes(NodeId id, ExtentId coefficient) {
    const ir::Function& f = w_.kernel();
    const ValueId result = f.result(id), buffer = f.operands(id)[0];
    const DType dtype = f.type(result).dtype;
    const int lanes = w_.vector_lanes();
    const std::string type = llvm_storage_type(dtype, lanes);
    const std::string all = lane_addresses(buffer, std::get<Affine>(f.node(id).attribute), coefficient);
    const std::string stored = is_bool(dtype) ? w_.name("bytes") : w_.name(result);
    w_.line(
        "{0} = call {1} @llvm.masked.gather.{2}.v{3}p0(<{3} x ptr> {4}, i32 {5}, {6} {7}, {1} "
        "zeroinitializer){8}",
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
    const std::string mask = ordered_mask(turned);
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
