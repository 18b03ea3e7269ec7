// `bitcast(x, dtype)`: the bits of a number as another type.
#include <fmt/format.h>

#include "compiler/ops/op_table.h"
#include "dsl/creation.h"

namespace fuseline::dsl {

namespace {

/// "`i32`, `u32` or `f32`": the number types of one width.
std::string types_of_width(int bits) {
    std::vector<std::string> names;
    for (const DTypeRow& r : kDTypeTable) {
        if (r.bits == bits && r.built && !is_bool(r.dtype)) names.push_back(fmt::format("`{}`", r.name));
    }
    const std::string last = names.back();
    names.pop_back();
    return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

}  // namespace

Value run_bitcast(Checker& c, Slots& slots, const Call& call) {
    const Argument& x = *slots[0];
    const auto own = c.element_type(x, "`bitcast`");
    const auto to = dtype_argument(c, slots[1], DType::i64_);
    if (!own || !to) return {};
    if (is_bool(*own) || is_bool(*to)) {
        c.error(call.span, "`bitcast` is for numbers: a bool has no bits of its own")
            .help(is_bool(*to) ? "compare: `x != 0`" : "cast it: `u8(x)`");
        return {};
    }
    if (row(*own).bits != row(*to).bits) {
        c.error(call.span,
                fmt::format("`bitcast` needs types of one width: found {} ({} bits) and {} ({} bits)",
                            name(*own), row(*own).bits, name(*to), row(*to).bits))
            .help(fmt::format("the types of {} bits are {}", row(*own).bits, types_of_width(row(*own).bits)));
        return {};
    }
    const auto id = c.as_dtype(x, *own, "`bitcast`");
    if (!id) return {};
    const ir::ValueId operands[] = {*id};
    return Value(TypedValue{c.builder.elementwise(OpId::bitcast_, operands, *to)});
}

}  // namespace fuseline::dsl
