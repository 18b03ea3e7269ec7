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
        const std::vector<NodeId> order = ir::nodes_in_order(f, f.body());
        find_scalar_regions(order);
        for (size_t k = order.size(); k-- > 0;) {
            const Node& n = f.node(order[k]);
            if (n.op.is(Structure::if_) && !scalar_[n.parent.index]) flat_[order[k].index] = decide(order[k]);
        }
    }
    bool any() const { return std::ranges::find(flat_, true) != flat_.end(); }
    bool flat(NodeId id) const { return flat_[id.index]; }

private:
    void find_scalar_regions(const std::vector<NodeId>& order) {
        scalar_.assign(f_.region_count(), false);
        for (NodeId id : order) {
            const Node& n = f_.node(id);
            const bool scalar = n.op.is(Structure::apply_) || n.op.is(Structure::reduce_);
            for (uint32_t k = 0; k < n.regions_count; ++k)
                scalar_[n.regions_begin + k] = scalar || scalar_[n.parent.index];
        }
    }

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
    std::vector<bool> flat_, scalar_;
    std::vector<size_t> size_;
};

/// A node whose regions are being copied: into regions of its own, or, where `to` is empty, in its place.
struct Open {
    NodeId from;
    RegionId outer;
    std::vector<RegionId> to;
    uint32_t region = 0;
    size_t position = 0;
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
            Open& o = open_.back();
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
        Open o{id, to_.insertion(), {}};
        if (!flat_.flat(id)) {
            for (uint32_t k = 0; k < n.regions_count; ++k) o.to.push_back(to_.make_region());
            for (uint32_t k = 0; k < n.regions_count; ++k) {
                for (ValueId p : f_.region(f_.region_of(n, k)).parameters)
                    cloner_.map(p, to_.region_parameter(o.to[k], cloner_.type(f_.type(p)), f_.value_name(p)));
            }
            to_.set_insertion(o.to[0]);
        }
        open_.push_back(std::move(o));
    }

    void close() {
        Open& o = open_.back();
        const Node& n = f_.node(o.from);
        if (!o.to.empty())
            to_.set_yields(o.to[o.region], cloner_.values(f_.region(f_.region_of(n, o.region)).yields));
        o.position = 0;
        if (++o.region < n.regions_count) {
            if (!o.to.empty()) to_.set_insertion(o.to[o.region]);
            return;
        }
        const Open done = std::move(o);
        open_.pop_back();
        to_.set_insertion(done.outer);
        to_.set_span(f_.span(done.from));
        done.to.empty() ? choose(done.from) : copy(done);
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

    void copy(const Open& done) {
        const Node& n = f_.node(done.from);
        std::vector<ir::Type> types;
        for (uint32_t k = 0; k < n.results_count; ++k)
            types.push_back(cloner_.type(f_.type(f_.result(done.from, k))));
        const NodeId made = to_.node(n.op, cloner_.values(f_.operands(n)), std::move(types),
                                     cloner_.attribute(n.attribute), done.to);
        for (uint32_t k = 0; k < n.results_count; ++k) {
            const ValueId result = to_.function().result(made, k);
            cloner_.map(f_.result(done.from, k), result);
            to_.name_value(result, f_.value_name(f_.result(done.from, k)));
        }
    }

    const Function& f_;
    const Flat& flat_;
    ir::Builder to_;
    ir::Cloner cloner_;
    std::vector<Open> open_;
};

}  // namespace

std::optional<Function> pass_flatten(const Function& graph, PassContext&) {
    const Flat flat(graph);
    if (!flat.any()) return std::nullopt;
    return Flattener(graph, flat).run();
}

}  // namespace fuseline
