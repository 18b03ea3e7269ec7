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
    // The length of a slice is max(0, e) until e >= 0 is tested.
    const auto clipped = [&](ExtentId length, ExtentId e) {
        return extents().max0(e) == length && tested_nonnegative(e);
    };
    if (clipped(a, b) || clipped(b, a)) return true;
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

namespace {

/// e is c * symbol + d, where neither holds the symbol.
bool linear_in(const ExtentPool& pool, ExtentId e, const std::string& symbol) {
    const auto holds = [&](uint32_t atom) {
        const auto& operands = pool.atom(atom).operands;
        return std::any_of(operands.begin(), operands.end(), [&](ExtentId o) {
            const auto names = pool.symbols(o);
            return std::find(names.begin(), names.end(), symbol) != names.end();
        });
    };
    for (const ExtentTerm& term : pool.terms(e)) {
        int count = 0;
        for (uint32_t atom : term.factors) {
            if (holds(atom)) return false;
            const ExtentAtom& a = pool.atom(atom);
            count += a.kind == AtomKind::symbol && a.name == symbol ? 1 : 0;
        }
        if (count > 1) return false;
    }
    return true;
}

}  // namespace

/// b - a >= 0 at the end of each counter's range where it is least. In a loop's body the range is not empty.
bool Checker::known_le(ExtentId a, ExtentId b) {
    ExtentPool& pool = extents();
    const auto proved = [&](ExtentId e) {
        const auto beyond = [&](const Counter& c) {
            const ExtentId length = pool.sub(canonical(c.high), canonical(c.low));
            return pool.provably_nonnegative(pool.sub(e, length));
        };
        return pool.provably_nonnegative(e) || std::any_of(counters.begin(), counters.end(), beyond);
    };
    std::vector<ExtentId> open{pool.sub(canonical(b), canonical(a))};
    for (size_t k = counters.size(); k-- > 0;) {
        const Counter& counter = counters[k];
        const auto at = [&](ExtentId e, ExtentId value) {
            return pool.substitute(e, {{counter.symbol, canonical(value)}});
        };
        std::vector<ExtentId> ends;
        for (ExtentId e : open) {
            if (proved(e)) continue;
            if (!linear_in(pool, e, counter.symbol)) return false;
            const ExtentId slope = pool.sub(at(e, pool.constant(1)), at(e, pool.constant(0)));
            const bool rises = pool.provably_nonnegative(slope);
            const bool falls = pool.provably_nonnegative(pool.negate(slope));
            if (!rises) ends.push_back(at(e, counter.high));
            if (rises || !falls) ends.push_back(at(e, counter.low));
        }
        open = std::move(ends);
    }
    return std::all_of(open.begin(), open.end(), proved);
}

void Checker::restore(SizeFacts facts) {
    assumed = std::move(facts.assumed);
    equal_ = std::move(facts.equal);
    tested_ = std::move(facts.tested);
    substitutions_ = std::move(facts.substitutions);
}

/// A loop may take no step: what its steps test is not known behind it. What they rely on and is tested
/// before the loop still is.
void Checker::restore_after(ir::RegionId loop, SizeFacts facts) {
    const std::vector<TestedRelation> all = std::move(tested_);
    const size_t before = facts.tested.size();
    restore(std::move(facts));
    for (size_t k = before; k < all.size(); ++k) {
        if (!(all[k].place < loop)) continue;
        if (all[k].equal) assume_equal(all[k].left, all[k].right);
        tested_.push_back(all[k]);
    }
}

bool Checker::tested_nonnegative(ExtentId e) {
    ExtentPool& pool = extents();
    return std::ranges::any_of(tested_, [&](const TestedRelation& t) {
        const ExtentId known = pool.sub(t.left, t.right);
        return pool.provably_nonnegative(pool.sub(canonical(e), canonical(known)));
    });
}

/// Where a check stands: the graph's body whatever region is being filled, unless the check depends on a
/// loop's counter or a branch guards it.
ir::RegionId Checker::place_of(ExtentId left, ExtentId right) {
    ir::RegionId place = guards.empty() ? builder.function().body() : guards.back();
    for (const Counter& counter : counters) {
        for (ExtentId e : {left, right}) {
            const auto names = extents().symbols(e);
            const bool used = std::find(names.begin(), names.end(), counter.symbol) != names.end();
            // Regions are made from the outside in, so the later one lies inside the other.
            if (used) place = std::max(place, counter.region);
        }
    }
    return place;
}

void Checker::add_check(ir::Check check, Span span) {
    if (trials > 0) return;
    if (script && !frame->function && script->check(check, span)) return;
    const ir::RegionId back = builder.insertion();
    const Span before = builder.current_span();
    const ir::RegionId place = place_of(check.left, check.right);
    const bool equal = check.relation == ir::Check::Relation::equal;
    if (!checks_.emplace(place, check.left, check.right, equal, check.message).second) return;
    builder.set_insertion(place);
    builder.set_span(span);
    builder.check(std::move(check));
    builder.set_insertion(back);
    builder.set_span(before);
}

bool Checker::require_extent(ExtentId left, ir::Check::Relation relation, ExtentId right, std::string message,
                             Span span) {
    const bool equality = relation == ir::Check::Relation::equal;
    if (equality ? same_extent(left, right) : known_le(right, left)) return true;
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
    tested_.push_back({place_of(left, right), left, right, equality});
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
                                                              Span span, std::string_view what) {
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
                report_misfit(values[axis.operand], values[i], axis.extent, shape[k], span, what);
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
    // In a script only sizes of loaded arrays become known by an assertion; its integers are values.
    const auto bound = [&](ExtentId e) {
        const auto names = extents().symbols(extents().substitute(e, spoken));
        return std::ranges::all_of(names, [&](const auto& name) { return symbol_spans.contains(name); });
    };
    if (!refuted && (!script || (bound(left) && bound(right))))
        d.help(fmt::format("`assert {} == {}` makes them equal", text(left), text(right)));
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
