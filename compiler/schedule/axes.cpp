// choose_axes works on a table of coefficients: one row for each access, one column for each axis.
#include "compiler/schedule/axes.h"

#include <algorithm>

namespace fuseline::schedule_map {

using ir::Affine;

namespace {

constexpr int kVectorBytes = 16;

std::vector<Affine*> accesses(Trace& trace) {
    std::vector<Affine*> all{&trace.store};
    for (Item& item : trace.items) {
        if (item.kind == ItemKind::load || item.kind == ItemKind::index) all.push_back(&item.affine);
    }
    return all;
}

/// An axis of the nest and the axes of the domain that it runs through; the last of them has its
/// coefficients.
struct Merged {
    uint32_t last = 0;
    ExtentId extent;
};

bool mergeable(const std::vector<Affine*>& all, ExtentPool& pool, uint32_t outer, const Merged& inner) {
    return std::ranges::all_of(all, [&](const Affine* a) {
        return a->coefficient(outer) == pool.mul(a->coefficient(inner.last), inner.extent);
    });
}

std::vector<Merged> merge(const Trace& trace, const std::vector<Affine*>& all, ExtentPool& pool) {
    std::vector<Merged> axes;  // innermost first
    for (auto axis = static_cast<uint32_t>(trace.domain.size()); axis-- > 0;) {
        const ExtentId extent = trace.domain[axis];
        if (pool.is_one(extent)) continue;
        if (!axes.empty() && mergeable(all, pool, axis, axes.back())) {
            axes.back().extent = pool.mul(extent, axes.back().extent);
        } else {
            axes.push_back({axis, extent});
        }
    }
    std::ranges::reverse(axes);
    return axes;
}

int choose_lanes(const Trace& trace, const ExtentPool& pool, const std::vector<Merged>& axes, int widest) {
    if (axes.empty()) return 1;
    const int lanes = std::max(1, kVectorBytes / widest);
    const auto extent = pool.constant_value(axes.back().extent);
    if (extent && *extent < lanes) return 1;
    const auto stride = [&](const Affine& a) { return pool.constant_value(a.coefficient(axes.back().last)); };
    if (stride(trace.store) != 1) return 1;
    for (const Item& item : trace.items) {
        if (item.kind == ItemKind::load && stride(item.affine) != 0 && stride(item.affine) != 1) return 1;
    }
    return lanes;
}

}  // namespace

Axes choose_axes(Trace& trace, ExtentPool& pool, int widest) {
    const std::vector<Affine*> all = accesses(trace);
    const std::vector<Merged> merged = merge(trace, all, pool);
    Axes axes;
    axes.lanes = choose_lanes(trace, pool, merged, widest);
    for (const Merged& m : merged) axes.extents.push_back(m.extent);
    for (Affine* a : all) {
        Affine moved{a->offset, {}};
        for (uint32_t k = 0; k < merged.size(); ++k) {
            const ExtentId c = a->coefficient(merged[k].last);
            if (pool.constant_value(c) != 0) moved.terms.push_back({k, c});
        }
        *a = std::move(moved);
    }
    return axes;
}

}  // namespace fuseline::schedule_map
