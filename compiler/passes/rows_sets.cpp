// For each shape and number of row axes: one walk forward finds what depends on a reduction of rows and can
// stand in its kernel, then connected parts are taken one by one.
#include "compiler/passes/rows_sets.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace fuseline::fusion {

using ir::Node;
using ir::Structure;
using ir::ValueId;

namespace {

/// The shape of rows and how many axes are before those of the row.
using Rows = std::pair<std::vector<ExtentId>, uint32_t>;

/// What a step is to the rows at hand.
enum class State : uint8_t {
    before,  ///< needs no reduction of rows
    row,     ///< a reduction of rows, or computed from one where it stands
    after,   ///< needs what a kernel over rows has stored
};

class Finder {
public:
    explicit Finder(const Graph& graph) : graph_(graph), f_(graph.function()), set_of_(graph.size(), -1) {
        for (ValueId v : f_.region(graph.region()).yields) yields_.insert(v);
    }
    std::vector<RowsSet> run();

private:
    std::optional<Rows> reduced_rows(uint32_t step) const;
    bool outer_like(const std::vector<ExtentId>& shape) const;
    bool outer_view(uint32_t step) const;
    bool stands_in_row(uint32_t step) const;
    State state_of(uint32_t step);
    void find_states();
    void take_parts();
    void take(const std::vector<uint32_t>& part);
    std::vector<uint32_t> with_leading(const std::vector<uint32_t>& part) const;
    bool computed_again(uint32_t step, const std::set<uint32_t>& members) const;
    void find_edges(RowsSet& set) const;
    std::vector<uint32_t> producers(uint32_t step) const;

