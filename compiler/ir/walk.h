// Visiting orders and content of functions, shared by printer, verifier and passes.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline::ir {

/// All nodes of a region, each before the nodes of its own regions, in the order of the text form.
std::vector<NodeId> nodes_in_order(const Function& function, RegionId region);

/// By region: whether it computes scalars, in an `apply`, a `reduce` or below; the others of a graph hold
/// arrays.
std::vector<bool> scalar_regions(const Function& function);

/// True for a rank-0 value that the host knows: a parameter of the graph or a function of sizes. What loops
/// carry, branches give and groups compute stands in memory.
bool passed_by_value(const Function& function, ValueId value);

/// Operands of a node, as they stand, and values that its regions use from outside, each once.
std::vector<ValueId> inputs_of(const Function& function, NodeId node);

/// Calls `visit(ExtentId)` for every size in an attribute, in the order of the text form.
template <typename Visit>
void for_each_extent(const Attribute& attribute, Visit visit) {
    const auto affine = [&](const Affine& a) {
        for (const Affine::Term& t : a.terms) visit(t.coefficient);
        visit(a.offset);
    };
    if (const auto* e = std::get_if<ExtentId>(&attribute)) visit(*e);
    if (const auto* a = std::get_if<Affine>(&attribute)) affine(*a);
    if (const auto* map = std::get_if<IndexMap>(&attribute)) {
        for (const Affine& a : *map) affine(a);
    }
    if (const auto* check = std::get_if<Check>(&attribute)) {
        visit(check->left);
        visit(check->right);
    }
    if (const auto* loops = std::get_if<Loops>(&attribute)) {
        for (ExtentId e : loops->extents) visit(e);
    }
    if (const auto* steps = std::get_if<Iteration>(&attribute); steps != nullptr && steps->bounded()) {
        visit(steps->start);
        visit(steps->stop);
        visit(steps->step);
    }
    if (const auto* launch = std::get_if<Launch>(&attribute)) {
        for (const auto& [symbol, size] : launch->sizes) visit(size);
    }
}

/// Calls `visit(ExtentId)` for every size in a function: types and attributes, in the order of the text form.
template <typename Visit>
void for_each_extent(const Function& function, Visit visit) {
    const auto type = [&](ValueId v) {
        for (ExtentId e : function.type(v).shape) visit(e);
    };
    for (ValueId p : function.region(function.body()).parameters) type(p);
    for (NodeId id : nodes_in_order(function, function.body())) {
        const Node& n = function.node(id);
        for_each_extent(n.attribute, visit);
        for (uint32_t k = 0; k < n.results_count; ++k) type(function.result(id, k));
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            for (ValueId p : function.region(function.region_of(n, k)).parameters) type(p);
        }
    }
}

}  // namespace fuseline::ir
