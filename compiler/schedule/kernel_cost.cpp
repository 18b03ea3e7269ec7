// kernel_cost: one walk over the nest for accesses and operations, one for live values.
#include "compiler/schedule/kernel_cost.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/ir/walk.h"
#include "compiler/schedule/access_range.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

class CostWalk {
public:
    CostWalk(const ir::Function& kernel, const std::vector<ExtentId>& sizes,
             const std::vector<CostOperand>& operands, ExtentPool& pool)
        : f_(kernel), operands_(operands), pool_(pool), loops_(kernel.region_count()) {
        require(sizes.size() == kernel.sizes.size(), "a cost: one size for each of the kernel");
        for (size_t k = 0; k < sizes.size(); ++k) sizes_[kernel.sizes[k]] = sizes[k];
        accesses_.resize(operands.size());
        gathered_.resize(operands.size());
    }
    KernelCost run();

private:
    /// What the regions of a node run over.
    struct Loops {
        bool nest = false;
        std::vector<ExtentId> extents;
        ExtentId count;
    };
    void visit(NodeId id);
    void open(const Node& n);
    void access(const Node& n);
    void operation(NodeId id);
    void hold(NodeId id);
    ExtentId bytes_of(uint32_t parameter);
    ExtentId size(ExtentId e);
    ExtentId elements(const std::vector<ExtentId>& extents);
    int most_live() const;

    const ir::Function& f_;
    const std::vector<CostOperand>& operands_;
    ExtentPool& pool_;
    std::map<std::string, ExtentId> sizes_;
    std::vector<Loops> loops_;                        ///< by region
    std::vector<std::vector<AccessRange>> accesses_;  ///< by parameter
    std::vector<std::optional<ExtentId>>
        gathered_;  ///< by parameter: elements at places that the data decides
    KernelCost cost_;
};

ExtentId CostWalk::size(ExtentId e) {
    if (const auto constant = f_.extents.constant_value(e)) return pool_.constant(*constant);
    if (const auto name = f_.extents.symbol_name(e)) return sizes_.at(*name);
    return pool_.substitute(pool_.import(f_.extents, e), sizes_);
}

ExtentId CostWalk::elements(const std::vector<ExtentId>& extents) {
    ExtentId all = pool_.constant(1);
    for (ExtentId e : extents) all = pool_.mul(all, e);
    return all;
}

void CostWalk::open(const Node& n) {
    const auto* own = std::get_if<ir::Loops>(&n.attribute);
    for (uint32_t k = 0; k < n.regions_count; ++k) {
        Loops& loops = loops_[n.regions_begin + k];
        loops = loops_[n.parent.index];
        if (own == nullptr) continue;
        loops.nest = true;
        for (ExtentId e : own->extents) loops.extents.push_back(size(e));
        loops.count = elements(loops.extents);
    }
    cost_.loops = cost_.loops || n.op.is(Structure::while_) || n.op.is(Structure::for_);
}

void CostWalk::access(const Node& n) {
    const ir::ValueInfo& buffer = f_.value(f_.operands(n)[0]);
    if (buffer.definition || buffer.parameter_of != f_.body()) return;
    const Loops& loops = loops_[n.parent.index];
    const auto* affine = std::get_if<ir::Affine>(&n.attribute);
    if (affine == nullptr) {
        auto& gathered = gathered_[buffer.position];
        gathered = pool_.add(gathered.value_or(pool_.constant(0)), loops.count);
        return;
    }
    const bool guarded = n.op.is(Structure::load_) && n.operands_count > 1;
    AccessRange range{{}, size(affine->offset), !guarded};
    for (const ir::Affine::Term& t : affine->terms)
        range.axes.push_back({size(t.coefficient), loops.extents[t.axis]});
    accesses_[buffer.position].push_back(std::move(range));
}

OpClass class_of(const ir::Function& f, NodeId id) {
    const Node& n = f.node(id);
    if (!row(n.op.op()).has(kExact)) return OpClass::function;
    const DType operation = f.type(f.operands(n).back()).dtype;
    const auto steps = llvm_steps(n.op.op(), operation, f.type(f.result(id)).dtype);
    const bool helped =
        std::ranges::any_of(steps, [](const LlvmStep& s) { return s.cell.starts_with("fl."); });
    return helped ? OpClass::helper : OpClass::simple;
}