    const Graph& graph_;
    const ir::Function& f_;
    Rows rows_;
    std::set<ValueId> yields_;
    std::vector<int> set_of_;  ///< by step: the set that has taken it, of those that need a reduction
    std::vector<State> states_;
    std::set<int> after_;  ///< sets that need what the rows at hand store
    std::vector<RowsSet> found_;
};

std::vector<uint32_t> Finder::producers(uint32_t step) const {
    std::vector<uint32_t> all;
    for (ValueId v : graph_.inputs(step)) {
        if (const int p = graph_.step_of(v); p >= 0) all.push_back(static_cast<uint32_t>(p));
    }
    return all;
}

/// The rows that a step reduces: its axes are the last ones, and there are others before them.
std::optional<Rows> Finder::reduced_rows(uint32_t step) const {
    const Node& n = f_.node(graph_.node(step));
    if (!n.op.is(Structure::reduce_)) return std::nullopt;
    const auto& axes = std::get<ir::ReducedAxes>(n.attribute).axes;
    const std::vector<ExtentId>& shape = f_.type(f_.operands(n)[0]).shape;
    if (axes.empty() || axes.front() == 0 || axes.size() != shape.size() - axes.front()) return std::nullopt;
    const bool one_row = std::all_of(shape.begin(), shape.begin() + axes.front(),
                                     [&](ExtentId e) { return f_.extents.is_one(e); });
    if (one_row) return std::nullopt;
    return Rows{shape, axes.front()};
}

/// One element for each row: the outer axes, and perhaps axes of extent 1 for those of the row.
bool Finder::outer_like(const std::vector<ExtentId>& shape) const {
    const auto& [full, outer] = rows_;
    if (shape.size() < outer || shape.size() > full.size()) return false;
    for (size_t k = 0; k < shape.size(); ++k) {
        if (k < outer ? shape[k] != full[k] : !f_.extents.is_one(shape[k])) return false;
    }
    return true;
}

/// A view that gives each row, or each of its elements, what belongs to the row.
bool Finder::outer_view(uint32_t step) const {
    const Node& n = f_.node(graph_.node(step));
    const auto& [full, outer] = rows_;
    if (!n.op.is(Structure::view_) || !outer_like(f_.type(f_.operands(n)[0]).shape)) return false;
    if (graph_.shape(step) != full && !outer_like(graph_.shape(step))) return false;
    const auto& map = std::get<ir::IndexMap>(n.attribute);
    for (uint32_t axis = 0; axis < outer; ++axis) {
        if (f_.extents.is_one(full[axis])) continue;
        const ir::Affine& a = map[axis];
        const bool own = a.offset == ExtentId{} && a.terms.size() == 1 && a.terms[0].axis == axis &&
                         f_.extents.is_one(a.terms[0].coefficient);
        if (!own) return false;
    }
    return true;
}

bool Finder::stands_in_row(uint32_t step) const {
    const ir::Opcode op = f_.node(graph_.node(step)).op;
    if (reduced_rows(step) == rows_ || outer_view(step)) return true;
    if (!op.elementwise() && !op.is(Structure::apply_)) return false;
    return graph_.shape(step) == rows_.first || outer_like(graph_.shape(step));
}

State Finder::state_of(uint32_t step) {
    bool needs_row = false, needs_after = false;
    for (uint32_t p : producers(step)) {
        needs_row = needs_row || states_[p] == State::row;
        needs_after = needs_after || states_[p] == State::after;
    }
    if (const int set = set_of_[step]; set >= 0) {
        if (needs_row || needs_after) after_.insert(set);
        return after_.contains(set) ? State::after : State::before;
    }
    if (needs_after) return State::after;
    const bool begins = reduced_rows(step) == rows_;
    if (!begins && !needs_row) return State::before;
    return stands_in_row(step) ? State::row : State::after;
}

/// Sets that are taken already are one step each: what needs a part of it needs all.
void Finder::find_states() {
    after_.clear();
    for (size_t known = SIZE_MAX; known != after_.size();) {
        known = after_.size();
        states_.assign(graph_.size(), State::before);
        for (uint32_t s = 0; s < graph_.size(); ++s) states_[s] = state_of(s);
    }
}

/// Steps that values connect.
void Finder::take_parts() {
    std::vector<uint32_t> part_of(graph_.size());
    std::iota(part_of.begin(), part_of.end(), 0u);
    const auto root = [&](uint32_t s) {
        while (part_of[s] != s) s = part_of[s] = part_of[part_of[s]];
        return s;
    };
    for (uint32_t s = 0; s < graph_.size(); ++s) {
        if (states_[s] != State::row) continue;
        for (uint32_t p : producers(s)) {
            if (states_[p] == State::row) part_of[root(s)] = root(p);
        }
    }
    std::map<uint32_t, std::vector<uint32_t>> parts;
    for (uint32_t s = 0; s < graph_.size(); ++s) {
        if (states_[s] == State::row) parts[root(s)].push_back(s);
    }
    for (const auto& [first, part] : parts) {
        const bool gains = std::ranges::any_of(
            part, [&](uint32_t s) { return graph_.is_view(s) && graph_.shape(s) == rows_.first; });
        if (gains) take(part);
    }
}

/// Whether a set computes a step of its own before its reductions rather than loads it.
bool Finder::computed_again(uint32_t step, const std::set<uint32_t>& members) const {
    if (states_[step] != State::before || set_of_[step] >= 0 || graph_.alone(step) || graph_.folds(step))
        return false;
    if (graph_.is_update(step) || !graph_.must_store(step).empty()) return false;
    if (graph_.cheap(step)) return true;
    for (uint32_t r = 0; r < f_.node(graph_.node(step)).results_count; ++r) {
        if (yields_.contains(f_.result(graph_.node(step), r))) return false;
    }
    return std::ranges::all_of(graph_.users(step), [&](uint32_t user) { return members.contains(user); });
}

std::vector<uint32_t> Finder::with_leading(const std::vector<uint32_t>& part) const {
    std::set<uint32_t> members(part.begin(), part.end());
    for (uint32_t s = part.back(); s-- > 0;) {
        const bool used =
            std::ranges::any_of(graph_.users(s), [&](uint32_t user) { return members.contains(user); });
        if (used && computed_again(s, members)) members.insert(s);
    }
    return {members.begin(), members.end()};
}

void Finder::find_edges(RowsSet& set) const {
    std::set<ValueId> seen;
    for (uint32_t s : set.members) {
        for (ValueId v : graph_.inputs(s)) {
            const int p = graph_.step_of(v);
            if (p >= 0 && std::ranges::binary_search(set.members, static_cast<uint32_t>(p))) continue;
            if (!graph_.constant(v) && seen.insert(v).second) set.inputs.push_back(v);
        }
        if (states_[s] != State::row) continue;
        const auto outside = [&](uint32_t user) { return !std::ranges::binary_search(set.members, user); };
        for (uint32_t r = 0; r < f_.node(graph_.node(s)).results_count; ++r) {
            const ValueId v = f_.result(graph_.node(s), r);
            const bool used = std::ranges::any_of(graph_.users(s), [&](uint32_t user) {
                return outside(user) && std::ranges::count(graph_.inputs(user), v) != 0;
            });
            if (used || yields_.contains(v)) set.outputs.push_back(v);
        }
    }
}

void Finder::take(const std::vector<uint32_t>& part) {
    RowsSet set{rows_.first, rows_.second, part, with_leading(part), {}, {}};
    find_edges(set);
    for (uint32_t s : part) set_of_[s] = static_cast<int>(found_.size());
    found_.push_back(std::move(set));
}

std::vector<RowsSet> Finder::run() {
    std::set<Rows> known;
    for (uint32_t s = 0; s < graph_.size(); ++s) {
        const std::optional<Rows> rows = reduced_rows(s);
        if (!rows || set_of_[s] >= 0 || !known.insert(*rows).second) continue;
        rows_ = *rows;
        find_states();
        take_parts();
    }
    return std::move(found_);
}

}  // namespace

std::vector<RowsSet> find_rows(const Graph& graph) { return Finder(graph).run(); }

}  // namespace fuseline::fusion
