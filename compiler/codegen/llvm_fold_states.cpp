// States of folds: computed by regions, in arrays of the stack, and as partial results of other calls.
#include "compiler/codegen/llvm_folds.h"
#include "compiler/codegen/llvm_loop.h"

namespace fuseline {

using ir::ValueId;

int LlvmFolds::state_lanes(const Fold& f) const {
    return w_.lanes(w_.kernel().region(f.combine).parameters[0]);
}

std::string LlvmFolds::state_type(const Fold& f, size_t k) const {
    return llvm_type(f.types[k], state_lanes(f));
}

/// Bools are bytes.
std::string LlvmFolds::memory_type(DType dtype, int lanes) const {
    return llvm_type(is_bool(dtype) ? DType::u8_ : dtype, lanes);
}

/// The fold's elements at the indices that are set.
LlvmFolds::States LlvmFolds::elements(const Fold& f) {
    const ir::Region& region = w_.kernel().region(f.elements);
    for (ir::NodeId id : region.nodes) regions_.write(id);
    States states;
    for (ValueId v : region.yields) states.push_back(w_.operand(v, state_lanes(f)));
    return states;
}

LlvmFolds::States LlvmFolds::combined(const Fold& f, const States& left, const States& right) {
    const ir::Region& region = w_.kernel().region(f.combine);
    const size_t parts = f.types.size();
    for (size_t k = 0; k < parts; ++k) {
        w_.define(region.parameters[k], left[k]);
        w_.define(region.parameters[parts + k], right[k]);
    }
    for (ir::NodeId id : region.nodes) regions_.write(id);
    States states;
    for (ValueId v : region.yields) states.push_back(w_.operand(v, state_lanes(f)));
    return states;
}

/// `condition` with its type.
LlvmFolds::States LlvmFolds::selected(const Fold& f, const std::string& condition, const States& yes,
                                      const States& no) {
    States states;
    for (size_t k = 0; k < f.types.size(); ++k) {
        const std::string type = state_type(f, k);
        states.push_back(w_.value("state", "select {}, {} {}, {} {}", condition, type, yes[k], type, no[k]));
    }
    return states;
}

LlvmFolds::States LlvmFolds::identities(const Fold& f) {
    States states;
    for (ValueId v : w_.kernel().operands(f.id)) states.push_back(w_.operand(v, state_lanes(f)));
    return states;
}

/// One array for each part of a state, of `count` vectors, in the function's frame.
LlvmFolds::States LlvmFolds::arrays(const Fold& f, int64_t count, int lanes, bool cleared) {
    const uint32_t here = w_.place();
    w_.enter_head(0);
    States made;
    for (DType dtype : f.types) {
        made.push_back(
            w_.value("states", "alloca [{} x {}], align 64", count * lanes, memory_type(dtype, 1)));
        if (!cleared) continue;
        const int bytes = std::max(8, llvm_value_bits(dtype)) / 8;
        w_.line("call void @llvm.memset.p0.i64(ptr align 64 {}, i8 0, i64 {}, i1 false)", made.back(),
                count * lanes * bytes);
    }
    w_.return_to(here);
    return made;
}

/// Address of element `index * stride` of an array.
std::string LlvmFolds::element_of(const Fold& f, const States& arrays, size_t k, const std::string& index,
                                  int stride) {
    const std::string type = memory_type(f.types[k], 1);
    if (stride == 1) return w_.value("at", "getelementptr {}, ptr {}, i64 {}", type, arrays[k], index);
    return w_.value("at", "getelementptr [{} x {}], ptr {}, i64 {}", stride, type, arrays[k], index);
}

LlvmFolds::States LlvmFolds::read(const Fold& f, const States& arrays, const std::string& index, int stride) {
    const int lanes = state_lanes(f);
    States states;
    for (size_t k = 0; k < f.types.size(); ++k) {
        const int bytes = std::max(8, llvm_value_bits(f.types[k])) / 8;
        const std::string at = element_of(f, arrays, k, index, stride);
        std::string loaded =
            w_.value("state", "load {}, ptr {}, align {}", memory_type(f.types[k], lanes), at, bytes);
        if (is_bool(f.types[k])) {
            loaded =
                w_.value("state", "icmp ne {} {}, zeroinitializer", memory_type(f.types[k], lanes), loaded);
        }
        states.push_back(loaded);
    }
    return states;
}

void LlvmFolds::write_states(const Fold& f, const States& arrays, const std::string& index, int stride,
                             const States& values) {
    const int lanes = state_lanes(f);
    for (size_t k = 0; k < f.types.size(); ++k) {
        const int bytes = std::max(8, llvm_value_bits(f.types[k])) / 8;
        const std::string type = memory_type(f.types[k], lanes);
        std::string stored = values[k];
        if (is_bool(f.types[k]))
            stored = w_.value("byte", "zext {} {} to {}", state_type(f, k), stored, type);
        const std::string at = element_of(f, arrays, k, index, stride);
        w_.line("store {} {}, ptr {}, align {}", type, stored, at, bytes);
    }
}

LlvmFolds::States LlvmFolds::joined(const Fold& f, const States& a, const std::string& from_a,
                                    const States& b, const std::string& from_b) {
    States states;
    for (size_t k = 0; k < f.types.size(); ++k) {
        states.push_back(w_.value("state", "phi {} [ {}, %{} ], [ {}, %{} ]", state_type(f, k), a[k], from_a,
                                  b[k], from_b));
    }
    return states;
}

LlvmFolds::States LlvmFolds::carried(const Fold& f, LlvmLoop& loop, const States& start) {
    States states;
    for (size_t k = 0; k < f.types.size(); ++k) {
        states.push_back(loop.carry(state_type(f, k), start[k], "state"));
    }
    return states;
}

/// Of lane 0 where lanes have an output each.
std::string LlvmFolds::part_address(const Fold& f, size_t k, const std::string& chunk) {
    std::string output = "0";
    const auto& extents = std::get<ir::Loops>(w_.kernel().node(w_.levels().nest()).attribute).extents;
    for (uint32_t axis = 0; axis < f.level; ++axis) {
        if (axis != 0) output = w_.value("output", "mul i64 {}, {}", output, sizes_.operand(extents[axis]));
        output = w_.value("output", "add i64 {}, {}", output, access_.axis(axis));
    }
    const std::string row = w_.value("row", "mul i64 {}, {}", chunk, f.outputs);
    const std::string offset = w_.value("offset", "add i64 {}, {}", row, output);
    return w_.value("at", "getelementptr {}, ptr {}, i64 {}", memory_type(f.types[k], 1), f.parts[k], offset);
}

LlvmFolds::States LlvmFolds::read_parts(const Fold& f, const std::string& chunk) {
    const int lanes = state_lanes(f);
    States states;
    for (size_t k = 0; k < f.types.size(); ++k) {
        const int bytes = std::max(8, llvm_value_bits(f.types[k])) / 8;
        const std::string at = part_address(f, k, chunk), type = memory_type(f.types[k], lanes);
        const DType memory = is_bool(f.types[k]) ? DType::u8_ : f.types[k];
        std::string loaded;
        if (lanes == 1 || w_.mask.empty()) {
            loaded = w_.value("state", "load {}, ptr {}, align {}", type, at, bytes);
        } else {
            loaded = w_.value("state",
                              "call {} @llvm.masked.load.{}.p0(ptr {}, i32 {}, {} {}, {} zeroinitializer)",
                              type, llvm_suffix(memory, lanes), at, bytes, w_.mask_type(), w_.mask, type);
        }
        if (is_bool(f.types[k])) loaded = w_.value("state", "icmp ne {} {}, zeroinitializer", type, loaded);
        states.push_back(loaded);
    }
    return states;
}

void LlvmFolds::write_parts(const Fold& f, const std::string& chunk, const States& values) {
    const int lanes = state_lanes(f);
    for (size_t k = 0; k < f.types.size(); ++k) {
        const int bytes = std::max(8, llvm_value_bits(f.types[k])) / 8;
        const std::string at = part_address(f, k, chunk), type = memory_type(f.types[k], lanes);
        const DType memory = is_bool(f.types[k]) ? DType::u8_ : f.types[k];
        std::string stored = values[k];
        if (is_bool(f.types[k]))
            stored = w_.value("byte", "zext {} {} to {}", state_type(f, k), stored, type);
        if (lanes == 1 || w_.mask.empty()) {
            w_.line("store {} {}, ptr {}, align {}", type, stored, at, bytes);
        } else {
            w_.line("call void @llvm.masked.store.{}.p0({} {}, ptr {}, i32 {}, {} {})",
                    llvm_suffix(memory, lanes), type, stored, at, bytes, w_.mask_type(), w_.mask);
        }
    }
}

}  // namespace fuseline
