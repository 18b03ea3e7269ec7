// matmul: products of matrices that no library computes become sums of products over views. Where a library
// takes 16-bit floats, products of such in f32, rounded afterwards, are handed to it as they are.
#include "compiler/passes/matmul.h"

#include <algorithm>

#include "compiler/passes/passes.h"
#include "compiler/passes/rebuild.h"

namespace fuseline {
namespace {

using ir::ValueId;

constexpr DType kCpuTypes[] = {DType::f32_, DType::f64_};
constexpr DType kCudaTypes[] = {DType::f32_, DType::f64_, DType::f16_, DType::bf16_};

/// The element type in which products are summed.
DType sum_type(DType dtype) { return dtype == DType::f16_ || dtype == DType::bf16_ ? DType::f32_ : dtype; }

/// What changes no bit of a partial sum.
Scalar identity_of(DType dtype) {
    if (dtype == DType::f32_) return Scalar::of_f32(-0.0f);
    return dtype == DType::f64_ ? Scalar::of_f64(-0.0) : Scalar{};
}

class ExpandMatmul : public NodeRewrite {
public:
    ExpandMatmul(const ir::Function& from, const Target& target)
        : from_(from), target_(target), uses_(from.value_count(), 0) {
        for (uint32_t k = 0; k < from.node_count(); ++k) {
            for (ValueId v : from.operands(ir::NodeId{k})) ++uses_[v.index];
        }
    }

    std::optional<ValueId> rewrite(ir::Builder& to, ir::NodeId id, std::span<const ValueId> operands,
                                   const ir::Attribute&) override {
        if (from_.node(id).op.is(OpId::cast_)) return shortened(to, id, operands[0]);
        if (!from_.node(id).op.is(ir::Structure::matmul_)) return std::nullopt;
        const DType dtype = to.type(operands[0]).dtype;
        if (library_multiplies(target_, dtype)) return std::nullopt;
        to.set_span(from_.span(id));
        return expand(to, operands[0], operands[1], dtype);
    }

private:
    static const ir::Node* defined_by(ir::Builder& to, ValueId v, ir::Opcode op) {
        const ir::Node* n = to.function().definition(v);
        return n != nullptr && n->op == op ? n : nullptr;
    }

    /// A value before its widening to f32, seen through one view.
    static std::optional<ValueId> unwidened(ir::Builder& to, ValueId v, DType dtype) {
        const ir::Node* view = defined_by(to, v, ir::Structure::view_);
        const ir::Node* cast =
            defined_by(to, view != nullptr ? to.function().operands(*view)[0] : v, OpId::cast_);
        if (cast == nullptr) return std::nullopt;
        const ValueId source = to.function().operands(*cast)[0];
        if (to.type(source).dtype != dtype) return std::nullopt;
        if (view == nullptr) return source;
        return to.view(source, std::get<ir::IndexMap>(view->attribute), to.type(v).shape);
    }

    /// For a rounding of a product in f32 to 16 bits: the library's own product of 16-bit factors.
    std::optional<ValueId> shortened(ir::Builder& to, ir::NodeId rounding, ValueId wide) {
        const DType dtype = from_.type(from_.result(rounding)).dtype;
        if (sum_type(dtype) == dtype || !library_multiplies(target_, dtype)) return std::nullopt;
        const ValueId original = from_.operands(rounding)[0];
        const ir::Node* view = defined_by(to, wide, ir::Structure::view_);
        const ValueId product = view != nullptr ? to.function().operands(*view)[0] : wide;
        const ir::Node* matmul = defined_by(to, product, ir::Structure::matmul_);
        if (matmul == nullptr || uses_[original.index] != 1) return std::nullopt;
        const auto factors = to.function().operands(*matmul);
        const ValueId a = factors[0], b = factors[1];
        const std::vector<ExtentId> shape = to.type(product).shape, outer = to.type(wide).shape;
        const auto map = view != nullptr ? std::get<ir::IndexMap>(view->attribute) : ir::IndexMap{};
        const auto left = unwidened(to, a, dtype), right = unwidened(to, b, dtype);
        if (!left || !right) return std::nullopt;
        const ValueId operands[] = {*left, *right};
        to.set_span(from_.span(rounding));
        const ir::NodeId made =
            to.node(ir::Structure::matmul_, operands, {{ir::TypeKind::value, dtype, shape}});
        const ValueId result = to.function().result(made);
        return view != nullptr ? to.view(result, map, outer) : result;
    }

    static ValueId expand(ir::Builder& to, ValueId a, ValueId b, DType dtype) {
        const std::vector<ExtentId> left = to.type(a).shape, right = to.type(b).shape;
        const size_t rank = left.size();
        std::vector<ExtentId> space = left;
        space.back() = right.back();
        space.push_back(left.back());
        const auto axis = [&](size_t k) {
            return ir::Affine{to.extents().constant(0),
                              {{static_cast<uint32_t>(k), to.extents().constant(1)}}};
        };
        ir::IndexMap rows, columns;
        for (size_t k = 0; k + 2 < rank; ++k) {
            rows.push_back(axis(k));
            columns.push_back(axis(k));
        }
        rows.insert(rows.end(), {axis(rank - 2), axis(rank)});
        columns.insert(columns.end(), {axis(rank), axis(rank - 1)});
        const DType wide = sum_type(dtype);
        const ValueId factors[] = {to.view(to.cast(a, wide), std::move(rows), space),
                                   to.view(to.cast(b, wide), std::move(columns), space)};
        const OpId times = is_bool(dtype) ? OpId::and_ : OpId::mul_;
        const ValueId sum = summed(to, to.elementwise(times, factors, wide), wide);
        return to.cast(sum, dtype);
    }

    static ValueId summed(ir::Builder& to, ValueId products, DType dtype) {
        const ir::Type element{ir::TypeKind::value, dtype, {}};
        ir::Type result = to.type(products);
        const auto axis = static_cast<uint32_t>(result.shape.size() - 1);
        result.shape.pop_back();
        const ValueId identity = to.constant(dtype, identity_of(dtype));
        const ir::RegionId region = to.make_region();
        const ValueId states[] = {to.region_parameter(region, element, "a"),
                                  to.region_parameter(region, element, "b")};
        const ir::RegionId around = to.insertion();
        to.set_insertion(region);
        to.set_yields(region, {to.elementwise(is_bool(dtype) ? OpId::or_ : OpId::add_, states, dtype)});
        to.set_insertion(around);
        const ValueId operands[] = {products, identity};
        const ir::NodeId node = to.node(ir::Structure::reduce_, operands, {std::move(result)},
                                        ir::ReducedAxes{{axis}}, {&region, 1});
        const ValueId sum = to.function().result(node);
        if (!is_float(dtype)) return sum;
        // The sum of nothing is 0, not the identity -0.
        const ValueId terms[] = {sum, to.constant(dtype, Scalar{})};
        return to.elementwise(OpId::add_, terms, dtype);
    }

    const ir::Function& from_;
    const Target& target_;
    std::vector<uint32_t> uses_;
};

}  // namespace

bool library_multiplies(const Target& target, DType dtype) {
    if (target.kind == TargetKind::interpreter) return true;
    const std::span<const DType> types = target.kind == TargetKind::cpu ? std::span<const DType>(kCpuTypes)
                                                                        : std::span<const DType>(kCudaTypes);
    return target.matmul_library && std::ranges::find(types, dtype) != types.end();
}

std::optional<ir::Function> pass_matmul(const ir::Function& graph, PassContext& context) {
    ExpandMatmul expand(graph, context.target);
    return rebuild(graph, expand);
}

}  // namespace fuseline
