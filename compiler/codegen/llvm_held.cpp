// Held elements of a row: memory of the function's frame, written and read at the row's own index.
#include "compiler/codegen/llvm_access.h"
#include "compiler/codegen/llvm_cells.h"
#include "compiler/ir/reduction_order.h"

namespace fuseline {

using ir::NodeId;
using ir::ValueId;

void LlvmAccess::make_held(ValueId held, const std::string& count) {
    const std::string room = w_.name("room"), memory = w_.name(held);
    w_.line("{} = add i64 {}, {}", room, count, ir::kReduceLanes);
    w_.line("{} = alloca {}, i64 {}, align 64", memory, llvm_storage_type(w_.kernel().type(held).dtype, 1),
            room);
    held_[held.index] = memory;
}

std::string LlvmAccess::held_address(ValueId held) {
    const std::string at = w_.name("at");
    w_.line("{} = getelementptr {}, ptr {}, i64 {}", at, llvm_storage_type(w_.kernel().type(held).dtype, 1),
            held_.at(held.index), row_index_);
    return at;
}

/// Lanes past the end write into the room behind the row.
void LlvmAccess::store_held(ValueId held, ValueId value) {
    const DType dtype = w_.kernel().type(held).dtype;
    const int lanes = w_.vector_lanes();
    const std::string stored = to_storage(value, lanes);
    const std::string at = held_address(held);
    w_.line("store {} {}, ptr {}, align {}", llvm_storage_type(dtype, lanes), stored, at, byte_size(dtype));
}

void LlvmAccess::load_held(NodeId id) {
    const ValueId held = w_.kernel().operands(id)[0];
    const DType dtype = w_.kernel().type(held).dtype;
    const int lanes = w_.lanes(w_.kernel().result(id));
    const std::string at = held_address(held), stored = w_.name("held");
    const std::string type = llvm_storage_type(dtype, lanes);
    if (lanes == 1 || w_.mask.empty()) {
        w_.line("{} = load {}, ptr {}, align {}", stored, type, at, byte_size(dtype));
    } else {
        w_.line("{0} = call {1} @llvm.masked.load.{2}.p0(ptr {3}, i32 {4}, {5} {6}, {1} zeroinitializer)",
                stored, type, storage_suffix(dtype, lanes), at, byte_size(dtype), w_.mask_type(), w_.mask);
    }
    define_loaded(id, stored, lanes);
}

}  // namespace fuseline
