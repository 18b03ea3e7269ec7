// Reads a cell ("fadd", "icmp slt", "@llvm.sqrt", "sleef.exp_u10", "fl.mod", ..) and prints what it stands
// for.
#include "compiler/codegen/llvm_cells.h"

#include <array>

#include "compiler/support/errors.h"

namespace fuseline {

using ir::NodeId;
using ir::ValueId;

namespace {

/// One operation with its types and operands spelled.
struct Operation {
    LlvmWriter& w;
    NodeId id;
    std::string_view cell;
    DType operation, result;
    int lanes;

    std::span<const ValueId> operands() const { return w.kernel().operands(id); }
    std::string operand(size_t k) const { return w.operand(operands()[k], lanes); }
    std::string typed(size_t k) const { return w.type(operands()[k], lanes) + " " + operand(k); }
    std::string operation_type() const { return llvm_type(operation, lanes); }
    std::string result_type() const { return llvm_type(result, lanes); }
    /// "%a, %b" with each one's type, or the type once.
    std::string list(bool each_typed) const {
        std::string text;
        for (size_t k = 0; k < operands().size(); ++k) {
            text += k == 0 ? "" : ", ";
            text += each_typed || k == 0 ? typed(k) : operand(k);
        }
        return text;
    }
    /// Flags of option `fast`; NaN and infinities keep their meaning under it.
    std::string_view flags() const {
        return w.kernel().options.fast && is_float(result) ? " reassoc nsz arcp contract afn" : "";
    }
};

std::string call(const Operation& o) {
    if (o.cell.starts_with('@')) {
        return fmt::format("call{} {} {}.{}({})", o.flags(), o.result_type(), o.cell,
                           llvm_suffix(o.operation, o.lanes), o.list(true));
    }
    const PreludeInstance instance{std::string(o.cell), o.operation, o.result, o.lanes};
    o.w.instances.insert(instance);
    return fmt::format("call {} @{}({})", o.result_type(), llvm_prelude_name(instance), o.list(true));
}

bool is_call(std::string_view cell) {
    return cell.starts_with('@') || cell.starts_with("fl.") || cell.starts_with("sleef.");
}

bool has_flags(std::string_view cell) {
    constexpr std::array<std::string_view, 6> kArithmetic = {"fadd", "fsub", "fmul", "fdiv", "frem", "fneg"};
    for (std::string_view word : kArithmetic) {
        if (word == cell) return true;
    }
    return false;
}

std::string instruction(const Operation& o) {
    const bool cast = row(o.w.kernel().node(o.id).op.op()).rule == TypeRule::cast;
    const size_t space = o.cell.rfind(' ');
    const std::string_view last = space == std::string_view::npos ? "" : o.cell.substr(space + 1);
    const std::string_view before = o.cell.substr(0, space);
    if (last == "zero") return fmt::format("{} {}, zeroinitializer", before, o.typed(0));
    if (last == "true") {
        return fmt::format("{} {}, {}", before, o.typed(0), llvm_constant(o.operation, o.lanes, "true"));
    }
    if (o.cell == "select") return fmt::format("select {}", o.list(true));
    if (cast) return fmt::format("{} {} to {}", o.cell, o.typed(0), o.result_type());
    return fmt::format("{}{} {}", o.cell, has_flags(o.cell) ? o.flags() : "", o.list(false));
}

}  // namespace

void write_llvm_operation(LlvmWriter& w, NodeId id) {
    const ir::Function& f = w.kernel();
    const ir::Node& n = f.node(id);
    const ValueId result = f.result(id);
    const auto operands = f.operands(n);
    const DType operation = f.type(operands.back()).dtype;
    const DType result_dtype = f.type(result).dtype;
    const std::string_view cell = llvm_cell(n.op.op(), operation, result_dtype);
    if (cell.empty()) {
        throw InternalError(fmt::format("{} of {} has no LLVM cell", n.op.name(), fuseline::name(operation)));
    }
    if (cell == "copy") return w.alias(result, operands[0]);
    const Operation o{w, id, cell, operation, result_dtype, w.lanes(result)};
    // Vectors of scalar operands are made before the line that uses them.
    const std::string text = is_call(cell) ? call(o) : instruction(o);
    const std::string name = w.name(result);
    w.line("{} = {}", name, text);
    w.define(result, name);
}

}  // namespace fuseline
