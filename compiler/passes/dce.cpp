// dce: drops pure nodes that no yield needs, in scalar regions too.
#include <vector>

#include "compiler/ir/walk.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rebuild.h"

namespace fuseline {
namespace {

/// Marks what the yields need. The yields of a live node's regions are needed with it.
class KeepLive : public NodeRewrite {
public:
    explicit KeepLive(const ir::Function& f) : f_(f), live_(f.node_count(), false) {
        for (ir::NodeId id : ir::nodes_in_order(f, f.body())) {
            if (f.node(id).op.pure()) continue;
            // An effect keeps the loops and branches around it.
            for (ir::NodeId at = id; at; at = f.region(f.node(at).parent).owner) mark(at);
        }
        mark(f.region(f.body()).yields);
        while (!work_.empty()) {
            const ir::Node& n = f.node(work_.back());
            work_.pop_back();
            mark(f.operands(n));
            for (uint32_t k = 0; k < n.regions_count; ++k) mark(f.region(f.region_of(n, k)).yields);
        }
    }
    bool keep(ir::NodeId id) override { return live_[id.index]; }

private:
    void mark(ir::NodeId id) {
        if (!id || live_[id.index]) return;
        live_[id.index] = true;
        work_.push_back(id);
    }
    void mark(std::span<const ir::ValueId> values) {
        for (ir::ValueId v : values) mark(f_.value(v).definition);
    }

    const ir::Function& f_;
    std::vector<bool> live_;
    std::vector<ir::NodeId> work_;
};

}  // namespace

std::optional<ir::Function> pass_dce(const ir::Function& graph, PassContext&) {
    KeepLive live(graph);
    return rebuild(graph, live);
}

}  // namespace fuseline
