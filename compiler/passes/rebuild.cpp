// rebuild: an explicit stack of open regions, so that depth costs no machine stack.
#include "compiler/passes/rebuild.h"

#include "compiler/support/errors.h"

namespace fuseline {

using ir::Builder;
using ir::Function;
using ir::Node;
using ir::NodeId;
using ir::RegionId;
using ir::ValueId;

namespace {

class Rebuilder {
public:
    Rebuilder(const Function& from, NodeRewrite& rewrite)
        : from_(from), rewrite_(rewrite), to_(from.form, from.name), cloner_(from, to_) {}

    Function run();
    bool changed() const { return changed_; }

private:
    void visit(NodeId id);
    void open(NodeId id);
    void close();
    NodeId copy(NodeId id, std::span<const RegionId> regions);
    void map_result(ValueId from, ValueId to);
    std::vector<ValueId> mapped(std::span<const ValueId> values) const {
        std::vector<ValueId> out;
        for (ValueId v : values) out.push_back(cloner_.value(v));
        return out;
    }

    const Function& from_;
    NodeRewrite& rewrite_;
    Builder to_;
    ir::Cloner cloner_;
    std::vector<ir::OpenCopy> open_;
    bool changed_ = false;
};

void Rebuilder::map_result(ValueId from, ValueId to) {
    cloner_.map(from, to);
    to_.name_value(to, from_.value_name(from));
}

NodeId Rebuilder::copy(NodeId id, std::span<const RegionId> regions) {
    const Node& n = from_.node(id);
    std::vector<ir::Type> types;
    for (uint32_t k = 0; k < n.results_count; ++k)
        types.push_back(cloner_.type(from_.type(from_.result(id, k))));
    ir::Attribute attribute = cloner_.attribute(n.attribute);
    rewrite_.change(to_, attribute);
    const NodeId made =
        to_.node(n.op, mapped(from_.operands(n)), std::move(types), std::move(attribute), regions);
    for (uint32_t k = 0; k < n.results_count; ++k)
        map_result(from_.result(id, k), to_.function().result(made, k));
    return made;
}

void Rebuilder::visit(NodeId id) {
    if (!rewrite_.keep(id)) {
        changed_ = true;
        return;
    }
    const Node& n = from_.node(id);
    if (n.regions_count != 0) return open(id);
    to_.set_span(from_.span(id));
    if (n.results_count == 1) {
        const auto operands = mapped(from_.operands(n));
        if (const auto value = rewrite_.rewrite(to_, id, operands, cloner_.attribute(n.attribute))) {
            require(to_.type(*value) == cloner_.type(from_.type(from_.result(id))),
                    "a rewrite changed a value's type");
            changed_ = true;
            return map_result(from_.result(id), *value);
        }
    }
    copy(id, {});
}

void Rebuilder::open(NodeId id) {
    open_.push_back(cloner_.open(id));
    to_.set_insertion(open_.back().to[0]);
}

void Rebuilder::close() {
    ir::OpenCopy& o = open_.back();
    const RegionId region = from_.region_of(from_.node(o.from), o.region);
    to_.set_yields(o.to[o.region], mapped(from_.region(region).yields));
    o.position = 0;
    if (++o.region < o.to.size()) return to_.set_insertion(o.to[o.region]);
    const ir::OpenCopy done = std::move(o);
    open_.pop_back();
    to_.set_insertion(done.outer);
    to_.set_span(from_.span(done.from));
    copy(done.from, done.to);
}

Function Rebuilder::run() {
    cloner_.parameters();
    const ir::Region& body = from_.region(from_.body());
    size_t position = 0;
    while (!open_.empty() || position < body.nodes.size()) {
        if (open_.empty()) {
            visit(body.nodes[position++]);
            continue;
        }
        ir::OpenCopy& o = open_.back();
        const auto& nodes = from_.region(from_.region_of(from_.node(o.from), o.region)).nodes;
        if (o.position < nodes.size()) {
            visit(nodes[o.position++]);
        } else {
            close();
        }
    }
    Function result = to_.finish(mapped(body.yields), from_.result_names);
    copy_header(from_, result);
    changed_ = changed_ || result.node_count() != from_.node_count();
    return result;
}

}  // namespace

void copy_header(const Function& from, Function& to) {
    to.form = from.form;
    to.name = from.name;
    to.parameter_names = from.parameter_names;
    to.result_names = from.result_names;
    to.options = from.options;
    to.sizes = from.sizes;
    to.schedule = from.schedule;
    to.index_bits = from.index_bits;
}

std::optional<Function> rebuild(const Function& from, NodeRewrite& rewrite) {
    Rebuilder r(from, rewrite);
    Function result = r.run();
    if (!r.changed()) return std::nullopt;
    return result;
}

Function rebuild_always(const Function& from, NodeRewrite& rewrite) { return Rebuilder(from, rewrite).run(); }

}  // namespace fuseline
