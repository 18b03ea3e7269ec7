// The arguments of reductions: which axes, which elements, from where, and how exactly.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dsl/reductions.h"
#include "dsl/views.h"

namespace fuseline::dsl {

namespace {

/// The slot of a keyword of a row, if the row has it.
std::optional<Argument> slot_of(const Reduction& row, const Slots& slots, std::string_view keyword) {
    std::vector<std::string> names = parameter_list(row.builtin.parameters);
    names.erase(std::remove(names.begin(), names.end(), "*"), names.end());
    for (size_t i = 0; i < names.size(); ++i) {
        if (names[i].substr(0, names[i].find('?')) == keyword && given(slots[i])) return slots[i];
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::vector<uint32_t>> read_axes(Checker& c, const std::optional<Argument>& axis,
                                               ir::ValueId array, std::string_view what) {
    const size_t rank = c.builder.type(array).rank();
    std::vector<uint32_t> axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    if (!given(axis)) return axes;
    const auto chosen = axes_argument(c, *axis, rank, fmt::format("{}: the axis", what));
    if (!chosen) return std::nullopt;
    axes.assign(chosen->begin(), chosen->end());
    std::sort(axes.begin(), axes.end());
    return axes;
}

std::optional<bool> read_flag(Checker& c, const std::optional<Argument>& slot, bool otherwise,
                              std::string_view what) {
    if (!given(slot)) return otherwise;
    if (const bool* flag = slot->value.as<bool>()) return *flag;
    c.error(slot->span, fmt::format("{} is `true` or `false`, known at compile time: found {}", what,
                                    c.text(slot->value)));
    return std::nullopt;
}

std::optional<MaskedArray> read_array(Checker& c, const Argument& a, std::string_view what) {
    if (const auto* masked = a.value.as<MaskedValue>()) return MaskedArray{masked->array, masked->mask};
    const auto array = c.element_type(a, what) ? c.typed(a) : std::nullopt;
    return array ? std::optional(MaskedArray{*array, {}}) : std::nullopt;
}

bool may_reduce(Checker& c, const Call& call, std::string_view what) {
    if (!c.frame->scalar_region && !c.frame->lifted) return true;
    c.error(call.callee_span, fmt::format("{} combines the elements of an array, and the parameters of an "
                                          "elemental function are scalars",
                                          what))
        .help("leave out `elemental`");
    return false;
}

std::string ReductionCall::title() const { return fmt::format("`{}`", row.builtin.name); }

DType ReductionCall::result_type() const {
    const DType from = own();
    switch (row.types) {
        case ReductionTypes::same: return from;
        case ReductionTypes::boolean: return DType::bool_;
        case ReductionTypes::count:
        case ReductionTypes::index: return DType::i64_;
        case ReductionTypes::floating: return is_float(from) ? from : DType::f64_;
        case ReductionTypes::widened: break;
    }
    if (is_float(from)) return from;
    return fuseline::row(from).type_class == TypeClass::unsigned_integer ? DType::u64_ : DType::i64_;
}

DType ReductionCall::accumulator() const {
    const DType result = result_type();
    if (row.types == ReductionTypes::same) return result;
    return accumulate == Accumulate::f64 ? DType::f64_ : computed_type(result);
}

namespace {

/// `where=`: bools that broadcast to the array. False after a report.
bool read_where(ReductionCall& r, const std::optional<Argument>& slot) {
    if (!slot || (slot->value.as<bool>() && *slot->value.as<bool>())) return true;
    const std::string what = fmt::format("`where` of {}", r.title());
    const auto id = r.c.as_dtype(*slot, DType::bool_, what);
    if (!id) return false;
    const std::vector<ExtentId> shape = r.shape();
    const auto both = r.c.broadcast_shape({r.array, *id}, slot->span, what);
    if (!both) return false;
    bool fits = both->size() == shape.size();
    for (size_t k = 0; fits && k < shape.size(); ++k) fits = r.c.same_extent(shape[k], (*both)[k]);
    if (!fits) {
        r.c.error(slot->span, fmt::format("{} has the shape of the array: found {}, and the array is {}",
                                          what, r.c.text(slot->value), r.c.text(r.builder().type(r.array))));
        return false;
    }
    const bool scalar = r.builder().type(*id).scalar();
    r.where = scalar ? r.c.filled(*id, shape) : r.c.broadcast_to(*id, shape);
    return true;
}

bool read_initial(ReductionCall& r, const std::optional<Argument>& slot) {
    if (!slot) return true;
    const auto id = r.c.as_dtype(*slot, r.result_type(), fmt::format("`initial` of {}", r.title()));
    if (!id) return false;
    r.initial = Argument{Value(TypedValue{*id}), slot->span, {}, {}};
    if (r.builder().type(*id).scalar()) return true;
    r.c.error(slot->span,
              fmt::format("`initial` of {} is a scalar: found {}", r.title(), r.c.text(slot->value)));
    return false;
}

bool read_accumulate(ReductionCall& r, const std::optional<Argument>& slot) {
    if (!slot) return true;
    const auto* text = slot->value.as<TextValue>();
    if (!text || (text->text != "f64" && text->text != "kahan")) {
        r.c.error(slot->span, fmt::format("`accumulate` of {} is \"f64\" or \"kahan\": found {}", r.title(),
                                          text ? fmt::format("\"{}\"", text->text) : r.c.text(slot->value)));
        return false;
    }
    if (!is_float(r.result_type())) {
        r.c.error(slot->span, fmt::format("`accumulate` is for sums of floats: {} of {} is exact", r.title(),
                                          r.c.text(r.builder().type(r.array))));
        return false;
    }
    r.accumulate = text->text == "f64" ? Accumulate::f64 : Accumulate::kahan;
    return true;
}

bool read_ddof(ReductionCall& r, const std::optional<Argument>& slot) {
    r.ddof = r.c.extents().constant(0);
    if (!slot) return true;
    r.ddof = r.c.as_size(*slot, fmt::format("`ddof` of {}", r.title()));
    return r.ddof.has_value();
}

/// argmin and argmax name one place, so they have one axis or all of them.
bool check_axes(ReductionCall& r, const std::optional<Argument>& axis) {
    if (r.row.types != ReductionTypes::index || !axis || !axis->value.as_tuple()) return true;
    r.c.error(axis->span, fmt::format("{} takes one axis, or none for the flat index", r.title()));
    return false;
}

bool check_type(ReductionCall& r, Span span) {
    if (!is_complex(r.own())) return true;
    const bool ordered = r.row.types == ReductionTypes::same || r.row.types == ReductionTypes::index;
    if (ordered)
        r.c.error(span, fmt::format("{}: complex numbers have no order", r.title()));
    else
        r.c.not_yet(span, fmt::format("{} of complex numbers", r.title()));
    return false;
}

}  // namespace

std::optional<ReductionCall> read_reduction(Checker& c, const Reduction& row, Slots& slots,
                                            const Call& call) {
    const std::string title = fmt::format("`{}`", row.builtin.name);
    if (!may_reduce(c, call, title)) return std::nullopt;
    const auto source = read_array(c, *slots[0], title);
    if (!source) return std::nullopt;
    const auto [array, mask] = *source;
    c.builder.set_span(call.span);
    ReductionCall r{c, row, call.span, array, {}, false, {}, {}, {}, Accumulate::plain};
    const auto axis = slot_of(row, slots, "axis");
    const auto axes = read_axes(c, axis, array, title);
    const auto keepdims = read_flag(c, slot_of(row, slots, "keepdims"), false, "`keepdims`");
    if (!check_type(r, slots[0]->span) || !axes || !keepdims || !check_axes(r, axis)) return std::nullopt;
    r.axes = *axes;
    r.keepdims = *keepdims;
    const bool read =
        read_where(r, slot_of(row, slots, "where")) && read_initial(r, slot_of(row, slots, "initial")) &&
        read_accumulate(r, slot_of(row, slots, "accumulate")) && read_ddof(r, slot_of(row, slots, "ddof"));
    if (mask) r.where = r.where ? elementwise(c.builder, OpId::and_, {*mask, *r.where}) : *mask;
    return read ? std::optional(r) : std::nullopt;
}

}  // namespace fuseline::dsl
