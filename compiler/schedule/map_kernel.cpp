// Builds the kernel of a trace: loop-invariant scalars, then the nest with loads at their first use, folds
// and, at its end, stores.
#include "compiler/schedule/map_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/passes/rows_phases.h"
#include "compiler/schedule/kernel_builder.h"
#include "compiler/schedule/kernel_sizes.h"

namespace fuseline::schedule_map {

using ir::Function;
using ir::NodeId;
using ir::RegionId;
using ir::Structure;
using ir::TypeKind;
using ir::ValueId;

KernelBuilder::KernelBuilder(const Function& f, NodeId group, Trace trace, Axes axes, ExtentPool& pool)
    : f_(f),
      group_(group),
      trace_(std::move(trace)),
      axes_(std::move(axes)),
      pool_(pool),
      to_(ir::Form::kernel),
      cloner_(f, to_),
      values_(trace_.items.size()),
      held_(trace_.items.size()) {}

std::string KernelBuilder::unique(std::string_view wanted) {
    std::string name(wanted);
    // Numbers go on from the last one tried, so that many equal names cost one try each.
    int& last = tried_[name];
    while (!names_.insert(name).second) name = fmt::format("{}_{}", wanted, ++last);
    return name;
}

void KernelBuilder::parameters(const std::vector<std::string>& names) {
    const auto operands = f_.operands(group_);
    std::vector<bool> read(operands.size(), false), scalar(operands.size(), false);
    for (const Item& item : trace_.items) {
        if (item.kind == ItemKind::load || item.kind == ItemKind::gather) read[item.operand] = true;
        if (item.kind == ItemKind::scalar) scalar[item.operand] = true;
    }
    operand_values_.resize(operands.size());
    const auto add = [&](uint32_t k, TypeKind kind, std::string_view fallback) {
        const std::string_view name = f_.value_name(operands[k]);
        const std::string chosen = unique(name.empty() ? fallback : name);
        operand_values_[k] = to_.parameter(chosen, {kind, f_.type(operands[k]).dtype, {}});
    };
    for (uint32_t k = 0; k < operands.size(); ++k) {
        if (!read[k]) continue;
        add(k, TypeKind::read_buffer, "x");
        result_.reads.push_back(k);
    }
    for (uint32_t k = 0; k < trace_.outputs.size(); ++k) {
        const DType dtype = f_.type(f_.result(group_, k)).dtype;
        writes_.push_back(
            to_.parameter(unique(names[k].empty() ? "out" : names[k]), {TypeKind::write_buffer, dtype, {}}));
        result_.writes.push_back(k);
    }
    for (uint32_t k = 0; k < operands.size(); ++k) {
        if (!scalar[k]) continue;
        add(k, TypeKind::value, "scalar");
        result_.scalars.push_back(k);
    }
}

void KernelBuilder::find_levels() {
    levels_.assign(trace_.items.size(), 0);
    for (size_t k = 0; k < trace_.items.size(); ++k) {
        const Item& item = trace_.items[k];
        const auto see = [&](Ref r, int above) {
            if (r.item >= 0) levels_[k] = std::max(levels_[k], levels_[static_cast<size_t>(r.item)] + above);
        };
        const int own = item.kind == ItemKind::fold ? 1 : 0;
        for (Ref r : item.elements) see(r, own);
        for (Ref r : item.inputs) see(r, own);
        see(item.guard, 0);
        see(item.fill, 0);
        levels_[k] = std::max(levels_[k], own);
    }
}

/// Those that are nodes of the group, in its order; what else they need comes with them.
std::vector<size_t> KernelBuilder::steps_in_order(std::vector<size_t> items) const {
    std::erase_if(items, [&](size_t k) {
        const ItemKind kind = trace_.items[k].kind;
        return kind != ItemKind::step && kind != ItemKind::choice && kind != ItemKind::fold;
    });
    std::ranges::stable_sort(items, {}, [&](size_t k) { return std::pair(trace_.items[k].order, k); });
    return items;
}

void KernelBuilder::invariants() {
    std::vector<size_t> all(trace_.items.size());
    std::iota(all.begin(), all.end(), size_t{0});
    for (size_t k : steps_in_order(std::move(all))) {
        if (trace_.items[k].invariant) emit(k);
    }
}

void KernelBuilder::stores() {
    std::vector<size_t> inner;
    for (size_t k = 0; k < trace_.outputs.size(); ++k) {
        const Output& output = trace_.outputs[k];
        if (trace_.rows && output.space >= 0) {
            inner.push_back(k);
        } else {
            const auto item = static_cast<size_t>(output.value.item);
            if (values_[item].empty()) emit(item);
            store(k);
        }
    }
    if (!inner.empty()) inner_nest(inner);
}

void KernelBuilder::nest() {
    const RegionId region = to_.make_region();
    for (size_t axis = 0; axis < axes_.extents.size(); ++axis) {
        to_.region_parameter(region, {TypeKind::index, DType::i64_, {}},
                             axis < 6 ? std::string(1, "ijklmn"[axis]) : "");
    }
    to_.set_insertion(region);
    std::vector<size_t> all(trace_.items.size());
    std::iota(all.begin(), all.end(), size_t{0});
    for (size_t k : steps_in_order(std::move(all))) {
        if (values_[k].empty() && trace_.items[k].space < 0) emit(k);
    }
    stores();
    to_.set_insertion(to_.function().body());
    to_.set_span(f_.span(group_));
    ir::Loops loops{{}, ir::Mapping::grid, axes_.lanes};
    for (ExtentId e : axes_.extents) loops.extents.push_back(to_.extents().import(pool_, e));
    to_.node(Structure::nest_, {}, {}, loops, {&region, 1});
}

MapKernel KernelBuilder::run(const std::vector<std::string>& names) {
    find_levels();
    parameters(names);
    invariants();
    nest();
    Function kernel = to_.finish({}, {});
    kernel.options = f_.options;
    kernel.schedule = std::get<std::string>(f_.node(group_).attribute);
    result_.updated = trace_.updated;
    result_.kernel = name_sizes(kernel, names_, pool_, result_.sizes);
    return std::move(result_);
}

namespace {

int widest_element(const Function& f, NodeId group, const Trace& trace) {
    int widest = 1;
    for (const Item& item : trace.items) {
        if (item.kind == ItemKind::load || item.kind == ItemKind::gather) {
            widest = std::max(widest, byte_size(f.type(f.operands(group)[item.operand]).dtype));
        }
    }
    for (uint32_t k = 0; k < trace.outputs.size(); ++k) {
        widest = std::max(widest, byte_size(f.type(f.result(group, k)).dtype));
    }
    return widest;
}

/// What a rows kernel keeps of its row.
std::set<ValueId> held_values(const Function& f, NodeId group, const Target& target) {
    if (std::get<std::string>(f.node(group).attribute) != "rows") return {};
    const ir::Region& region = f.region(f.region_of(f.node(group), 0));
    return fusion::held_in_rows(f, region.nodes, region.yields, target);
}

}  // namespace

MapKernel lower_map(const Function& function, NodeId group, const std::vector<std::string>& names,
                    ExtentPool& pool, const Target& target) {
    Trace trace = trace_group(function, group, pool, held_values(function, group, target));
    Axes axes = choose_axes(trace, pool, widest_element(function, group, trace));
    return KernelBuilder(function, group, std::move(trace), std::move(axes), pool).run(names);
}

}  // namespace fuseline::schedule_map
