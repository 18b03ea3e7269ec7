// What one group does for one element of its domain: loads, scalar steps and stores, with index maps pushed
// to the loads.
#pragma once

#include <map>
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
    scalar,  ///< operand `operand`, a scalar argument of the kernel
    index,   ///< the number `affine`
    step,    ///< node `node` on `inputs`
};

struct Item {
    ItemKind kind = ItemKind::step;
    uint32_t operand = 0;
    ir::NodeId node;
    ir::Affine affine;        ///< over the domain's axes
    std::vector<Ref> inputs;  ///< aligned with `Trace::inputs_of(node)`
    bool invariant = false;   ///< the same for all elements, and no load
    uint32_t order = 0;       ///< of the node in the group
};

/// The items of a group, each after its inputs.
struct Trace {
    std::vector<ExtentId> domain;
    std::vector<Item> items;
    std::vector<Ref> outputs;  ///< aligned with the group's yields
    ir::Affine store;          ///< row-major over the domain
};

/// Operands of a node and values that its regions use from outside, each once.
std::vector<ir::ValueId> inputs_of(const ir::Function& function, ir::NodeId node);

/// True for a group's operand that is passed by value: a rank-0 parameter or host scalar.
bool passed_by_value(const ir::Function& function, ir::ValueId operand);

/// Traces a group node of `function`; sizes are made in `pool`, which starts as a copy of the function's.
Trace trace_group(const ir::Function& function, ir::NodeId group, ExtentPool& pool);

/// offset and terms of a + scale * b, for passes over affine expressions.
ir::Affine add_scaled(ExtentPool& pool, const ir::Affine& a, ExtentId scale, const ir::Affine& b);

}  // namespace fuseline::schedule_map
