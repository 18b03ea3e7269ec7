// fusion::Splitter: counts what crosses every possible cut, then takes the cheapest in the second half of
// what fits.
#include "compiler/passes/fusion_splitter.h"

#include <fmt/format.h>

#include <algorithm>

namespace fuseline::fusion {

namespace {

constexpr uint32_t kSlotBytes = 8;
constexpr uint32_t kReservedBytes = 128;  ///< for the sizes that every kernel has
constexpr uint32_t kMappedWeight = 4;     ///< a value at mapped elements needs a kernel of its own

}  // namespace

Splitter::Splitter(const Graph& graph, const Clusters& clusters, int cluster, const Budget& budget)
    : graph_(graph), clusters_(clusters), cluster_(cluster), budget_(budget) {
    members_ = clusters.all()[static_cast<size_t>(cluster)].members;
    std::ranges::sort(members_);
    const size_t count = members_.size();
    for (size_t p = 0; p < count; ++p) position_[members_[p]] = static_cast<int>(p);
    last_use_.assign(count, -1);
    ends_.resize(count);
    for (size_t p = 0; p < count; ++p) {
        const uint32_t step = members_[p];
        if (graph.cheap(step)) continue;
        for (uint32_t user : graph.users(step)) last_use_[p] = std::max(last_use_[p], position(user));
        if (last_use_[p] >= 0) ends_[static_cast<size_t>(last_use_[p])].push_back(p);
    }
}

uint32_t Splitter::crossing_weight(size_t position) const {
    if (last_use_[position] < 0) return 0;
    return clusters_.place_in(members_[position], cluster_)->in_domain ? 1 : kMappedWeight;
}

int Splitter::position(uint32_t step) const {
    const auto found = position_.find(step);
    return found == position_.end() ? -1 : found->second;
}

void Splitter::add_input(Load& load, ir::ValueId value, size_t begin) const {
    std::vector<ir::ValueId> todo{value};
    while (!todo.empty()) {
        const ir::ValueId v = todo.back();
        todo.pop_back();
        const int step = graph_.step_of(v);
        const int p = step < 0 ? -1 : position(static_cast<uint32_t>(step));
        if (p >= static_cast<int>(begin) || graph_.constant(v)) continue;
        if (p >= 0 && graph_.cheap(static_cast<uint32_t>(step))) {
            if (!load.again.insert(static_cast<uint32_t>(step)).second) continue;
            load.nodes += graph_.weight(static_cast<uint32_t>(step));
            for (ir::ValueId input : graph_.inputs(static_cast<uint32_t>(step))) todo.push_back(input);
        } else if (load.values.insert(v.index).second) {
            const auto& shape = graph_.function().type(v).shape;
            const bool strided = shape != clusters_.all()[static_cast<size_t>(cluster_)].domain;
            load.parameter_bytes += kSlotBytes * (1 + (strided ? shape.size() : 0));
        }
    }
}

void Splitter::add(Load& load, size_t position, size_t begin) const {
    const uint32_t step = members_[position];
    load.nodes += graph_.weight(step);
    for (ir::ValueId v : graph_.inputs(step)) add_input(load, v, begin);
    if (clusters_.home(step) == cluster_) load.parameter_bytes += kSlotBytes;
    // A view with an offset costs a size argument where the offset is no number.
    if (graph_.is_view(step)) load.parameter_bytes += kSlotBytes;
    uint32_t crossing = load.crossing.back() + crossing_weight(position);
    for (size_t ended : ends_[position]) crossing -= ended >= begin ? crossing_weight(ended) : 0;
    load.crossing.push_back(crossing);
}

std::string Splitter::exceeded(const Load& load) const {
    if (load.nodes > budget_.nodes) return fmt::format("{} nodes", budget_.nodes);
    const uint32_t crossing = load.crossing.back();
    if (load.parameter_bytes + kReservedBytes + uint64_t{kSlotBytes} * crossing > budget_.parameter_bytes) {
        return fmt::format("{} bytes of parameters", budget_.parameter_bytes);
    }
    return crossing > budget_.live ? fmt::format("{} live values", budget_.live) : "";
}

Segment Splitter::next(size_t begin) const {
    Load load;
    for (size_t p = begin; p < members_.size(); ++p) {
        add(load, p, begin);
        const std::string why = exceeded(load);
        if (why.empty() || p == begin) continue;
        // The cheapest cut of the second half; of equal ones the last. A cut at begin + k crosses
        // load.crossing[k].
        size_t best = p - begin;
        for (size_t cut = best; cut > (p - begin) / 2; --cut) {
            if (load.crossing[cut] < load.crossing[best]) best = cut;
        }
        return {begin, begin + best, why};
    }
    return {begin, members_.size(), {}};
}

std::vector<Segment> Splitter::segments() {
    std::vector<Segment> all;
    for (size_t begin = 0; begin < members_.size(); begin = all.back().end) all.push_back(next(begin));
    return all;
}

std::vector<uint32_t> Splitter::closure(const std::vector<uint32_t>& outputs, size_t begin) const {
    std::unordered_set<uint32_t> taken(outputs.begin(), outputs.end());
    std::vector<uint32_t> todo(taken.begin(), taken.end());
    while (!todo.empty()) {
        const uint32_t step = todo.back();
        todo.pop_back();
        for (ir::ValueId v : graph_.inputs(step)) {
            const int producer = graph_.step_of(v);
            if (producer < 0) continue;
            const auto s = static_cast<uint32_t>(producer);
            const int p = position(s);
            if (p < 0 || (p < static_cast<int>(begin) && !graph_.cheap(s))) continue;
            if (taken.insert(s).second) todo.push_back(s);
        }
    }
    std::vector<uint32_t> sorted(taken.begin(), taken.end());
    std::ranges::sort(sorted);
    return sorted;
}

}  // namespace fuseline::fusion
