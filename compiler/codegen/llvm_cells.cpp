// Reads a cell ("fadd", "icmp slt", "@llvm.sqrt", "sleef.exp_u10", "fl.mod", ..) and prints what it stands
// for.
#include "compiler/codegen/llvm_cells.h"

#include <algorithm>
#include <array>

#include "compiler/support/errors.h"

namespace fuseline {

using ir::NodeId;
using ir::ValueId;

namespace {

/// A value as text.
struct Operand {
    std::string type, text;
};

/// One step of an operation with its operands spelled.
struct Step {
    LlvmWriter& w;
    LlvmStep step;
    int lanes;
    std::vector<Operand> operands;

    std::string_view cell() const { return step.cell; }
    std::string typed(size_t k) const { return operands[k].type + " " + operands[k].text; }
    std::string result_type() const { return llvm_type(step.result, lanes); }
    /// "%a, %b" with each one's type, or the type once.
    std::string list(bool each_typed) const {
        std::string text;
        for (size_t k = 0; k < operands.size(); ++k) {
            text += k == 0 ? "" : ", ";
            text += each_typed || k == 0 ? typed(k) : operands[k].text;
        }
        return text;
    }
    /// Flags of option `fast`; NaN and infinities keep their meaning under it.
    std::string_view flags() const {
        return w.kernel().options.fast && is_float(step.result) ? " reassoc nsz arcp contract afn" : "";
    }
};

std::string call(const Step& s) {
    if (s.cell().starts_with('@')) {
        return fmt::format("call{} {} {}.{}({})", s.flags(), s.result_type(), s.cell(),
                           llvm_suffix(s.step.operation, s.lanes), s.list(true));
    }
    const PreludeInstance instance{s.step.cell, s.step.operation, s.step.result, s.lanes};
    s.w.instances.insert(instance);
    return fmt::format("call {} @{}({})", s.result_type(), llvm_prelude_name(instance), s.list(true));
}

bool is_call(std::string_view cell) {
    return cell.starts_with('@') || cell.starts_with("fl.") || cell.starts_with("sleef.");
}

bool has_flags(std::string_view cell) {
    constexpr std::array<std::string_view, 6> kArithmetic = {"fadd", "fsub", "fmul", "fdiv", "frem", "fneg"};
    return std::ranges::find(kArithmetic, cell) != kArithmetic.end();
}

bool is_cast(std::string_view cell) {
    constexpr std::array<std::string_view, 8> kCasts = {"zext",   "sext",  "trunc",   "uitofp",
                                                        "sitofp", "fpext", "fptrunc", "bitcast"};
    return std::ranges::find(kCasts, cell) != kCasts.end();
}

std::string instruction(const Step& s) {
    const size_t space = s.cell().rfind(' ');
    const std::string_view last = space == std::string_view::npos ? "" : s.cell().substr(space + 1);
    const std::string_view before = s.cell().substr(0, space);
    if (last == "zero") return fmt::format("{} {}, zeroinitializer", before, s.typed(0));
    if (last == "true") {
        return fmt::format("{} {}, {}", before, s.typed(0), llvm_constant(s.step.operation, s.lanes, "true"));
    }
    if (s.cell() == "select") return fmt::format("select {}", s.list(true));
    if (is_cast(s.cell())) return fmt::format("{} {} to {}", s.cell(), s.typed(0), s.result_type());
    return fmt::format("{}{} {}", s.cell(), has_flags(s.cell()) ? s.flags() : "", s.list(false));
}

}  // namespace

std::string write_llvm_step(LlvmWriter& w, const LlvmStep& step, const std::string& operand, int lanes,
                            const std::string& name) {
    const Step s{w, step, lanes, {{llvm_type(step.operation, lanes), operand}}};
    const std::string text = is_call(step.cell) ? call(s) : instruction(s);
    w.line("{} = {}", name, text);
    return name;
}

void write_llvm_operation(LlvmWriter& w, NodeId id) {
    const ir::Function& f = w.kernel();
    const ir::Node& n = f.node(id);
    const ValueId result = f.result(id);
    const auto operands = f.operands(n);
    const OpId op = n.op.op();
    std::vector<LlvmStep> steps = llvm_steps(op, f.type(operands.back()).dtype, f.type(result).dtype);
    std::erase_if(steps, [](const LlvmStep& s) { return s.cell == "copy"; });
    if (steps.empty()) return w.alias(result, operands[0]);
    if (steps[0].cell.empty()) {
        throw InternalError(fmt::format("{} of {} has no LLVM cell", n.op.name(),
                                        fuseline::name(f.type(operands.back()).dtype)));
    }
    const int lanes = w.lanes(result);
    Step first{w, steps[0], lanes, {}};
    // Vectors of scalar operands are made before the line that uses them.
    for (ValueId v : operands) first.operands.push_back({w.type(v, lanes), w.operand(v, lanes)});
    const std::string text = is_call(steps[0].cell) ? call(first) : instruction(first);
    std::string name = steps.size() == 1 ? w.name(result) : w.name("unrounded");
    w.line("{} = {}", name, text);
    for (size_t k = 1; k < steps.size(); ++k) {
        const std::string to = k + 1 == steps.size() ? w.name(result) : w.name("unrounded");
        name = write_llvm_step(w, steps[k], name, lanes, to);
    }
    w.define(result, name);
}

}  // namespace fuseline
