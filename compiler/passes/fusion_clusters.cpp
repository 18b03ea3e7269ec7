// fusion::Clusters: levels keep the clusters free of cycles: who loads a value has a lower level than who
// stores it.
#include "compiler/passes/fusion_clusters.h"

#include <algorithm>

#include <fmt/format.h>

namespace fuseline::fusion {

namespace {

/// Clusters that a change of level may touch before it is given up.
constexpr size_t kMaxRaised = 64;

}  // namespace

Clusters::Clusters(const Graph& graph) : graph_(graph) {
    const size_t count = graph.size();
    result_.assign(count, false);
    places_.resize(count);
    home_.assign(count, -1);
    reason_.resize(count);
    for (ir::ValueId v : graph.function().region(graph.region()).yields) {
        if (const int step = graph.step_of(v); step >= 0) result_[static_cast<size_t>(step)] = true;
    }
    for (size_t k = count; k-- > 0;) place(static_cast<uint32_t>(k));
}

const Place* Clusters::place_in(uint32_t step, int cluster) const {
    for (const Place& p : places_[step]) {
        if (p.cluster == cluster) return &p;
    }
    return nullptr;
}

std::vector<Place> Clusters::demands(uint32_t step) const {
    std::vector<Place> found;
    for (uint32_t user : graph_.users(step)) {
        const bool same_element = graph_.same_element(step, user);
        for (const Place& p : places_[user]) {
            const bool in_domain = same_element && p.in_domain;
            const auto known = std::ranges::find(found, p.cluster, &Place::cluster);
            if (known == found.end()) {
                found.push_back({p.cluster, in_domain, !in_domain});
            } else {
                known->in_domain = known->in_domain || in_domain;
                known->elsewhere = known->elsewhere || !in_domain;
            }
        }
    }
    return found;
}

void Clusters::compute_in(uint32_t step, const Place& place) {
    places_[step].push_back(place);
    clusters_[static_cast<size_t>(place.cluster)].members.push_back(step);
}

void Clusters::place(uint32_t step) {
    const std::vector<Place> wanted = demands(step);
    if (!graph_.must_store(step).empty()) return store(step, wanted, graph_.must_store(step));
    if (result_[step]) return store(step, wanted, "it is a result, thus in memory");
    if (wanted.size() > 1 && !graph_.cheap(step)) {
        return store(step, wanted,
                     fmt::format("{} kernels need it: {} operations again in each are over the limit of {}",
                                 wanted.size(), graph_.cost(step), graph_.limit(step)));
    }
    for (const Place& p : wanted) compute_in(step, p);
}

void Clusters::store(uint32_t step, const std::vector<Place>& demands, Reason reason) {
    std::vector<int> loaders;
    const int home = choose_home(step, demands, loaders);
    home_[step] = home;
    compute_in(step, {home, true, false});
    for (int loader : loaders) {
        auto& producers = clusters_[static_cast<size_t>(loader)].producers;
        if (std::ranges::find(producers, home) == producers.end()) producers.push_back(home);
    }
    if (!loaders.empty()) reason_[step] = std::move(reason);
}

Kind Clusters::kind_of(uint32_t step) const {
    if (graph_.alone(step) || graph_.is_update(step) || graph_.unfused()) return Kind::single;
    return graph_.folds(step) ? Kind::reduce : Kind::map;
}

/// Whether a cluster that computes with a step's value can store it too.
bool Clusters::may_hold(int cluster, uint32_t step) const {
    const Kind held = clusters_[static_cast<size_t>(cluster)].kind, own = kind_of(step);
    return own != Kind::single && held != Kind::single && (own == Kind::map || held == Kind::reduce);
}

int Clusters::choose_home(uint32_t step, const std::vector<Place>& demands, std::vector<int>& loaders) {
    const auto level = [&](int cluster) { return clusters_[static_cast<size_t>(cluster)].level; };
    int home = -1;
    const bool must = !graph_.must_store(step).empty();
    for (const Place& p : demands) {
        // A kernel that reads the value at other elements too cannot be the one that stores it for them.
        const bool fits = p.in_domain && !(must && p.elsewhere) && may_hold(p.cluster, step);
        if (fits && (home < 0 || level(p.cluster) > level(home))) home = p.cluster;
    }
    const bool again = !must && graph_.cheap(step);
    const auto set_loaders = [&] {
        loaders.clear();
        for (const Place& p : demands) {
            if (p.cluster != home && !again) loaders.push_back(p.cluster);
        }
    };
    const auto least = [&] {
        int above = -1;
        for (int l : loaders) above = std::max(above, level(l));
        return above + 1;
    };
    set_loaders();
    if (home >= 0 && level(home) < least() && !raise(home, least(), loaders)) {
        home = -1;
        set_loaders();
    }
    if (home < 0) home = cluster_over(kind_of(step), graph_.domain(step), least(), loaders);
    if (again) {
        for (const Place& p : demands) {
            if (p.cluster != home) compute_in(step, p);
        }
    }
    return home;
}

int Clusters::cluster_over(Kind kind, const std::vector<ExtentId>& domain, int least_level,
                           const std::vector<int>& loaders) {
    auto& known = by_domain_[{kind, domain}];
    if (kind == Kind::single) known.clear();
    // The clusters of a domain stand in the order of making, thus mostly of level; the last are the likely
    // ones.
    for (size_t k = known.size(); k-- > 0 && known.size() - k <= 4;) {
        const int c = known[k];
        if (std::ranges::find(loaders, c) != loaders.end()) continue;
        if (clusters_[static_cast<size_t>(c)].level >= least_level || raise(c, least_level, loaders))
            return c;
    }
    const int made = static_cast<int>(clusters_.size());
    clusters_.push_back({domain, least_level, kind, {}, {}});
    known.push_back(made);
    return made;
}

bool Clusters::raise(int cluster, int level, const std::vector<int>& loaders) {
    std::map<int, int> levels{{cluster, level}};
    std::vector<int> todo{cluster};
    while (!todo.empty()) {
        const int c = todo.back();
        todo.pop_back();
        if (std::ranges::find(loaders, c) != loaders.end()) return false;
        for (int p : clusters_[static_cast<size_t>(c)].producers) {
            if (levels.size() > kMaxRaised) return false;
            int& wanted = levels.try_emplace(p, clusters_[static_cast<size_t>(p)].level).first->second;
            if (wanted > levels[c]) continue;
            wanted = levels[c] + 1;
            todo.push_back(p);
        }
    }
    for (const auto& [c, new_level] : levels) clusters_[static_cast<size_t>(c)].level = new_level;
    return true;
}

int Clusters::copy_home(const std::vector<ExtentId>& domain) {
    return cluster_over(Kind::map, domain, 0, {});
}

}  // namespace fuseline::fusion
