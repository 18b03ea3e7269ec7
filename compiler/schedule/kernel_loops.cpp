// KernelBuilder: the loops in a nest: folds, joined where they run over the same elements, holds, and the
// nest that stores a row.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/schedule/kernel_builder.h"
#include "compiler/support/errors.h"

namespace fuseline::schedule_map {

using ir::Node;
using ir::NodeId;
using ir::RegionId;
using ir::Structure;
using ir::Type;
using ir::TypeKind;
using ir::ValueId;

namespace {

/// Parts of one fold's state: each is an accumulator for every lane.
constexpr size_t kMostParts = 8;

}  // namespace

KernelBuilder::Needs KernelBuilder::needs_of(const std::vector<Ref>& roots) const {
    Needs needs;
    std::vector<bool> seen(trace_.items.size(), false);
    std::vector<Ref> todo(roots.rbegin(), roots.rend());
    while (!todo.empty()) {
        const Ref next = todo.back();
        todo.pop_back();
        if (next.item < 0 || seen[static_cast<size_t>(next.item)]) continue;
        const auto k = static_cast<size_t>(next.item);
        seen[k] = true;
        const Item& item = trace_.items[k];
        (item.space < 0 ? needs.outside : needs.inside).push_back(k);
        if (item.space < 0 || !held_[k].empty()) continue;
        todo.insert(todo.end(), item.inputs.begin(), item.inputs.end());
        todo.push_back(item.guard);
        todo.push_back(item.fill);
    }
    std::ranges::sort(needs.inside);
    std::ranges::sort(needs.outside);
    return needs;
}

/// Makes what a loop with these results uses from the nest, and the holds that begin with it.
void KernelBuilder::prepare(const std::vector<Ref>& roots, int space) {
    const Needs needs = needs_of(roots);
    for (size_t k : needs.outside) {
        if (values_[k].empty()) emit(k);
    }
    std::vector<size_t> held;
    for (size_t k : needs.inside) {
        if (trace_.items[k].held && held_[k].empty()) held.push_back(k);
    }
    if (!held.empty()) hold(held, space);
}

/// An empty region over the space's indices, where the builder then stands.
RegionId KernelBuilder::open_loop(int space) {
    const RegionId region = to_.make_region();
    for (size_t axis = 0; axis < axes_.spaces[static_cast<size_t>(space)].extents.size(); ++axis) {
        to_.region_parameter(region, {TypeKind::index, DType::i64_, {}},
                             axis < 4 ? std::string(1, "rstu"[axis]) : "");
    }
    return region;
}

void KernelBuilder::fill_loop(const std::vector<Ref>& roots) {
    for (size_t k : steps_in_order(needs_of(roots).inside)) {
        if (values_[k].empty()) emit(k);
    }
    for (Ref r : roots) {
        if (values_[static_cast<size_t>(r.item)].empty()) emit(static_cast<size_t>(r.item));
    }
}

void KernelBuilder::close_loop(RegionId around) {
    for (size_t k = 0; k < trace_.items.size(); ++k) {
        if (trace_.items[k].space >= 0) values_[k].clear();
    }
    to_.set_insertion(around);
}

ir::Loops KernelBuilder::loops(int space) {
    const Axes::Space& axes = axes_.spaces[static_cast<size_t>(space)];
    ir::Loops loops{{}, axes.mapping, 1};
    for (ExtentId e : axes.extents) loops.extents.push_back(to_.extents().import(pool_, e));
    return loops;
}

void KernelBuilder::hold(const std::vector<size_t>& items, int space) {
    std::vector<Ref> roots;
    for (size_t k : items) {
        const uint32_t count = trace_.items[k].node ? f_.node(trace_.items[k].node).results_count : 1;
        for (uint32_t r = 0; r < count; ++r) roots.push_back({static_cast<int>(k), r});
    }
    const RegionId around = to_.insertion(), region = open_loop(space);
    to_.set_insertion(region);
    fill_loop(roots);
    std::vector<ValueId> yields;
    std::vector<Type> types;
    for (Ref r : roots) {
        yields.push_back(value(r));
        types.push_back({TypeKind::held, to_.type(yields.back()).dtype, {}});
    }
    to_.set_yields(region, yields);
    close_loop(around);
    to_.set_span(f_.span(group_));
    const NodeId made = to_.node(Structure::hold_, {}, std::move(types), loops(space), {&region, 1});
    for (uint32_t k = 0; k < roots.size(); ++k) {
        const ValueId held = to_.function().result(made, k);
        to_.name_value(held, std::string(to_.function().value_name(yields[k])));
        held_[static_cast<size_t>(roots[k].item)].push_back(held);
    }
}

/// Loads an item where the loop stands.
void KernelBuilder::emit_held(size_t k) {
    const Axes::Space& axes = axes_.spaces[static_cast<size_t>(trace_.items[k].space)];
    ir::Affine at;
    ExtentId stride = pool_.constant(1);
    for (size_t axis = axes.extents.size(); axis-- > 0; stride = pool_.mul(stride, axes.extents[axis])) {
        at.terms.insert(at.terms.begin(), {static_cast<uint32_t>(axes_.extents.size() + axis), stride});
    }
    std::vector<ValueId> values;
    for (ValueId held : held_[k]) {
        const Type type{TypeKind::value, to_.type(held).dtype, {}};
        values.push_back(to_.function().result(to_.node(Structure::load_, {&held, 1}, {type}, import(at))));
        to_.name_value(values.back(), std::string(to_.function().value_name(held)));
    }
    finish_item(k, std::move(values));
}

/// The fold and those after it over the same elements that do not need what it gives.
std::vector<size_t> KernelBuilder::joined(size_t fold) const {
    std::vector<size_t> folds{fold};
    size_t parts = f_.node(trace_.items[fold].node).results_count;
    for (size_t k = 0; k < trace_.items.size(); ++k) {
        const Item& item = trace_.items[k];
        const bool like = k != fold && item.kind == ItemKind::fold && item.space < 0 && values_[k].empty() &&
                          item.over == trace_.items[fold].over && levels_[k] == levels_[fold];
        if (!like || parts + f_.node(item.node).results_count > kMostParts) continue;
        parts += f_.node(item.node).results_count;
        folds.push_back(k);
    }
    std::ranges::stable_sort(folds, {}, [&](size_t k) { return trace_.items[k].order; });
    return folds;
}

void KernelBuilder::emit_fold(size_t k) {
    const int space = trace_.items[k].over;
    const std::vector<size_t> folds = joined(k);
    std::vector<Ref> roots;
    for (size_t fold : folds) {
        const Item& item = trace_.items[fold];
        emit_inputs(item);
        roots.insert(roots.end(), item.elements.begin(), item.elements.end());
    }
    prepare(roots, space);
    const RegionId around = to_.insertion();
    const RegionId elements = open_loop(space), combined = combine(folds);
    to_.set_insertion(elements);
    fill_loop(roots);
    std::vector<ValueId> yields, identities;
    for (Ref r : roots) yields.push_back(value(r));
    to_.set_yields(elements, std::move(yields));
    close_loop(around);
    std::vector<Type> types;
    for (size_t fold : folds) {
        const Item& item = trace_.items[fold];
        for (uint32_t r = 0; r < f_.node(item.node).results_count; ++r) {
            identities.push_back(value(item.inputs[r]));
            types.push_back({TypeKind::value, to_.type(identities.back()).dtype, {}});
        }
    }
    to_.set_span(f_.span(trace_.items[k].node));
    const RegionId regions[] = {elements, combined};
    const NodeId made = to_.node(Structure::fold_, identities, std::move(types), loops(space), regions);
    uint32_t part = 0;
    for (size_t fold : folds) {
        std::vector<ValueId> values;
        const NodeId node = trace_.items[fold].node;
        for (uint32_t r = 0; r < f_.node(node).results_count; ++r) {
            values.push_back(to_.function().result(made, part++));
            to_.name_value(values.back(), f_.value_name(f_.result(node, r)));
        }
        finish_item(fold, std::move(values));
    }
}

/// The region that combines two states of folds side by side.
RegionId KernelBuilder::combine(const std::vector<size_t>& folds) {
    const RegionId region = to_.make_region(), around = to_.insertion();
    std::vector<ValueId> yields;
    for (uint32_t side = 0; side < 2; ++side) {
        for (size_t fold : folds) {
            const Node& n = f_.node(trace_.items[fold].node);
            const auto& parameters = f_.region(f_.region_of(n, 0)).parameters;
            for (uint32_t r = 0; r < n.results_count; ++r) {
                const ValueId p = parameters[side * n.results_count + r];
                const Type type{TypeKind::value, f_.type(p).dtype, {}};
                cloner_.map(p, to_.region_parameter(region, type, f_.value_name(p)));
            }
        }
    }
    to_.set_insertion(region);
    for (size_t fold : folds) {
        const Item& item = trace_.items[fold];
        const std::vector<ValueId> inputs = ir::inputs_of(f_, item.node);
        const size_t arrays = f_.operands(item.node).size() / 2;
        for (size_t k = arrays; k < inputs.size(); ++k)
            cloner_.map(inputs[k], value(item.inputs[k - arrays]));
        const std::vector<ValueId> one = cloner_.inline_region(f_.region_of(f_.node(item.node), 0));
        yields.insert(yields.end(), one.begin(), one.end());
    }
    to_.set_yields(region, std::move(yields));
    to_.set_insertion(around);
    return region;
}

void KernelBuilder::inner_nest(const std::vector<size_t>& outputs) {
    std::vector<Ref> roots;
    for (size_t k : outputs) roots.push_back(trace_.outputs[k].value);
    const int space = trace_.outputs[outputs.front()].space;
    prepare(roots, space);
    const RegionId around = to_.insertion(), region = open_loop(space);
    to_.set_insertion(region);
    fill_loop(roots);
    for (size_t k : outputs) store(k);
    close_loop(around);
    to_.set_span(f_.span(group_));
    to_.node(Structure::nest_, {}, {}, loops(space), {&region, 1});
}

void KernelBuilder::store(size_t output) {
    const ValueId operands[] = {writes_[output], value(trace_.outputs[output].value)};
    to_.set_span(f_.span(group_));
    to_.node(Structure::store_, operands, {}, import(trace_.outputs[output].place));
}

}  // namespace fuseline::schedule_map
