// Extents and broadcasting: what is equal, what stretches, and the views that say so in the graph.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/checker.h"

namespace fuseline::dsl {

ExtentId Checker::canonical(ExtentId e) {
    return substitutions_.empty() ? e : extents().substitute(e, substitutions_);
}

bool Checker::same_extent(ExtentId a, ExtentId b) {
    if (a == b) return true;
    a = canonical(a);
    b = canonical(b);
    if (a == b || extents().provably_equal(a, b)) return true;
    const ExtentId difference = extents().sub(a, b);
    return std::any_of(equal_.begin(), equal_.end(), [&](const auto& pair) {
        const ExtentId known = extents().sub(canonical(pair.first), canonical(pair.second));
        return known == difference || extents().negate(known) == difference;
    });
}

bool Checker::different_extent(ExtentId a, ExtentId b) {
    a = canonical(a);
    b = canonical(b);
    const ExtentId one = extents().constant(1);
    return extents().provably_le(extents().add(a, one), b) || extents().provably_le(extents().add(b, one), a);
}

void Checker::assume_equal(ExtentId a, ExtentId b) {
    assumed.push_back({a, b});
    a = canonical(a);
    b = canonical(b);
    if (a == b) return;
    const auto contains = [&](ExtentId e, const std::string& name) {
        const auto names = extents().symbols(e);
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const auto right = extents().symbol_name(b);
    const auto left = extents().symbol_name(a);
    std::map<std::string, ExtentId> added;
    if (right && !contains(a, *right)) {
        added[*right] = a;
    } else if (left && !contains(b, *left)) {
        added[*left] = b;
    } else {
        equal_.push_back({a, b});
        return;
    }
    for (auto& [name, e] : substitutions_) e = extents().substitute(e, added);
    substitutions_.insert(added.begin(), added.end());
}

/// Checks stand in the graph's body whatever region is being filled.
void Checker::add_check(ir::Check check, Span span) {
    if (script && !frame->function && script->check(check, span)) return;
    const ir::RegionId back = builder.insertion();
    const Span before = builder.current_span();
    builder.set_insertion(builder.function().body());
    builder.set_span(span);
    builder.check(std::move(check));
    builder.set_insertion(back);
    builder.set_span(before);
}

bool Checker::require_extent(ExtentId left, ir::Check::Relation relation, ExtentId right, std::string message,
                             Span span) {
    const bool equality = relation == ir::Check::Relation::equal;
    if (equality ? same_extent(left, right) : extents().provably_le(canonical(right), canonical(left)))
        return true;
    const ExtentId one = extents().constant(1);
    const bool refuted = equality
                             ? different_extent(left, right)
                             : extents().provably_le(extents().add(canonical(left), one), canonical(right));
    if (refuted) {
        auto d = error(span, fmt::format("{}: {} {} {} cannot hold", message, text(left),
                                         equality ? "==" : ">=", text(right)));
        note_sizes(d, {left, right});
        return false;
    }
    add_check({left, right, relation, std::move(message)}, span);
    if (equality) assume_equal(left, right);
    return true;
}

bool Checker::require_size(ExtentId e, Span span) {
    const ExtentId zero = extents().constant(0);
    if (extents().provably_le(canonical(e), extents().constant(-1))) {
        auto d = error(span, fmt::format("the size {} is negative", text(e)));
        note_sizes(d, {e});
        return false;
    }
    return require_extent(e, ir::Check::Relation::greater_equal, zero, "a size is negative", span);
}

namespace {

/// The extents of one result axis: those of the operands that reach it.
struct Axis {
    ExtentId extent;
    bool known = false;
    size_t operand = 0;
};

}  // namespace

std::optional<std::vector<ExtentId>> Checker::broadcast_shape(const std::vector<ir::ValueId>& values,
                                                              const std::vector<Span>& spans, Span span,
                                                              std::string_view what) {
    size_t rank = 0;
    for (ir::ValueId v : values) rank = std::max(rank, builder.type(v).rank());
    std::vector<Axis> axes(rank);
    for (size_t i = 0; i < values.size(); ++i) {
        const std::vector<ExtentId> shape = builder.type(values[i]).shape;
        for (size_t k = 0; k < shape.size(); ++k) {
            Axis& axis = axes[rank - shape.size() + k];
            if (!axis.known || (extents().is_one(axis.extent) && !extents().is_one(shape[k]))) {
                axis = {shape[k], true, i};
            } else if (!extents().is_one(shape[k]) && !same_extent(axis.extent, shape[k])) {
                report_misfit(values[axis.operand], values[i], axis.extent, shape[k],
                              spans[i].known() ? span : span, what);
                return std::nullopt;
            }
        }
    }
    std::vector<ExtentId> shape;
    for (const Axis& axis : axes) shape.push_back(axis.extent);
    return shape;
}

void Checker::report_misfit(ir::ValueId a, ir::ValueId b, ExtentId left, ExtentId right, Span span,
                            std::string_view what) {
    const std::string found = fmt::format("{} and {}", text(builder.type(a)), text(builder.type(b)));
    const bool refuted = different_extent(left, right);
    auto d =
        error(span, fmt::format("{}: the shapes of {} do not fit: {} and {} are {}", what, found, text(left),
                                text(right), refuted ? "different" : "not known to be equal"));
    note_sizes(d, {left, right});
    if (!refuted) d.help(fmt::format("`assert {} == {}` makes them equal", text(left), text(right)));
}

ir::ValueId Checker::broadcast_to(ir::ValueId value, const std::vector<ExtentId>& shape) {
    const std::vector<ExtentId> own = builder.type(value).shape;
    if (own.empty() || own == shape) return value;
    ir::IndexMap map;
    for (size_t k = 0; k < own.size(); ++k) {
        const size_t axis = shape.size() - own.size() + k;
        ir::Affine index;
        const bool stretched = extents().is_one(own[k]) && !extents().is_one(shape[axis]);
        if (!stretched) index.terms.push_back({static_cast<uint32_t>(axis), extents().constant(1)});
        map.push_back(std::move(index));
    }
    return builder.view(value, std::move(map), shape);
}

ir::ValueId Checker::filled(ir::ValueId scalar, const std::vector<ExtentId>& shape) {
    return shape.empty() ? scalar : builder.view(scalar, {}, shape);
}

}  // namespace fuseline::dsl
