// Copies a function node by node and lets a pass drop, replace or change each: the frame of all rewriting
// passes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// What a pass does with the nodes of the function that is copied. Nothing is changed by default.
class NodeRewrite {
public:
    virtual ~NodeRewrite() = default;
    /// False: the node is left out; nothing that is kept may use it.
    virtual bool keep(ir::NodeId) { return true; }
    /// For nodes with one result and no regions: the value that takes the place of the node, made with `to`
    /// from the already copied operands. The attribute's sizes are those of `to`.
    virtual std::optional<ir::ValueId> rewrite(ir::Builder& /*to*/, ir::NodeId,
                                               std::span<const ir::ValueId> /*operands*/,
                                               const ir::Attribute& /*attribute*/) {
        return std::nullopt;
    }
    /// Changes the copied attribute of any node.
    virtual void change(ir::Builder& /*to*/, ir::Attribute& /*attribute*/) {}
};

/// The copy; nullopt when nothing was left out, replaced or merged.
std::optional<ir::Function> rebuild(const ir::Function& from, NodeRewrite& rewrite);
/// The copy, changed or not.
ir::Function rebuild_always(const ir::Function& from, NodeRewrite& rewrite);

/// Copies what stands beside the nodes: form, names, options, and a kernel's header.
void copy_header(const ir::Function& from, ir::Function& to);

}  // namespace fuseline
