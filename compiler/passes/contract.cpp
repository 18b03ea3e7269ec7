// contract: forms fused multiply-adds on the graph, so that fusing and the back end change no bit.
#include "compiler/passes/passes.h"
#include "compiler/passes/rebuild.h"

namespace fuseline {
namespace {

/// How often each value is used, by nodes and yields of any region.
std::vector<uint32_t> count_uses(const ir::Function& f) {
    std::vector<uint32_t> uses(f.value_count(), 0);
    for (uint32_t k = 0; k < f.node_count(); ++k) {
        for (ir::ValueId v : f.operands(ir::NodeId{k})) ++uses[v.index];
    }
    for (uint32_t k = 0; k < f.region_count(); ++k) {
        for (ir::ValueId v : f.region({k}).yields) ++uses[v.index];
    }
    return uses;
}

/// a*b + c, a*b - c and c - a*b where the product has no other use; of two products the left one.
class Contract : public NodeRewrite {
public:
    Contract(const ir::Function& from, OpId fma) : from_(from), fma_(fma), uses_(count_uses(from)) {}

    std::optional<ir::ValueId> rewrite(ir::Builder& to, ir::NodeId id, std::span<const ir::ValueId> operands,
                                       const ir::Attribute&) override {
        const ir::Node& n = from_.node(id);
        const bool add = n.op.is(OpId::add_), sub = n.op.is(OpId::sub_);
        const DType type = from_.type(from_.result(id)).dtype;
        if ((!add && !sub) || !is_float(type)) return std::nullopt;
        const auto originals = from_.operands(n);
        for (size_t side = 0; side < 2; ++side) {
            const auto product = factors(to, originals[side], operands[side]);
            if (!product) continue;
            auto [a, b] = *product;
            ir::ValueId c = operands[1 - side];
            if (sub && side == 0) c = to.elementwise(OpId::neg_, {&c, 1}, type);
            if (sub && side == 1) a = to.elementwise(OpId::neg_, {&a, 1}, type);
            const ir::ValueId all[] = {a, b, c};
            const ir::ValueId value = to.elementwise(fma_, all, type);
            return value;
        }
        return std::nullopt;
    }

private:
    using Factors = std::pair<ir::ValueId, ir::ValueId>;

    std::optional<Factors> factors(ir::Builder& to, ir::ValueId original, ir::ValueId copied) const {
        const ir::Function& f = to.function();
        const ir::Node* product = f.definition(copied);
        if (product == nullptr || !product->op.is(OpId::mul_) || uses_[original.index] != 1)
            return std::nullopt;
        const auto operands = f.operands(*product);
        return Factors{operands[0], operands[1]};
    }

    const ir::Function& from_;
    OpId fma_;
    std::vector<uint32_t> uses_;
};

}  // namespace

std::optional<ir::Function> pass_contract(const ir::Function& graph, PassContext& context) {
    const auto fma = op_named("fma");
    if (!context.options.contract || !fma) return std::nullopt;
    Contract contract(graph, *fma);
    auto changed = rebuild(graph, contract);
    if (!changed) return std::nullopt;
    auto clean = pass_dce(*changed, context);
    return clean ? std::move(clean) : std::move(changed);
}

}  // namespace fuseline
