// Groups that need no kernel: exact scalar work on values of the host, for which only control flow asks.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// The conditions of a fused graph that the host computes, so that it need not wait for a device.
class HostConditions {
public:
    explicit HostConditions(const ir::Function& fused);
    /// Whether the plan computes a group's results as host scalars.
    bool on_host(ir::NodeId group) const { return on_host_[group.index]; }

private:
    void find_conditions();
    bool decide(ir::NodeId group) const;

    const ir::Function& f_;
    std::vector<bool> condition_;  ///< values that branches, loops and assertions alone use
    std::vector<bool> on_host_;
};

}  // namespace fuseline
