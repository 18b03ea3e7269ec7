// fusion::partition: segments of clusters become groups, ordered so that each follows what it loads.
#include "compiler/passes/fusion_groups.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "compiler/passes/fusion_splitter.h"
#include "compiler/support/errors.h"

namespace fuseline::fusion {

namespace {

constexpr size_t kCopiesPerGroup = 64;

class Partitioner {
public:
    Partitioner(const Graph& graph, Clusters& clusters, const Budget& budget)
        : graph_(graph), clusters_(clusters), budget_(budget) {}

    Partition run();

private:
    void count_slots();
    void cut_cluster(int cluster, const std::vector<ir::ValueId>& copies);
    void add_group(const Splitter& splitter, const std::vector<ExtentId>& domain,
                   const std::vector<uint32_t>& outputs, size_t begin);
    void add_copies(const std::vector<ExtentId>& domain, const std::vector<ir::ValueId>& copies,
                    size_t first_group);
    void add_loaded_outputs();
    void order();
    std::set<int> loads_from(const Group& group) const;

    const Graph& graph_;
    Clusters& clusters_;
    Budget budget_;
    Partition result_;
    std::map<uint32_t, size_t> slots_;  ///< value -> how many results of the entry it is
};

void Partitioner::count_slots() {
    // What a loop carries or a branch gives may be one value several times; each result of the entry is its own.
    const bool own = graph_.region() == graph_.function().body();
    for (ir::ValueId v : graph_.function().region(graph_.region()).yields) {
        slots_[v.index] = own ? slots_[v.index] + 1 : 1;
    }
}

void Partitioner::add_group(const Splitter& splitter, const std::vector<ExtentId>& domain,
                            const std::vector<uint32_t>& outputs, size_t begin) {
    const int id = static_cast<int>(result_.groups.size());
    Group group{domain, splitter.closure(outputs, begin), {}};
    for (uint32_t step : outputs) result_.home[step] = id;
    result_.groups.push_back(std::move(group));
}

void Partitioner::cut_cluster(int cluster, const std::vector<ir::ValueId>& copies) {
    const std::vector<ExtentId> domain = clusters_.all()[static_cast<size_t>(cluster)].domain;
    const size_t first_group = result_.groups.size();
    Splitter splitter(graph_, clusters_, cluster, budget_);
    for (const Segment& segment : splitter.segments()) {
        std::vector<uint32_t> in_domain;
        std::map<std::vector<ExtentId>, std::vector<uint32_t>> mapped;
        size_t crossing = 0;
        for (size_t p = segment.begin; p < segment.end; ++p) {
            const uint32_t step = splitter.members()[p];
            const bool crosses = splitter.last_use(p) >= static_cast<int>(segment.end);
            crossing += crosses ? 1 : 0;
            if (!crosses && clusters_.home(step) != cluster) continue;
            if (clusters_.place_in(step, cluster)->in_domain) {
                in_domain.push_back(step);
            } else {
                mapped[graph_.shape(step)].push_back(step);
            }
        }
        for (const auto& [shape, steps] : mapped) add_group(splitter, shape, steps, segment.begin);
        if (!in_domain.empty()) add_group(splitter, domain, in_domain, segment.begin);
        if (!segment.budget.empty()) {
            result_.cuts.push_back({splitter.members()[segment.end], segment.budget, crossing});
        }
    }
    add_copies(domain, copies, first_group);
}

void Partitioner::add_copies(const std::vector<ExtentId>& domain, const std::vector<ir::ValueId>& copies,
                             size_t first_group) {
    for (size_t k = 0; k < copies.size(); ++k) {
        const bool last_fits =
            result_.groups.size() > first_group && result_.groups.back().domain == domain && k != 0;
        const bool only_group = result_.groups.size() == first_group + 1 && result_.cuts.empty();
        if (k % kCopiesPerGroup == 0 ? !(k == 0 && only_group) : !last_fits)
            result_.groups.push_back({domain, {}, {}});
        result_.groups.back().outputs.push_back(copies[k]);
    }
}

std::set<int> Partitioner::loads_from(const Group& group) const {
    std::set<int> from;
    for (uint32_t step : group.members) {
        for (ir::ValueId v : graph_.inputs(step)) {
            const int producer = graph_.step_of(v);
            if (producer < 0 || group.has(static_cast<uint32_t>(producer))) continue;
            const int home = result_.home[static_cast<size_t>(producer)];
            require(home >= 0, "fuse: a value is loaded that no group stores");
            from.insert(home);
        }
    }
    return from;
}

void Partitioner::add_loaded_outputs() {
    std::set<uint32_t> loaded;
    for (const Group& group : result_.groups) {
        for (uint32_t step : group.members) {
            for (ir::ValueId v : graph_.inputs(step)) {
                const int producer = graph_.step_of(v);
                if (producer >= 0 && !group.has(static_cast<uint32_t>(producer))) loaded.insert(v.index);
            }
        }
    }
    const ir::Function& f = graph_.function();
    for (size_t g = 0; g < result_.groups.size(); ++g) {
        Group& group = result_.groups[g];
        std::vector<ir::ValueId> outputs;
        for (uint32_t step : group.members) {
            if (result_.home[step] != static_cast<int>(g)) continue;
            const ir::Node& n = f.node(graph_.node(step));
            for (uint32_t k = 0; k < n.results_count; ++k) {
                const ir::ValueId v = f.result(graph_.node(step), k);
                const auto slots = slots_.find(v.index);
                size_t times = slots != slots_.end() ? slots->second : loaded.count(v.index);
                // An updated array stands in one memory; further results of the entry are copies of it.
                if (graph_.is_update(step)) times = std::min<size_t>(times, 1);
                outputs.insert(outputs.end(), times, v);
            }
        }
        group.outputs.insert(group.outputs.begin(), outputs.begin(), outputs.end());
    }
}

void Partitioner::order() {
    const size_t count = result_.groups.size();
    std::vector<std::vector<int>> followers(count);
    std::vector<size_t> waits(count, 0);
    for (size_t g = 0; g < count; ++g) {
        for (int from : loads_from(result_.groups[g])) {
            followers[static_cast<size_t>(from)].push_back(static_cast<int>(g));
            ++waits[g];
        }
    }
    // Of the groups that are ready, the one whose last step stands first in the program.
    using Entry = std::pair<uint32_t, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    const auto push = [&](int g) {
        const auto& members = result_.groups[static_cast<size_t>(g)].members;
        ready.push({members.empty() ? 0 : members.back(), g});
    };
    for (size_t g = 0; g < count; ++g) {
        if (waits[g] == 0) push(static_cast<int>(g));
    }
    std::vector<Group> sorted;
    std::vector<int> rank(count, -1);
    while (!ready.empty()) {
        const int g = ready.top().second;
        ready.pop();
        rank[static_cast<size_t>(g)] = static_cast<int>(sorted.size());
        for (int follower : followers[static_cast<size_t>(g)]) {
            if (--waits[static_cast<size_t>(follower)] == 0) push(follower);
        }
        sorted.push_back(std::move(result_.groups[static_cast<size_t>(g)]));
    }
    require(sorted.size() == count, "fuse: the groups form a cycle");
    result_.groups = std::move(sorted);
    for (int& home : result_.home) home = home < 0 ? -1 : rank[static_cast<size_t>(home)];
}

Partition Partitioner::run() {
    count_slots();
    result_.home.assign(graph_.size(), -1);
    std::map<int, std::vector<ir::ValueId>> copies;
    const bool body = graph_.region() == graph_.function().body();
    for (ir::ValueId v : graph_.function().region(graph_.region()).yields) {
        if (body && graph_.step_of(v) < 0) copies[clusters_.copy_home(graph_.function().type(v).shape)].push_back(v);
    }
    for (int c = 0; c < static_cast<int>(clusters_.all().size()); ++c) cut_cluster(c, copies[c]);
    add_loaded_outputs();
    order();
    return std::move(result_);
}

}  // namespace

bool Group::has(uint32_t step) const { return std::ranges::binary_search(members, step); }

Partition partition(const Graph& graph, Clusters& clusters, const Budget& budget) {
    return Partitioner(graph, clusters, budget).run();
}

}  // namespace fuseline::fusion
