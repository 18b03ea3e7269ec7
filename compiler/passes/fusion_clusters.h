// Which steps are computed together: clusters over one domain, without limits on their size yet.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "compiler/passes/fusion_graph.h"

namespace fuseline::fusion {

/// map: all elements alike; reduce: values of folds at each element; single: one step that shares its place
/// with no other output (an update, or what is no part of a kernel).
enum class Kind : uint8_t { map, reduce, single };

/// Steps that one loop nest over `domain` computes. A cluster runs after every cluster of a higher level.
struct Cluster {
    std::vector<ExtentId> domain;
    int level = 0;
    Kind kind = Kind::map;
    std::vector<uint32_t> members;  ///< steps, descending
    std::vector<int> producers;     ///< clusters whose stored values it loads
};

/// A step's place in a cluster: computed at the element that the nest stands at, at mapped ones, or at both.
struct Place {
    int cluster = -1;
    bool in_domain = false;
    bool elsewhere = false;
};

/// Walks the steps from the results backward. Producers go into the clusters of their consumers; results over
/// one domain share a cluster; a value with two consumers is computed in each when it is cheap, else stored
/// by one.
class Clusters {
public:
    explicit Clusters(const Graph& graph);

    const std::vector<Cluster>& all() const { return clusters_; }
    const std::vector<Place>& places(uint32_t step) const { return places_[step]; }
    const Place* place_in(uint32_t step, int cluster) const;
    /// The cluster that stores a step's results; -1 for a step that is never stored.
    int home(uint32_t step) const { return home_[step]; }
    /// Why a step's value is stored for other kernels; "" when it is not.
    const Reason& reason(uint32_t step) const { return reason_[step]; }
    /// The cluster that copies a result which is no step (a parameter, a host value).
    int copy_home(const std::vector<ExtentId>& domain);

private:
    void place(uint32_t step);
    std::vector<Place> demands(uint32_t step) const;
    void compute_in(uint32_t step, const Place& place);
    void store(uint32_t step, const std::vector<Place>& demands, Reason reason);
    int choose_home(uint32_t step, const std::vector<Place>& demands, std::vector<int>& loaders);
    int cluster_over(Kind kind, const std::vector<ExtentId>& domain, int least_level,
                     const std::vector<int>& loaders);
    Kind kind_of(uint32_t step) const;
    bool may_hold(int cluster, uint32_t step) const;
    bool raise(int cluster, int level, const std::vector<int>& loaders);

    const Graph& graph_;
    std::vector<bool> result_;
    std::vector<Cluster> clusters_;
    std::vector<std::vector<Place>> places_;
    std::vector<int> home_;
    std::vector<Reason> reason_;
    std::map<std::pair<Kind, std::vector<ExtentId>>, std::vector<int>> by_domain_;
};

}  // namespace fuseline::fusion
