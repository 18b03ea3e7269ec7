// What one group does for one element of its domain: loads, scalar steps, folds and stores, with index maps
// pushed to the loads.
#pragma once

#include <optional>
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
    fold,    ///< the reduction `node` of `elements` over `axes`; `inputs` are its identities and what it captures
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
    ir::Affine affine;                  ///< over the axes of the domain and of folds
    std::vector<Ref> inputs;            ///< of a step aligned with ir::inputs_of(node)
    std::vector<Condition> conditions;  ///< of `inside`
    Ref guard, fill;                    ///< of a load that is made where the guard holds
    std::vector<Ref> elements;
    std::vector<uint32_t> axes;
    int fold = -1;           ///< number of the fold around it; -1 in the nest itself
    bool invariant = false;  ///< the same for all elements, and no load
    uint32_t order = 0;      ///< of the node in the group
};

/// A value to store and where.
struct Output {
    Ref value;
    ir::Affine place;
};

/// The items of a group, each after its inputs. Axes are numbered: those of the domain, then those of folds.
struct Trace {
    std::vector<ExtentId> domain;
    std::vector<ExtentId> extents;  ///< of all axes, the domain's first
    std::vector<Item> items;
    std::vector<Output> outputs;      ///< aligned with the group's yields
    std::vector<int> folds;           ///< items, by number
    std::optional<uint32_t> updated;  ///< the operand whose memory the one output changes
};

/// Traces a group node of `function`; sizes are made in `pool`, which starts as a copy of the function's.
Trace trace_group(const ir::Function& function, ir::NodeId group, ExtentPool& pool);

/// offset and terms of a + scale * b, for passes over affine expressions.
ir::Affine add_scaled(ExtentPool& pool, const ir::Affine& a, ExtentId scale, const ir::Affine& b);

}  // namespace fuseline::schedule_map
