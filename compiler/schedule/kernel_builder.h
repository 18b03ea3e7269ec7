// The kernel of a traced group under construction: scalars, then the nest, in it folds, holds and inner
// nests.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/schedule/axes.h"
#include "compiler/schedule/map_kernel.h"

namespace fuseline::schedule_map {

/// Items of the nest are computed once; those of a space in each loop that needs them, unless they are held.
class KernelBuilder {
public:
    KernelBuilder(const ir::Function& f, ir::NodeId group, Trace trace, Axes axes, ExtentPool& pool);
    /// `names`: of the group's results.
    MapKernel run(const std::vector<std::string>& names);

private:
    /// What a loop over a space needs: items that it computes or loads, and items of the nest.
    struct Needs {
        std::vector<size_t> inside, outside;
    };

    // map_kernel.cpp
    void parameters(const std::vector<std::string>& names);
    std::string unique(std::string_view wanted);
    void find_levels();
    std::vector<size_t> steps_in_order(std::vector<size_t> items) const;
    void invariants();
    void nest();
    void stores();

    // kernel_items.cpp
    void emit(size_t item);
    void emit_inputs(const Item& item);
    void emit_step(size_t k);
    void emit_load(size_t k);
    void emit_gather(size_t k);
    void emit_inside(size_t k);
    void emit_choice(size_t k);
    void emit_index(size_t k);
    using Emitter = void (KernelBuilder::*)(size_t);
    static Emitter emitter(ItemKind kind);
    ir::ValueId operation(OpId op, std::initializer_list<ir::ValueId> operands);
    ir::ValueId size_value(ExtentId size) { return to_.extent(to_.extents().import(pool_, size)); }
    ir::Affine import(const ir::Affine& a);

    // kernel_loops.cpp
    void emit_fold(size_t k);
    void emit_held(size_t k);
    std::vector<size_t> joined(size_t fold) const;
    ir::RegionId combine(const std::vector<size_t>& folds);
    Needs needs_of(const std::vector<Ref>& roots) const;
    void prepare(const std::vector<Ref>& roots, int space);
    void hold(const std::vector<size_t>& items, int space);
    ir::RegionId open_loop(int space);
    void fill_loop(const std::vector<Ref>& roots);
    void close_loop(ir::RegionId around);
    ir::Loops loops(int space);
    void inner_nest(const std::vector<size_t>& outputs);
    void store(size_t output);

    void finish_item(size_t k, std::vector<ir::ValueId> values) { values_[k] = std::move(values); }
    ir::ValueId value(Ref r) const { return values_[static_cast<size_t>(r.item)][r.result]; }

    const ir::Function& f_;
    ir::NodeId group_;
    Trace trace_;
    Axes axes_;
    ExtentPool& pool_;
    ir::Builder to_;
    ir::Cloner cloner_;
    MapKernel result_;
    std::set<std::string> names_;
    std::unordered_map<std::string, int> tried_;
    std::vector<int> levels_;                           ///< of items: folds that stand before them in a row
    std::vector<std::vector<ir::ValueId>> values_;      ///< of items; of a space's while its loop is open
    std::vector<std::vector<ir::ValueId>> held_;        ///< of items: what holds them
    std::vector<ir::ValueId> operand_values_, writes_;  ///< parameters of the kernel
};

}  // namespace fuseline::schedule_map
