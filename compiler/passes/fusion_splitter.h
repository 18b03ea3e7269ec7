// Cuts one cluster, in program order, into segments that keep the budgets.
#pragma once

#include <set>
#include <unordered_map>

#include "compiler/passes/fusion_groups.h"

namespace fuseline::fusion {

/// A range [begin, end) of a cluster's members in ascending order, and why it ends there ("" at the end of
/// the cluster).
struct Segment {
    size_t begin = 0, end = 0;
    std::string budget;
};

/// The members of one cluster and what a cut between them costs.
class Splitter {
public:
    Splitter(const Graph& graph, const Clusters& clusters, int cluster, const Budget& budget);

    const std::vector<uint32_t>& members() const { return members_; }
    std::vector<Segment> segments();

    /// Position of a step among the members; -1 where it is none.
    int position(uint32_t step) const;
    /// The last member that uses the step's value and cannot compute it again; -1 for none.
    int last_use(size_t position) const { return last_use_[position]; }
    /// The steps of [begin, end) needed to compute `outputs`, and cheap ones from before, ascending.
    std::vector<uint32_t> closure(const std::vector<uint32_t>& outputs, size_t begin) const;

private:
    /// What a segment would hold so far.
    struct Load {
        std::set<uint32_t> values;
        std::unordered_set<uint32_t> again;
        uint64_t nodes = 0, parameter_bytes = 0;
        /// crossing[k]: weighted values of the segment's first k members that are used behind them.
        std::vector<uint32_t> crossing{0};
    };
    void add(Load& load, size_t position, size_t begin) const;
    void add_input(Load& load, ir::ValueId v, size_t begin) const;
    uint32_t crossing_weight(size_t position) const;
    std::string exceeded(const Load& load) const;
    Segment next(size_t begin) const;

    const Graph& graph_;
    const Clusters& clusters_;
    int cluster_;
    Budget budget_;
    std::vector<uint32_t> members_;
    std::unordered_map<uint32_t, int> position_;
    std::vector<int> last_use_;
    std::vector<std::vector<size_t>> ends_;  ///< ends_[p]: members whose last use is p
};

}  // namespace fuseline::fusion
