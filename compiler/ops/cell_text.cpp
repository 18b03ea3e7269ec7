// Fills CUDA cells with operands, and chooses the cell of an operation.
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
    if (letter == 's') return operation == DType::f64_ ? "" : "f";
    return letter == 't' ? row(operation).cuda : row(result).cuda;
}

}  // namespace

std::string_view cuda_cell(OpId op, DType operation, DType result) {
    const OpRow& r = row(op);
    return r.rule == TypeRule::cast ? cuda_cast_cell(operation, result)
                                    : r.cuda.of(row(operation).type_class);
}

std::string_view llvm_cell(OpId op, DType operation, DType result) {
    const OpRow& r = row(op);
    return r.rule == TypeRule::cast ? llvm_cast_cell(operation, result)
                                    : r.llvm.of(row(operation).type_class);
}

CudaText cuda_expression(OpId op, DType operation, DType result, std::span<const CudaText> operands) {
    const std::string_view cell = cuda_cell(op, operation, result);
    require(!cell.empty(), "the operation has no CUDA cell");
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

}  // namespace fuseline
