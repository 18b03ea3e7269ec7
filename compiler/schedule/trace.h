// What one group does for one element of its domain: loads, scalar steps, folds and stores, with index maps
// pushed to the loads.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline::schedule_map {

/// One result of an item.
struct Ref {
    int item = -1;
    uint32_t result = 0;
};

enum class ItemKind : uint8_t {
    load,    ///< an element of operand `operand`'s array at `affine`
    gather,  ///< an element of operand `operand`'s array at the indices `inputs`
    scalar,  ///< operand `operand`, a scalar argument of the kernel
    index,   ///< the number `affine`
    inside,  ///< whether all of `conditions` hold
    choice,  ///< `inputs[0]` (a bool) ? `inputs[1]` : `inputs[2]`
    step,    ///< node `node` on `inputs`
    fold,    ///< the reduction `node` of `elements` over space `over`; `inputs`: identities, what it captures
};

/// 0 <= index < extent.
struct Condition {
    ir::Affine index;
    ExtentId extent;
    bool low = false, high = false;  ///< which of the two sides must be tested
};

struct Item {
    ItemKind kind = ItemKind::step;
    uint32_t operand = 0;
    ir::NodeId node;
    ir::Affine affine;                  ///< over the axes of the domain and of spaces
    std::vector<Ref> inputs;            ///< of a step aligned with ir::inputs_of(node)
    std::vector<Condition> conditions;  ///< of `inside`
    Ref guard, fill;                    ///< of a load that is made where the guard holds
    std::vector<Ref> elements;
    int over = -1;           ///< of a fold: the space of its elements
    int space = -1;          ///< where it is computed: for each index of a space; -1 in the nest itself
    bool held = false;       ///< kept for the loops over its space that follow
    bool invariant = false;  ///< the same for all elements, and no load
    uint32_t order = 0;      ///< of the node in the group
};

/// A value to store and where; `space` as of an item.
struct Output {
    Ref value;
    ir::Affine place;
    int space = -1;
};

/// The items of a group, each after its inputs. Axes are numbered: those of the domain, then those of spaces.
struct Trace {
    std::vector<ExtentId> domain;
    std::vector<ExtentId> extents;  ///< of all axes, the domain's first
    std::vector<Item> items;
    std::vector<Output> outputs;  ///< aligned with the group's yields
    /// Axes that loops in the nest run through, neighbours: folds of one shape over the same axes share them.
    std::vector<std::vector<uint32_t>> spaces;
    bool rows = false;                ///< there is one space, the row; outputs may lie in it
    std::optional<uint32_t> updated;  ///< the operand whose memory the one output changes
};

/// Traces a group node of `function`; sizes are made in `pool`, which starts as a copy of the function's.
/// `held`: values of a row that the kernel keeps, see passes/rows_phases.h.
Trace trace_group(const ir::Function& function, ir::NodeId group, ExtentPool& pool,
                  const std::set<ir::ValueId>& held = {});

/// offset and terms of a + scale * b, for passes over affine expressions.
ir::Affine add_scaled(ExtentPool& pool, const ir::Affine& a, ExtentId scale, const ir::Affine& b);

}  // namespace fuseline::schedule_map
