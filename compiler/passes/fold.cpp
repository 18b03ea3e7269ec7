// fold: exact operators of constants become constants; a size that is a number becomes a constant.
#include "compiler/passes/passes.h"
#include "compiler/passes/rebuild.h"

namespace fuseline {
namespace {

using ir::Structure;

/// Only operators with the same bits on every back end are computed here: another one must give the bits of
/// the device.
class Fold : public NodeRewrite {
public:
    explicit Fold(const ir::Function& from) : from_(from) {}

    std::optional<ir::ValueId> rewrite(ir::Builder& to, ir::NodeId id, std::span<const ir::ValueId> operands,
                                       const ir::Attribute& attribute) override {
        const ir::Node& n = from_.node(id);
        if (n.op.is(Structure::extent_)) {
            const auto value = to.extents().constant_value(std::get<ExtentId>(attribute));
            if (!value) return std::nullopt;
            return to.constant(DType::i64_, Scalar::of_i64(*value));
        }
        if (!n.op.elementwise() || operands.empty()) return std::nullopt;
        const OpRow& op = row(n.op.op());
        if (!op.has(kExact) || op.reference == nullptr) return std::nullopt;
        std::vector<Scalar> values;
        for (ir::ValueId v : operands) {
            const ir::Node* definition = to.function().definition(v);
            if (definition == nullptr || !definition->op.is(Structure::constant_)) return std::nullopt;
            values.push_back(std::get<Scalar>(definition->attribute));
        }
        const bool select = op.rule == TypeRule::select;
        const DType operation = to.type(select ? operands.back() : operands.front()).dtype;
        const DType result = from_.type(from_.result(id)).dtype;
        return to.constant(result, evaluate(op.id, operation, result, values.data()));
    }

private:
    const ir::Function& from_;
};

}  // namespace

std::optional<ir::Function> pass_fold(const ir::Function& graph, PassContext&) {
    Fold fold(graph);
    return rebuild(graph, fold);
}

}  // namespace fuseline
