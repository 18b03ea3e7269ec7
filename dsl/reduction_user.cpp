// `reduce(f, identity, x)`: a reduction by a function of the program.
#include <fmt/format.h>

#include "dsl/reductions.h"

namespace fuseline::dsl {

using ir::ValueId;

namespace {

/// What a function gives for two states, in the element type; nullopt after a report.
std::optional<ValueId> combined(Checker& c, const Argument& f, ValueId x, ValueId y, DType dtype,
                                const Call& call) {
    const auto typed = [&](ValueId id) { return Argument{Value(TypedValue{id}), call.span, {}, {}}; };
    const bool before = c.frame->scalar_region;
    c.frame->scalar_region = true;
    const auto* function = f.value.as<FunctionValue>();
    const std::string called(function->op ? name(*function->op) : function->user->name());
    const Value v = c.call_value(f.value, Call{call.span, f.span, called, {typed(x), typed(y)}});
    c.frame->scalar_region = before;
    return v.is_error() ? std::nullopt : c.as_dtype({v, f.span, {}, {}}, dtype, "the function of `reduce`");
}

bool combines(Checker& c, const Argument& f) {
    const auto* function = f.value.as<FunctionValue>();
    if (function && (function->op || (function->user && function->user->elemental()))) return true;
    auto d = c.error(f.span, fmt::format("`reduce` takes an elemental function of two scalars: found {}",
                                         c.text(f.value)));
    if (function && function->user)
        d.help(fmt::format("declare it: `elemental fn {}`", function->user->name()));
    return false;
}

}  // namespace

Value run_reduce(Checker& c, Slots& slots, const Call& call) {
    if (!may_reduce(c, call, "`reduce`") || !combines(c, *slots[0])) return {};
    const auto source = read_array(c, *slots[2], "`reduce`");
    if (!source) return {};
    const DType dtype = c.builder.type(source->array).dtype;
    const auto identity = c.as_dtype(*slots[1], dtype, "`identity`");
    const auto axes = read_axes(c, slots[3], source->array, "`reduce`");
    const auto keepdims = read_flag(c, slots[4], false, "`keepdims`");
    if (!identity || !axes || !keepdims) return {};
    if (!c.builder.type(*identity).scalar()) {
        c.error(slots[1]->span, fmt::format("`identity` is a scalar: found {}", c.text(slots[1]->value)));
        return {};
    }
    c.builder.set_span(call.span);
    const ValueId elements =
        source->mask ? elementwise(c.builder, OpId::where_, {*source->mask, source->array, *identity})
                     : source->array;
    const auto result = reduce_states(c, {elements}, {*identity}, *axes,
                                      [&](const auto& x, const auto& y) -> std::vector<ValueId> {
                                          const auto one = combined(c, *slots[0], x[0], y[0], dtype, call);
                                          return one ? std::vector<ValueId>{*one} : std::vector<ValueId>{};
                                      });
    if (result.empty()) return {};
    return Value(TypedValue{*keepdims ? with_unit_axes(c, result[0], *axes) : result[0]});
}

}  // namespace fuseline::dsl