void CostWalk::operation(NodeId id) {
    const Loops& loops = loops_[f_.node(id).parent.index];
    if (!loops.nest) return;
    ExtentId& sum = cost_.operations[static_cast<size_t>(class_of(f_, id))];
    sum = pool_.add(sum, loops.count);
}

void CostWalk::hold(NodeId id) {
    const Node& n = f_.node(id);
    std::vector<ExtentId> extents;
    for (ExtentId e : std::get<ir::Loops>(n.attribute).extents) extents.push_back(size(e));
    int bytes = 0;
    for (uint32_t k = 0; k < n.results_count; ++k) bytes += byte_size(f_.type(f_.result(id, k)).dtype);
    cost_.held = pool_.add(cost_.held, pool_.mul(pool_.constant(bytes), elements(extents)));
}

void CostWalk::visit(NodeId id) {
    const Node& n = f_.node(id);
    if (n.op.elementwise()) return operation(id);
    open(n);
    if (n.op.is(Structure::load_) || n.op.is(Structure::load_at_) || n.op.is(Structure::store_)) access(n);
    if (n.op.is(Structure::hold_)) hold(id);
    if (!n.op.is(Structure::nest_) || n.parent != f_.body()) return;
    cost_.outputs = loops_[n.regions_begin].count;
}

ExtentId CostWalk::bytes_of(uint32_t parameter) {
    const CostOperand& operand = operands_[parameter];
    if (operand.scalar) return pool_.constant(0);
    ExtentId count = distinct_elements(accesses_[parameter], operand.elements, pool_);
    if (gathered_[parameter]) count = pool_.min(pool_.add(count, *gathered_[parameter]), operand.elements);
    const ValueId buffer = f_.region(f_.body()).parameters[parameter];
    return pool_.mul(pool_.constant(byte_size(f_.type(buffer).dtype)), count);
}

/// Values in the order of the text: one lives from where it is defined to its last use. Constants take no
/// room.
int CostWalk::most_live() const {
    const std::vector<NodeId> order = ir::nodes_in_order(f_, f_.body());
    std::vector<size_t> last(f_.value_count(), 0);
    for (size_t k = 0; k < order.size(); ++k) {
        const Node& n = f_.node(order[k]);
        for (ValueId v : f_.operands(n)) last[v.index] = k;
        const auto& yields = f_.region(n.parent).yields;
        for (ValueId v : yields) last[v.index] = std::max(last[v.index], k);
    }
    std::vector<int> ends(order.size() + 1, 0);
    int live = 0, most = 0;
    for (size_t k = 0; k < order.size(); ++k) {
        const Node& n = f_.node(order[k]);
        live -= ends[k];
        if (n.op.is(Structure::constant_)) continue;
        for (uint32_t r = 0; r < n.results_count; ++r) {
            const size_t end = last[n.results_begin + r];
            if (end <= k || f_.type(f_.result(order[k], r)).kind != ir::TypeKind::value) continue;
            ++live;
            ++ends[end];
        }
        most = std::max(most, live);
    }
    return most;
}

KernelCost CostWalk::run() {
    cost_.outputs = pool_.constant(1);
    for (NodeId id : ir::nodes_in_order(f_, f_.body())) visit(id);
    const auto& parameters = f_.region(f_.body()).parameters;
    for (uint32_t k = 0; k < parameters.size(); ++k) {
        cost_.bytes.push_back(bytes_of(k));
        const bool write = f_.type(parameters[k]).kind == ir::TypeKind::write_buffer;
        ExtentId& sum = write ? cost_.written : cost_.read;
        sum = pool_.add(sum, cost_.bytes.back());
    }
    cost_.live = most_live();
    return std::move(cost_);
}

}  // namespace

KernelCost kernel_cost(const ir::Function& kernel, const std::vector<ExtentId>& sizes,
                       const std::vector<CostOperand>& operands, ExtentPool& pool) {
    return CostWalk(kernel, sizes, operands, pool).run();
}

}  // namespace fuseline
