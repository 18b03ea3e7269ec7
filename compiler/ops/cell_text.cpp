// Fills CUDA cells with operands, and chooses the cell of an operation.
#include <fmt/format.h>

#include "compiler/ops/cast_cells.h"
#include "compiler/ops/op_table.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

/// Whether the placeholder that begins at `at` is a whole argument of a call, which needs no parentheses.
bool is_argument(std::string_view cell, size_t at) {
    const bool open = at > 0 && (cell[at - 1] == '(' || cell.substr(0, at).ends_with(", "));
    const size_t end = at + 3;
    return open && end < cell.size() && (cell[end] == ')' || cell[end] == ',');
}

/// Precedence of the operator around the placeholders: the cell's own, or that inside "bool({0} & {1})".
int operator_precedence(std::string_view cell) {
    if (int outer = cell_precedence(cell)) return outer;
    const size_t open = cell.find('(');
    if (open == std::string_view::npos || !cell.ends_with(')')) return 0;
    return cell_precedence(cell.substr(open + 1, cell.size() - open - 2));
}

/// Only the first operand of a left-associative operator may have the operator's own precedence.
bool needs_parentheses(std::string_view cell, size_t at, int operand, int around) {
    if (operand == 0 || is_argument(cell, at)) return false;
    const bool first_of_infix = at == 0 && around != 2;
    return first_of_infix ? operand < around : operand <= around;
}

std::string_view letter_text(char letter, DType operation, DType result) {
    switch (letter) {
        case 's': return operation == DType::f64_ ? "" : "f";
        case 't': return row(operation).cuda;
        case 'T': return row(operation).cuda_storage;
        case 'R': return row(result).cuda_storage;
        default: return row(result).cuda;
    }
}

/// C++ computes integers of fewer than 32 bits as int.
bool widens_integer(std::string_view cell, DType result) {
    const int precedence = cell_precedence(cell);
    constexpr int kChoice = 2;
    return is_integer(result) && row(result).bits < 32 && precedence != 0 && precedence != kChoice &&
           !cell.starts_with("({r})");
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    const size_t at = text.find(what);
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

constexpr int kPrefix = 15;

/// The cell with its placeholders replaced.
CudaText filled(std::string_view cell, DType operation, DType result, std::span<const CudaText> operands) {
    if (cell == "{0}") return operands[0];
    const int around = operator_precedence(cell);
    CudaText out{.text = {}, .precedence = cell_precedence(cell)};
    for (size_t i = 0; i < cell.size(); ++i) {
        if (cell[i] != '{') {
            out.text += cell[i];
            continue;
        }
        const char letter = cell[i + 1];
        if (letter >= '0' && letter <= '2') {
            const CudaText& operand = operands[static_cast<size_t>(letter - '0')];
            const bool wrap = needs_parentheses(cell, i, operand.precedence, around);
            out.text += wrap ? "(" + operand.text + ")" : operand.text;
        } else {
            out.text += letter_text(letter, operation, result);
        }
        i += 2;
    }
    return out;
}

}  // namespace

bool op_rounds(OpId op, DType operation, DType result) {
    if (!is_half(result) || row(op).has(kNoRounding) || op == OpId::bitcast_) return false;
    if (row(op).rule != TypeRule::cast) return true;
    return operation != result && row(operation).bits > 8;
}

std::string_view cuda_cell(OpId op, DType operation, DType result) {
    const OpRow& r = row(op);
    if (op == OpId::bitcast_) return cuda_bitcast_cell(operation, result);
    return r.rule == TypeRule::cast ? cuda_cast_cell(operation, result) : r.cuda.of(operation);
}

namespace {

/// A cell alone, or a block of f64 between casts.
std::vector<LlvmStep> cell_steps(const std::string& cell, DType operation, DType result) {
    constexpr std::string_view kWide = "wide ";
    if (!cell.starts_with(kWide)) return {{cell, operation, result}};
    const LlvmStep block{cell.substr(kWide.size()), DType::f64_, DType::f64_};
    if (operation == DType::f64_) return {block};
    return {{"fpext", operation, DType::f64_}, block, {"fptrunc", DType::f64_, result}};
}

}  // namespace

std::vector<LlvmStep> llvm_steps(OpId op, DType operation, DType result) {
    const OpRow& r = row(op);
    std::vector<LlvmStep> steps;
    if (op == OpId::bitcast_) {
        steps = llvm_bitcast_steps(operation, result);
    } else if (r.rule == TypeRule::cast) {
        steps = llvm_cast_steps(operation, result);
    } else {
        steps = cell_steps(replaced(std::string(r.llvm.of(operation)), "{T}", name(operation)),
                           computed_type(operation), computed_type(result));
    }
    if (op_rounds(op, operation, result)) {
        const std::string cell = "fl.round_" + std::string(name(result));
        steps.push_back({cell, DType::f32_, DType::f32_});
    }
    return steps;
}

CudaText cuda_expression(OpId op, DType operation, DType result, std::span<const CudaText> operands) {
    const std::string_view cell = cuda_cell(op, operation, result);
    require(!cell.empty(), "the operation has no CUDA cell");
    CudaText out = filled(cell, operation, result, operands);
    if (widens_integer(cell, result)) {
        return {fmt::format("({})({})", row(result).cuda, out.text), kPrefix};
    }
    if (op_rounds(op, operation, result)) {
        return {fmt::format("float({}({}))", row(result).cuda_storage, out.text), 0};
    }
    return out;
}

}  // namespace fuseline
