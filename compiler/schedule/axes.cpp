// choose_axes works on a table of coefficients: one row for each access, one column for each axis.
#include "compiler/schedule/axes.h"

#include <algorithm>

namespace fuseline::schedule_map {

using ir::Affine;

namespace {

constexpr int kVectorBytes = 16;
/// A fold over at most so many elements is no work for a team.
constexpr int64_t kShortFold = 16;

bool reads(const Item& item) { return item.kind == ItemKind::load || item.kind == ItemKind::index; }

std::vector<Affine*> accesses(Trace& trace) {
    std::vector<Affine*> all;
    for (Output& o : trace.outputs) all.push_back(&o.place);
    for (Item& item : trace.items) {
        if (reads(item)) all.push_back(&item.affine);
        for (Condition& c : item.conditions) all.push_back(&c.index);
    }
    return all;
}

/// An axis of the loops and the axes of the trace that it runs through; the last of them has its coefficients.
struct Merged {
    uint32_t last = 0;
    ExtentId extent;
};

class Chooser {
public:
    Chooser(Trace& trace, ExtentPool& pool) : trace_(trace), pool_(pool), all_(accesses(trace)) {}

    Axes run(int widest);

private:
    bool mergeable(uint32_t outer, const Merged& inner) const;
    std::vector<Merged> merge(uint32_t begin, uint32_t end) const;
    int lanes(int widest) const;
    ir::Mapping mapping(size_t space) const;
    std::optional<int64_t> stride(const Affine& a, const std::vector<Merged>& axes) const;
    void renumber();

    Trace& trace_;
    ExtentPool& pool_;
    std::vector<Affine*> all_;
    std::vector<Merged> nest_;
    std::vector<std::vector<Merged>> spaces_;
};

bool Chooser::mergeable(uint32_t outer, const Merged& inner) const {
    return std::ranges::all_of(all_, [&](const Affine* a) {
        return a->coefficient(outer) == pool_.mul(a->coefficient(inner.last), inner.extent);
    });
}

std::vector<Merged> Chooser::merge(uint32_t begin, uint32_t end) const {
    std::vector<Merged> axes;  // innermost first
    for (uint32_t axis = end; axis-- > begin;) {
        const ExtentId extent = trace_.extents[axis];
        if (pool_.is_one(extent)) continue;
        if (!axes.empty() && mergeable(axis, axes.back())) {
            axes.back().extent = pool_.mul(extent, axes.back().extent);
        } else {
            axes.push_back({axis, extent});
        }
    }
    std::ranges::reverse(axes);
    return axes;
}

/// The coefficient of the innermost of some axes; nullopt where it is no number.
std::optional<int64_t> Chooser::stride(const Affine& a, const std::vector<Merged>& axes) const {
    if (axes.empty()) return 0;
    return pool_.constant_value(a.coefficient(axes.back().last));
}

int Chooser::lanes(int widest) const {
    if (nest_.empty() || !trace_.spaces.empty()) return 1;
    const int lanes = std::max(1, kVectorBytes / widest);
    const auto extent = pool_.constant_value(nest_.back().extent);
    if (extent && *extent < lanes) return 1;
    for (const Output& o : trace_.outputs) {
        if (stride(o.place, nest_) != 1) return 1;
    }
    for (const Item& item : trace_.items) {
        if (item.kind != ItemKind::load) continue;
        const auto s = stride(item.affine, nest_);
        if (s != 0 && s != 1) return 1;
    }
    return lanes;
}

/// A team where most loads are neighbours along the fold, or where there is nothing else to run in parallel;
/// a thread for each output where they are neighbours along the nest, or the fold is short. Of the loads those count
/// that step along the most axes: beside a matrix a vector is little memory.
ir::Mapping Chooser::mapping(size_t space) const {
    const std::vector<Merged>& axes = spaces_[space];
    if (nest_.empty() || trace_.rows) return ir::Mapping::team;
    int64_t count = 1;
    for (const Merged& m : axes) {
        const auto extent = pool_.constant_value(m.extent);
        count = extent && count <= kShortFold ? count * *extent : kShortFold + 1;
    }
    if (count <= kShortFold) return ir::Mapping::sequential;
    int along_fold = 0, along_nest = 0;
    size_t most = 0;
    for (const Item& item : trace_.items) {
        if (item.kind != ItemKind::load || item.space != static_cast<int>(space)) continue;
        const size_t steps = item.affine.terms.size();
        if (steps < most) continue;
        if (steps > most) along_fold = along_nest = 0;
        most = steps;
        along_fold += stride(item.affine, axes) == 1 ? 1 : 0;
        along_nest += stride(item.affine, nest_) == 1 ? 1 : 0;
    }
    return along_nest > along_fold ? ir::Mapping::sequential : ir::Mapping::team;
}

/// Gives every access terms over the merged axes.
void Chooser::renumber() {
    std::vector<uint32_t> number(trace_.extents.size(), UINT32_MAX);
    for (uint32_t k = 0; k < nest_.size(); ++k) number[nest_[k].last] = k;
    for (const std::vector<Merged>& space : spaces_) {
        for (uint32_t k = 0; k < space.size(); ++k) {
            number[space[k].last] = static_cast<uint32_t>(nest_.size()) + k;
        }
    }
    for (Affine* a : all_) {
        Affine moved{a->offset, {}};
        for (const Affine::Term& t : a->terms) {
            if (number[t.axis] != UINT32_MAX) moved.terms.push_back({number[t.axis], t.coefficient});
        }
        *a = std::move(moved);
    }
}

Axes Chooser::run(int widest) {
    const auto extents_of = [](const std::vector<Merged>& axes) {
        std::vector<ExtentId> extents;
        for (const Merged& m : axes) extents.push_back(m.extent);
        return extents;
    };
    nest_ = merge(0, static_cast<uint32_t>(trace_.domain.size()));
    for (const std::vector<uint32_t>& axes : trace_.spaces) {
        spaces_.push_back(merge(axes.front(), axes.back() + 1));
        if (spaces_.back().empty()) spaces_.back().push_back({axes.back(), pool_.constant(1)});
    }
    Axes chosen{extents_of(nest_), lanes(widest), {}};
    for (size_t k = 0; k < spaces_.size(); ++k) chosen.spaces.push_back({extents_of(spaces_[k]), mapping(k)});
    renumber();
    return chosen;
}

}  // namespace

Axes choose_axes(Trace& trace, ExtentPool& pool, int widest) { return Chooser(trace, pool).run(widest); }

}  // namespace fuseline::schedule_map
