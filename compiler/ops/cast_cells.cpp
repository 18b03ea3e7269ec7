// Spellings of casts: a small square of type classes, and widths where they matter.
#include "compiler/ops/cast_cells.h"

#include <fmt/format.h>

#include "compiler/support/errors.h"

namespace fuseline {
namespace {

bool is_signed(DType d) { return row(d).type_class == TypeClass::signed_integer; }

/// Whether f32 holds every value of the integer type.
bool fits_f32(DType integer) { return row(integer).bits <= 16; }

std::string_view cuda_to_half(DType from) {
    if (computed_type(from) == DType::f32_) return "{0}";
    if (from == DType::f64_) return "fl_odd({0})";
    if (is_bool(from) || fits_f32(from)) return "({r}){0}";
    return row(from).bits == 32 ? "fl_odd((double)({0}))" : "fl_odd(fl_odd_double({0}))";
}

}  // namespace

std::string_view cuda_cast_cell(DType from, DType to) {
    if (computed_type(from) == to) return "{0}";
    if (is_bool(to)) return "{0} != 0";
    if (is_half(to)) return cuda_to_half(from);
    if (is_float(from) && is_integer(to)) {
        return is_signed(to) ? "fl_to_signed<{r}>({0})" : "fl_to_unsigned<{r}>({0})";
    }
    return "({r}){0}";
}

std::string_view cuda_bitcast_cell(DType from, DType to) {
    if (from == to) return "{0}";
    const bool bits = is_float(from);
    if (is_half(to)) {
        if (is_half(from)) return "fl_value<{R}>(fl_bits<{T}>({0}))";
        return "fl_value<{R}>({0})";
    }
    if (to == DType::f32_) return "__int_as_float({0})";
    if (to == DType::f64_) return "__longlong_as_double({0})";
    if (!bits) return "({r}){0}";
    return is_half(from) ? "({r})fl_bits<{T}>({0})" : "({r})fl_bits({0})";
}

namespace {

std::string_view integer_to_integer(const DTypeRow& from, const DTypeRow& to) {
    if (to.bits == from.bits) return "copy";
    if (to.bits < from.bits) return "trunc";
    return from.type_class == TypeClass::signed_integer ? "sext" : "zext";
}

/// From and to types that are no 16-bit floats.
std::string_view llvm_cast_cell(DType from, DType to) {
    if (from == to) return "copy";
    const DTypeRow& f = row(from);
    const DTypeRow& t = row(to);
    if (is_bool(to)) return is_float(from) ? "fcmp une zero" : "icmp ne zero";
    if (is_bool(from)) return is_float(to) ? "uitofp" : "zext";
    if (is_integer(from) && is_integer(to)) return integer_to_integer(f, t);
    if (is_integer(from)) return is_signed(from) ? "sitofp" : "uitofp";
    if (is_integer(to)) return is_signed(to) ? "fl.to_signed" : "fl.to_unsigned";
    return t.bits > f.bits ? "fpext" : "fptrunc";
}

LlvmStep plain_step(DType from, DType to) { return {std::string(llvm_cast_cell(from, to)), from, to}; }

}  // namespace

std::vector<LlvmStep> llvm_cast_steps(DType from, DType to) {
    const DType value = computed_type(from);
    if (!is_half(to)) return {plain_step(value, to)};
    if (value == DType::f32_ || is_bool(from) || (is_integer(from) && fits_f32(from)))
        return {plain_step(value, DType::f32_)};
    // By way of f64, whose rounding to odd in f32 leaves the nearest 16-bit float the same.
    std::vector<LlvmStep> steps;
    if (is_integer(from)) {
        if (row(from).bits == 64) steps.push_back({is_signed(from) ? "fl.odd" : "fl.uodd", from, from});
        steps.push_back(plain_step(from, DType::f64_));
    }
    steps.push_back({"fl.to_odd", DType::f64_, DType::f32_});
    return steps;
}

std::vector<LlvmStep> llvm_bitcast_steps(DType from, DType to) {
    if (from == to) return {{"copy", from, to}};
    std::vector<LlvmStep> steps;
    DType at = from;
    if (is_half(from)) {
        at = DType::u16_;
        steps.push_back({fmt::format("fl.to_bits_{}", name(from)), DType::f32_, at});
    } else if (is_float(from)) {
        steps.push_back({"fl.quiet", from, from});
    }
    if (is_half(to)) {
        steps.push_back({fmt::format("fl.to_value_{}", name(to)), at, DType::f32_});
    } else {
        steps.push_back({is_float(at) == is_float(to) ? "copy" : "bitcast", at, to});
    }
    return steps;
}

}  // namespace fuseline
