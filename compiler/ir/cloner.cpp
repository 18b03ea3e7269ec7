// Cloner: copies nodes of one function into the builder of another.
#include "compiler/ir/ir.h"
#include "compiler/support/errors.h"

namespace fuseline::ir {

ValueId Cloner::value(ValueId from) const {
    const auto found = values_.find(from.index);
    require(found != values_.end(), "ir::Cloner: a value is used that has not been mapped");
    return found->second;
}

ExtentId Cloner::extent(ExtentId e) {
    const auto [at, added] = extents_.try_emplace(e.index);
    if (added) at->second = to_->extents().import(from_->extents, e);
    return at->second;
}

Type Cloner::type(const Type& t) {
    Type copy{t.kind, t.dtype, {}};
    copy.shape.reserve(t.shape.size());
    for (ExtentId e : t.shape) copy.shape.push_back(extent(e));
    return copy;
}

Affine Cloner::affine(const Affine& a) {
    Affine copy{extent(a.offset), {}};
    copy.terms.reserve(a.terms.size());
    for (const Affine::Term& t : a.terms) copy.terms.push_back({t.axis, extent(t.coefficient)});
    return copy;
}

Attribute Cloner::attribute(const Attribute& a) {
    Attribute copy = a;
    if (auto* e = std::get_if<ExtentId>(&copy)) *e = extent(*e);
    if (auto* one = std::get_if<Affine>(&copy)) *one = affine(*one);
    if (auto* map = std::get_if<IndexMap>(&copy)) {
        for (Affine& one : *map) one = affine(one);
    }
    if (auto* check = std::get_if<Check>(&copy)) {
        check->left = extent(check->left);
        check->right = extent(check->right);
    }
    if (auto* loops = std::get_if<Loops>(&copy)) {
        for (ExtentId& e : loops->extents) e = extent(e);
    }
    if (auto* steps = std::get_if<Iteration>(&copy); steps != nullptr && steps->bounded()) {
        for (ExtentId* e : {&steps->start, &steps->stop, &steps->step}) *e = extent(*e);
    }
    if (auto* launch = std::get_if<Launch>(&copy)) {
        for (auto& [symbol, size] : launch->sizes) size = extent(size);
    }
    return copy;
}

OpenCopy Cloner::open(NodeId id) {
    const Node& n = from_->node(id);
    OpenCopy o{id, to_->insertion(), {}};
    for (uint32_t k = 0; k < n.regions_count; ++k) o.to.push_back(to_->make_region());
    for (uint32_t k = 0; k < n.regions_count; ++k) {
        for (ValueId p : from_->region(from_->region_of(n, k)).parameters) {
            map(p, to_->region_parameter(o.to[k], type(from_->type(p)), from_->value_name(p)));
        }
    }
    return o;
}

std::vector<ValueId> Cloner::values(std::span<const ValueId> from) const {
    std::vector<ValueId> mapped;
    mapped.reserve(from.size());
    for (ValueId v : from) mapped.push_back(value(v));
    return mapped;
}

NodeId Cloner::copy(NodeId id, std::span<const ValueId> operands, std::span<const RegionId> regions) {
    const Node& n = from_->node(id);
    std::vector<Type> types;
    for (uint32_t k = 0; k < n.results_count; ++k) types.push_back(type(from_->type(from_->result(id, k))));
    const Span outer_span = to_->current_span();
    to_->set_span(from_->span(id));
    const NodeId copy = to_->node(n.op, operands, std::move(types), attribute(n.attribute), regions);
    to_->set_span(outer_span);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId result = to_->function().result(copy, k);
        map(from_->result(id, k), result);
        to_->name_value(result, from_->value_name(from_->result(id, k)));
    }
    return copy;
}

NodeId Cloner::node(NodeId root) {
    std::vector<OpenCopy> open_copies{open(root)};
    for (;;) {
        OpenCopy& o = open_copies.back();
        if (o.region == o.to.size()) {
            to_->set_insertion(o.outer);
            const NodeId made = copy(o.from, values(from_->operands(o.from)), o.to);
            open_copies.pop_back();
            if (open_copies.empty()) return made;
            continue;
        }
        const Region& region = from_->region(from_->region_of(from_->node(o.from), o.region));
        to_->set_insertion(o.to[o.region]);
        if (o.position < region.nodes.size()) {
            open_copies.push_back(open(region.nodes[o.position++]));
        } else {
            to_->set_yields(o.to[o.region], values(region.yields));
            ++o.region;
            o.position = 0;
        }
    }
}

void Cloner::parameters() {
    const Region& body = from_->region(from_->body());
    for (size_t k = 0; k < body.parameters.size(); ++k) {
        const ValueId p = body.parameters[k];
        const std::string name =
            k < from_->parameter_names.size() ? from_->parameter_names[k] : std::string();
        map(p, to_->parameter(name, type(from_->type(p))));
    }
}

std::vector<ValueId> Cloner::inline_region(RegionId region) {
    for (NodeId id : from_->region(region).nodes) node(id);
    return values(from_->region(region).yields);
}

}  // namespace fuseline::ir
