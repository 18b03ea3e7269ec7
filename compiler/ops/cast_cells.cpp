// Spellings of casts: a small square of type classes, and widths where LLVM asks for them.
#include "compiler/ops/cast_cells.h"

namespace fuseline {

std::string_view cuda_cast_cell(DType from, DType to) {
    if (from == to) return "{0}";
    if (is_bool(to)) return "{0} != 0";
    if (is_float(from) && is_integer(to)) {
        return row(to).type_class == TypeClass::signed_integer ? "fl_to_signed<{r}>({0})"
                                                               : "fl_to_unsigned<{r}>({0})";
    }
    return "({r}){0}";
}

namespace {

std::string_view integer_to_integer(const DTypeRow& from, const DTypeRow& to) {
    if (to.bits == from.bits) return "copy";
    if (to.bits < from.bits) return "trunc";
    return from.type_class == TypeClass::signed_integer ? "sext" : "zext";
}

}  // namespace

std::string_view llvm_cast_cell(DType from, DType to) {
    if (from == to) return "copy";
    const DTypeRow& f = row(from);
    const DTypeRow& t = row(to);
    if (is_bool(to)) return is_float(from) ? "fcmp une zero" : "icmp ne zero";
    if (is_bool(from)) return is_float(to) ? "uitofp" : "zext";
    if (is_integer(from) && is_integer(to)) return integer_to_integer(f, t);
    if (is_integer(from)) return f.type_class == TypeClass::signed_integer ? "sitofp" : "uitofp";
    if (is_integer(to)) return t.type_class == TypeClass::signed_integer ? "fl.to_signed" : "fl.to_unsigned";
    if (f.llvm_compute == t.llvm_compute) return "copy";
    return t.bits > f.bits ? "fpext" : "fptrunc";
}

}  // namespace fuseline
