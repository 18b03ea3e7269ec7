// MatmulOperands: recognises views whose last two axes are the array's last two, in either order.
#include "compiler/schedule/matmul_operands.h"

#include <optional>

namespace fuseline {
namespace {

using ir::Function;
using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

/// The axis that an index is, if it is one.
std::optional<uint32_t> plain_axis(const Function& f, const ir::Affine& a) {
    const bool plain = f.extents.constant_value(a.offset) == 0 && a.terms.size() == 1 &&
                       f.extents.is_one(a.terms[0].coefficient);
    return plain ? std::optional(a.terms[0].axis) : std::nullopt;
}

/// Whether the view transposes (true) or keeps (false) the last two axes of its source, the axes before them
/// being the same or missing; nullopt where it is another view.
std::optional<bool> transposition(const Function& f, NodeId view) {
    const auto& map = std::get<ir::IndexMap>(f.node(view).attribute);
    const ir::Type& from = f.type(f.operands(view)[0]);
    const ir::Type& to = f.type(f.result(view));
    const auto rank = static_cast<uint32_t>(to.rank());
    if (rank < 2 || (map.size() != rank && map.size() != 2)) return std::nullopt;
    std::vector<uint32_t> axes;
    for (size_t k = 0; k < map.size(); ++k) {
        const auto axis = plain_axis(f, map[k]);
        // The view must show the whole of each axis, or rows would not lie where the library expects them.
        if (!axis || to.shape[*axis] != from.shape[k]) return std::nullopt;
        axes.push_back(*axis);
    }
    const uint32_t row = axes[axes.size() - 2], column = axes.back();
    for (uint32_t k = 0; k + 2 < axes.size(); ++k) {
        if (axes[k] != k) return std::nullopt;
    }
    if (row == rank - 2 && column == rank - 1) return false;
    if (row == rank - 1 && column == rank - 2) return true;
    return std::nullopt;
}

}  // namespace

MatmulOperands::MatmulOperands(const Function& fused)
    : f_(fused), uses_(fused.value_count(), 0), absorbed_(fused.node_count(), false) {
    for (uint32_t k = 0; k < fused.node_count(); ++k) {
        for (ValueId v : fused.operands(NodeId{k})) ++uses_[v.index];
    }
    for (uint32_t k = 0; k < fused.region_count(); ++k) {
        for (ValueId v : fused.region({k}).yields) ++uses_[v.index];
    }
    for (uint32_t k = 0; k < fused.node_count(); ++k) {
        if (!fused.node(NodeId{k}).op.is(Structure::matmul_)) continue;
        for (ValueId v : fused.operands(NodeId{k})) {
            if (source(v).value != v) absorbed_[fused.value(v).definition.index] = true;
        }
    }
}

MatmulOperands::Source MatmulOperands::source(ValueId operand) const {
    const Source itself{operand, false};
    const NodeId group = f_.value(operand).definition;
    if (!group || !f_.node(group).op.is(Structure::group_) || f_.node(group).results_count != 1)
        return itself;
    const ir::Region& region = f_.region(f_.region_of(f_.node(group), 0));
    if (uses_[operand.index] != 1 || region.parameters.size() != 1 || region.nodes.size() != 1) return itself;
    const NodeId view = region.nodes[0];
    if (!f_.node(view).op.is(Structure::view_) || region.yields[0] != f_.result(view)) return itself;
    if (f_.operands(view)[0] != region.parameters[0]) return itself;
    const auto transposed = transposition(f_, view);
    return transposed ? Source{f_.operands(group)[0], *transposed} : itself;
}

MatmulOperands::Call MatmulOperands::call(NodeId matmul) const {
    const Source left = source(f_.operands(matmul)[0]), right = source(f_.operands(matmul)[1]);
    Call call{left.value, right.value, "matmul"};
    if (left.transposed || right.transposed) {
        call.function += std::string(" ") + (left.transposed ? 't' : 'n') + (right.transposed ? 't' : 'n');
    }
    return call;
}

}  // namespace fuseline
