// The nodes of the graph that reductions are made of.
#include <algorithm>
#include <limits>

#include "dsl/reductions.h"

namespace fuseline::dsl {

ir::ValueId constant_of(ir::Builder& b, DType dtype, double value) {
    return b.constant(dtype, scalar_from_f64(dtype, value));
}

namespace {

/// The smallest or largest value of an integer type.
Scalar limit(DType dtype, bool largest) {
    const int bits = row(dtype).bits;
    const bool is_signed = row(dtype).type_class == TypeClass::signed_integer;
    const uint64_t top = ~uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
    if (largest) return Scalar{top};
    return Scalar{is_signed ? ~top : 0};
}

ir::ValueId extreme(ir::Builder& b, DType dtype, bool largest) {
    if (is_bool(dtype)) return b.constant(dtype, Scalar::of_bool(largest));
    if (is_integer(dtype)) return b.constant(dtype, limit(dtype, largest));
    const double inf = std::numeric_limits<double>::infinity();
    return constant_of(b, dtype, largest ? inf : -inf);
}

}  // namespace

ir::ValueId identity_of(ir::Builder& b, ReductionIdentity identity, DType dtype) {
    switch (identity) {
        // x + -0.0 is x; x + 0.0 is not where x is -0.0.
        case ReductionIdentity::zero: return constant_of(b, dtype, is_float(dtype) ? -0.0 : 0.0);
        case ReductionIdentity::one: return constant_of(b, dtype, 1.0);
        case ReductionIdentity::lowest: return extreme(b, dtype, false);
        case ReductionIdentity::highest: return extreme(b, dtype, true);
        case ReductionIdentity::no: return b.constant(DType::bool_, Scalar::of_bool(false));
        case ReductionIdentity::yes: return b.constant(DType::bool_, Scalar::of_bool(true));
        case ReductionIdentity::none: break;
    }
    require(false, "a reduction without an identity");
    return {};
}

ir::ValueId elementwise(ir::Builder& b, OpId op, std::initializer_list<ir::ValueId> operands) {
    const std::vector<ir::ValueId> ids(operands);
    std::vector<DType> types;
    for (ir::ValueId id : ids) types.push_back(b.type(id).dtype);
    const auto typing = op_typing(op, types.data(), types.size(), nullptr, nullptr);
    require(typing.has_value(), "a reduction applies an operator to types that it has not");
    return b.elementwise(op, ids, typing->result);
}

std::vector<ir::ValueId> reduce_states(
    Checker& c, const std::vector<ir::ValueId>& arrays, const std::vector<ir::ValueId>& identities,
    const std::vector<uint32_t>& axes,
    const std::function<std::vector<ir::ValueId>(const std::vector<ir::ValueId>&,
                                                 const std::vector<ir::ValueId>&)>& combine) {
    if (axes.empty()) return arrays;
    ir::Builder& b = c.builder;
    const std::vector<ExtentId> shape = b.type(arrays[0]).shape;
    std::vector<ExtentId> kept;
    for (uint32_t axis = 0; axis < shape.size(); ++axis) {
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) kept.push_back(shape[axis]);
    }
    const ir::RegionId outer = b.insertion();
    const ir::RegionId region = b.make_region();
    std::vector<ir::ValueId> left, right, operands = arrays;
    std::vector<ir::Type> results;
    for (auto* side : {&left, &right}) {
        for (ir::ValueId array : arrays) {
            const ir::Type scalar{ir::TypeKind::value, b.type(array).dtype, {}};
            side->push_back(b.region_parameter(region, scalar, side == &left ? "a" : "b"));
        }
    }
    for (ir::ValueId array : arrays) results.push_back({ir::TypeKind::value, b.type(array).dtype, kept});
    operands.insert(operands.end(), identities.begin(), identities.end());
    b.set_insertion(region);
    std::vector<ir::ValueId> yields = combine(left, right);
    b.set_insertion(outer);
    if (yields.empty()) return {};
    b.set_yields(region, std::move(yields));
    const ir::NodeId node =
        b.node(ir::Structure::reduce_, operands, std::move(results), ir::ReducedAxes{axes}, {&region, 1});
    std::vector<ir::ValueId> out;
    for (uint32_t k = 0; k < arrays.size(); ++k) out.push_back(b.function().result(node, k));
    return out;
}

ir::ValueId reduce_by(Checker& c, OpId op, ir::ValueId array, ir::ValueId identity,
                      const std::vector<uint32_t>& axes) {
    return reduce_states(c, {array}, {identity}, axes, [&](const auto& left, const auto& right) {
        const DType dtype = c.builder.type(left[0]).dtype;
        const ir::ValueId operands[2] = {left[0], right[0]};
        return std::vector<ir::ValueId>{c.builder.elementwise(op, operands, dtype)};
    })[0];
}

ir::ValueId sum_over(Checker& c, ir::ValueId array, const std::vector<uint32_t>& axes) {
    const DType dtype = c.builder.type(array).dtype;
    const ir::ValueId identity = identity_of(c.builder, ReductionIdentity::zero, dtype);
    const ir::ValueId sum = reduce_by(c, OpId::add_, array, identity, axes);
    return is_float(dtype) ? elementwise(c.builder, OpId::add_, {sum, constant_of(c.builder, dtype, 0.0)})
                           : sum;
}

namespace {

ir::ValueId with_axes(Checker& c, ir::ValueId reduced, const std::vector<uint32_t>& axes,
                      const std::vector<ExtentId>& shape) {
    if (axes.empty()) return reduced;
    ir::IndexMap map;
    for (uint32_t axis = 0; axis < shape.size(); ++axis) {
        if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
        map.push_back({c.extents().constant(0), {{axis, c.extents().constant(1)}}});
    }
    return c.builder.view(reduced, std::move(map), shape);
}

}  // namespace

ir::ValueId spread_over(Checker& c, ir::ValueId reduced, const std::vector<uint32_t>& axes,
                        const std::vector<ExtentId>& shape) {
    return c.builder.type(reduced).scalar() ? reduced : with_axes(c, reduced, axes, shape);
}

ir::ValueId with_unit_axes(Checker& c, ir::ValueId reduced, const std::vector<uint32_t>& axes) {
    const std::vector<ExtentId> kept = c.builder.type(reduced).shape;
    std::vector<ExtentId> shape;
    size_t next = 0;
    for (uint32_t axis = 0; axis < kept.size() + axes.size(); ++axis) {
        const bool reduced_axis = std::find(axes.begin(), axes.end(), axis) != axes.end();
        shape.push_back(reduced_axis ? c.extents().constant(1) : kept[next++]);
    }
    return with_axes(c, reduced, axes, shape);
}

}  // namespace fuseline::dsl
