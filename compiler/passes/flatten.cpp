// flatten: a branch over arrays whose sides are a few elementwise operations on the shapes of its results is
// computed on both sides, so that it fuses and the host need not wait for its condition.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rebuild.h"

namespace fuseline {
namespace {

using ir::Function;
using ir::Node;
using ir::NodeId;
using ir::RegionId;
using ir::Structure;
using ir::ValueId;

/// Nodes of both sides together.
constexpr size_t kMostNodes = 64;

/// The branches to flatten: known from the inside out.
class Flat {
public:
    explicit Flat(const Function& f) : f_(f), flat_(f.node_count(), false), size_(f.node_count(), 0) {
        const std::vector<bool> scalar = ir::scalar_regions(f);
        const std::vector<NodeId> order = ir::nodes_in_order(f, f.body());
        for (size_t k = order.size(); k-- > 0;) {
            const Node& n = f.node(order[k]);
            if (n.op.is(Structure::if_) && !scalar[n.parent.index]) flat_[order[k].index] = decide(order[k]);
        }
    }
    bool any() const { return std::ranges::find(flat_, true) != flat_.end(); }
    bool flat(NodeId id) const { return flat_[id.index]; }

private:
    /// Sizes that only one side needs may have no value on the other: no new shapes, no checks.
    bool cheap(NodeId id, const std::vector<ir::Type>& results) const {
        const Node& n = f_.node(id);
        const ir::Type& type = f_.type(f_.result(id));
        const bool known = type.scalar() || std::ranges::any_of(results, [&](const ir::Type& t) {
                               return t.shape == type.shape;
                           });
        if (!known) return false;
        if (n.op.is(Structure::if_)) return flat_[id.index];
        return n.op.elementwise() || n.op.is(Structure::constant_) || n.op.is(Structure::index_) ||
               n.op.is(Structure::view_) || n.op.is(Structure::window_);
    }

    bool decide(NodeId id) {
        const Node& n = f_.node(id);
        std::vector<ir::Type> results;
        for (uint32_t k = 0; k < n.results_count; ++k) results.push_back(f_.type(f_.result(id, k)));
        size_t count = n.results_count;
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            for (NodeId inner : f_.region(f_.region_of(n, k)).nodes) {
                if (f_.node(inner).results_count == 0 || !cheap(inner, results)) return false;
                count += 1 + size_[inner.index];
            }
        }
        size_[id.index] = count;
        return count <= kMostNodes;
    }

    const Function& f_;
    std::vector<bool> flat_;
    std::vector<size_t> size_;
};

class Flattener {
public:
    Flattener(const Function& f, const Flat& flat)
        : f_(f), flat_(flat), to_(f.form, f.name), cloner_(f, to_) {}

    Function run() {
        cloner_.parameters();
        const ir::Region& body = f_.region(f_.body());
        size_t position = 0;
        while (!open_.empty() || position < body.nodes.size()) {
            if (open_.empty()) {
                visit(body.nodes[position++]);
                continue;
            }
            ir::OpenCopy& o = open_.back();
            const auto& nodes = f_.region(f_.region_of(f_.node(o.from), o.region)).nodes;
            o.position < nodes.size() ? visit(nodes[o.position++]) : close();
        }
        Function result = to_.finish(cloner_.values(body.yields), f_.result_names);
        copy_header(f_, result);
        return result;
    }

private:
    void visit(NodeId id) {
        const Node& n = f_.node(id);
        const bool branch = n.op.is(Structure::if_) || n.op.is(Structure::loop_);
        if (!branch) return static_cast<void>(cloner_.node(id));
        // The regions of a flat branch are copied in its place.
        const bool flat = flat_.flat(id);
        open_.push_back(flat ? ir::OpenCopy{id, to_.insertion(), {}} : cloner_.open(id));
        if (!flat) to_.set_insertion(open_.back().to[0]);
    }

    void close() {
        ir::OpenCopy& o = open_.back();
        const Node& n = f_.node(o.from);
        if (!o.to.empty())
            to_.set_yields(o.to[o.region], cloner_.values(f_.region(f_.region_of(n, o.region)).yields));
        o.position = 0;
        if (++o.region < n.regions_count) {
            if (!o.to.empty()) to_.set_insertion(o.to[o.region]);
            return;
        }
        const ir::OpenCopy done = std::move(o);
        open_.pop_back();
        to_.set_insertion(done.outer);
        if (!done.to.empty()) {
            cloner_.copy(done.from, cloner_.values(f_.operands(done.from)), done.to);
            return;
        }
        to_.set_span(f_.span(done.from));
        choose(done.from);
    }

    void choose(NodeId id) {
        const Node& n = f_.node(id);
        const auto &yes = f_.region(f_.region_of(n, 0)).yields, &no = f_.region(f_.region_of(n, 1)).yields;
        for (uint32_t k = 0; k < n.results_count; ++k) {
            const ValueId result = f_.result(id, k);
            const ValueId operands[] = {cloner_.value(f_.operands(n)[0]), cloner_.value(yes[k]),
                                        cloner_.value(no[k])};
            const ValueId chosen = operands[1] == operands[2]
                                       ? operands[1]
                                       : to_.elementwise(OpId::where_, operands, f_.type(result).dtype);
            cloner_.map(result, chosen);
            to_.name_value(chosen, f_.value_name(result));
        }
    }

    const Function& f_;
    const Flat& flat_;
    ir::Builder to_;
    ir::Cloner cloner_;
    std::vector<ir::OpenCopy> open_;
};

}  // namespace

std::optional<Function> pass_flatten(const Function& graph, PassContext&) {
    const Flat flat(graph);
    if (!flat.any()) return std::nullopt;
    return Flattener(graph, flat).run();
}

}  // namespace fuseline
