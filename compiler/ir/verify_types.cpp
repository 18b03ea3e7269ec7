// The verifier's rules on types and shapes, one function for each structural operation.
#include <algorithm>
#include <array>

#include "compiler/ir/verify_subject.h"

namespace fuseline::ir {

Type scalar_type(DType dtype) { return {TypeKind::value, dtype, {}}; }

void check_affine(const Subject& s, const Affine& affine, size_t rank) {
    for (size_t k = 0; k < affine.terms.size(); ++k) {
        const Affine::Term& t = affine.terms[k];
        if (t.axis >= rank) s.fault(fmt::format("has a term in axis {}; there are {}", t.axis, rank));
        if (k != 0 && t.axis <= affine.terms[k - 1].axis) s.fault("has axes that do not ascend");
        if (t.coefficient == ExtentId{}) s.fault(fmt::format("has the coefficient 0 for axis {}", t.axis));
    }
}

void check_combine(const Subject& s, const Region& region, const std::vector<Type>& state) {
    std::vector<Type> twice = state;
    twice.insert(twice.end(), state.begin(), state.end());
    s.same(s.types(region.parameters), twice, "the parameters of the combining region and two states");
    s.same(s.types(region.yields), state, "the yields of the combining region and a state");
}

namespace {

/// Operands have the result's shape or rank 0.
void check_shapes(const Subject& s) {
    const std::vector<ExtentId>& shape = s.result().shape;
    for (size_t k = 0; k < s.n.operands_count; ++k) {
        const Type& t = s.operand(k);
        if (t.rank() != 0 && t.shape != shape) {
            s.fault(fmt::format("operand {} has type {}, the result {}: a view must broadcast it", k,
                                s.c.type(t), s.c.type(s.result())));
        }
    }
    const bool given =
        std::ranges::any_of(s.c.f.operands(s.n), [&](ValueId v) { return s.c.f.type(v).shape == shape; });
    if (!given && s.n.operands_count != 0) s.fault("the result has the shape of no operand");
}

void check_elementwise(const Subject& s) {
    check_shapes(s);
    const OpRow& r = row(s.n.op.op());
    if (r.rule == TypeRule::cast) return;
    std::vector<DType> dtypes;
    for (ValueId v : s.c.f.operands(s.n)) dtypes.push_back(s.c.f.type(v).dtype);
    std::string why;
    const auto typing = op_typing(s.n.op.op(), dtypes.data(), dtypes.size(), &why, nullptr);
    if (!typing) return s.fault(why);
    if (typing->result != s.result().dtype) {
        s.fault(fmt::format("gives {}, the result is {}", name(typing->result), name(s.result().dtype)));
    }
    for (size_t k = r.rule == TypeRule::select ? 1 : 0; k < dtypes.size(); ++k) {
        if (dtypes[k] != typing->operation) {
            s.fault(fmt::format("computes in {}, operand {} is {}: a cast is missing",
                                name(typing->operation), k, name(dtypes[k])));
        }
    }
}

void check_constant(const Subject& s) {
    if (s.result().rank() != 0) s.fault("a constant has rank 0");
    std::array<std::byte, 16> bytes{};
    const DType dtype = s.result().dtype;
    store_scalar(dtype, s.attribute<Scalar>(), bytes.data());
    if (load_scalar(dtype, bytes.data()) != s.attribute<Scalar>()) {
        s.fault(fmt::format("0x{:x} are not the bits of one {}", s.attribute<Scalar>().bits, name(dtype)));
    }
}

void check_extent(const Subject& s) {
    s.same(s.result_types(), {scalar_type(DType::i64_)}, "the result and an extent");
}

void check_index(const Subject& s) {
    if (s.result().dtype != DType::i64_) s.fault("an index is i64");
    if (s.nest_rank != 0 && s.result().rank() != 0) s.fault("an index in a nest is a scalar");
    check_affine(s, s.attribute<Affine>(), s.nest_rank != 0 ? s.nest_rank : s.result().rank());
}

void check_view(const Subject& s) {
    const IndexMap& map = s.attribute<IndexMap>();
    if (s.result().dtype != s.operand(0).dtype) s.fault("a view keeps the element type");
    if (map.size() != s.operand(0).rank()) {
        s.fault(fmt::format("the map gives {} indices, the operand has rank {}", map.size(),
                            s.operand(0).rank()));
    }
    for (const Affine& affine : map) check_affine(s, affine, s.result().rank());
}

void check_window(const Subject& s) {
    check_view(s);
    s.same({s.operand(1)}, {scalar_type(s.operand(0).dtype)}, "what stands outside and an element");
}

void check_reshape(const Subject& s) {
    if (s.result().dtype != s.operand(0).dtype) s.fault("a reshape keeps the element type");
}

/// Operands from `first` on are i64, one for each axis of the first.
void check_gather(const Subject& s) {
    if (s.result().dtype != s.operand(0).dtype) s.fault("a gather keeps the element type");
    if (s.n.operands_count != 1 + s.operand(0).rank()) {
        s.fault(fmt::format("has {} indices, the operand has rank {}", s.n.operands_count - 1,
                            s.operand(0).rank()));
    }
    for (size_t k = 1; k < s.n.operands_count; ++k) {
        const Type& t = s.operand(k);
        if (t.dtype != DType::i64_ || (t.rank() != 0 && t.shape != s.result().shape)) {
            s.fault(fmt::format("index {} has type {}, not i64 in the result's shape", k - 1, s.c.type(t)));
        }
    }
}

void check_reduce(const Subject& s) {
    const std::vector<uint32_t>& axes = s.attribute<ReducedAxes>().axes;
    const size_t arrays = s.n.operands_count / 2;
    if (s.n.operands_count % 2 != 0) s.fault("has not as many identities as arrays");
    const Type& first = s.operand(0);
    std::vector<ExtentId> shape;
    size_t next = 0;
    for (uint32_t axis = 0; axis < first.rank(); ++axis) {
        if (next < axes.size() && axes[next] == axis) {
            ++next;
        } else {
            shape.push_back(first.shape[axis]);
        }
    }
    if (next != axes.size()) s.fault("its axes do not ascend within the operand's");
    std::vector<Type> state, results;
    for (size_t k = 0; k < arrays; ++k) {
        const DType dtype = s.operand(k).dtype;
        if (s.operand(k).shape != first.shape) s.fault(fmt::format("array {} has another shape", k));
        state.push_back(scalar_type(dtype));
        results.push_back({TypeKind::value, dtype, shape});
    }
    s.same(s.operand_types(arrays), state, "the identities and the elements");
    s.same(s.result_types(), results, "the results and the arrays without the axes");
    check_combine(s, s.region(0), state);
}

void check_update(const Subject& s) {
    const IndexMap& map = s.attribute<IndexMap>();
    s.same({s.operand(0)}, s.result_types(), "operand 0 and the result");
    if (s.operand(1).dtype != s.operand(0).dtype) s.fault("an update keeps the element type");
    if (map.size() != s.operand(0).rank()) {
        s.fault(
            fmt::format("the map gives {} indices, operand 0 has rank {}", map.size(), s.operand(0).rank()));
    }
    for (const Affine& affine : map) check_affine(s, affine, s.operand(1).rank());
}

void check_matmul(const Subject& s) {
    const Type &a = s.operand(0), &b = s.operand(1);
    if (a.rank() < 2 || b.rank() != a.rank()) return s.fault("needs two operands of one rank, 2 or more");
    Type wanted = a;
    wanted.shape.back() = b.shape.back();
    const size_t rows = a.rank() - 2;
    const bool batch =
        std::equal(a.shape.begin(), a.shape.begin() + static_cast<ptrdiff_t>(rows), b.shape.begin());
    if (!batch || a.shape.back() != b.shape[rows] || a.dtype != b.dtype) {
        s.fault(fmt::format("cannot multiply {} and {}", s.c.type(a), s.c.type(b)));
    }
    s.same(s.result_types(), {wanted}, "the result and the product");
}

void check_loop(const Subject& s) {
    const std::vector<Type> carried = s.operand_types();
    s.same(carried, s.result_types(), "the operands and the results");
    s.same(s.types(s.region(0).parameters), carried, "the region's parameters and the operands");
    s.same(s.types(s.region(0).yields), carried, "the yields and the operands");
    if (s.attribute<Iteration>().conditional) {
        const bool flag = !carried.empty() && carried[0] == scalar_type(DType::bool_);
        if (!flag) s.fault("is conditional and its first carried value is no bool");
    }
}

void check_assert(const Subject& s) {
    s.same({s.operand(0)}, {scalar_type(DType::bool_)}, "the operand and a bool");
}

void check_own(const Subject& s) { s.same({s.operand(0)}, s.result_types(), "the operand and the result"); }

void check_apply(const Subject& s) {
    std::vector<Type> parameters, yields;
    for (const Type& t : s.operand_types()) parameters.push_back(scalar_type(t.dtype));
    for (const Type& t : s.result_types()) yields.push_back(scalar_type(t.dtype));
    s.same(s.types(s.region(0).parameters), parameters, "the region's parameters and the operands' elements");
    s.same(s.types(s.region(0).yields), yields, "the region's yields and the results' elements");
    for (uint32_t k = 1; k < s.n.results_count; ++k) {
        if (s.result(k).shape != s.result().shape) s.fault("the results differ in shape");
    }
    if (s.n.results_count != 0) check_shapes(s);
    if (s.n.operands_count == 0 && s.n.results_count != 0 && s.result().rank() != 0) {
        s.fault("without operands the result is a scalar");
    }
}

void check_if(const Subject& s) {
    s.same({s.operand(0)}, {scalar_type(DType::bool_)}, "the condition and a bool");
    for (uint32_t k = 0; k < 2; ++k) {
        if (!s.region(k).parameters.empty()) s.fault(fmt::format("region {} has parameters", k));
        s.same(s.types(s.region(k).yields), s.result_types(),
               fmt::format("the yields of region {} and the results", k));
    }
}

void check_while(const Subject& s) {
    const std::vector<Type> carried = s.operand_types();
    s.same(carried, s.result_types(), "the operands and the results");
    s.same(s.types(s.region(0).parameters), carried, "the condition's parameters and the operands");
    s.same(s.types(s.region(1).parameters), carried, "the body's parameters and the operands");
    s.same(s.types(s.region(0).yields), {scalar_type(DType::bool_)}, "the condition's yields and a bool");
    s.same(s.types(s.region(1).yields), carried, "the body's yields and the operands");
}

void check_for(const Subject& s) {
    const Type i64 = scalar_type(DType::i64_);
    s.same({s.operand(0), s.operand(1)}, {i64, i64}, "start and stop and two i64");
    const std::vector<Type> carried = s.operand_types(2);
    std::vector<Type> parameters{i64};
    parameters.insert(parameters.end(), carried.begin(), carried.end());
    s.same(carried, s.result_types(), "the carried operands and the results");
    s.same(s.types(s.region(0).parameters), parameters, "the parameters and i64 with the carried operands");
    s.same(s.types(s.region(0).yields), carried, "the yields and the carried operands");
}

void check_group(const Subject& s) {
    s.same(s.types(s.region(0).parameters), s.operand_types(), "the parameters and the operands");
    s.same(s.types(s.region(0).yields), s.result_types(), "the yields and the results");
}

void check_launch(const Subject& s) {
    const Launch& launch = s.attribute<Launch>();
    if (launch.kernel.empty()) s.fault("names no kernel");
    for (size_t k = 0; k < launch.sizes.size(); ++k) {
        for (size_t j = 0; j < k; ++j) {
            if (launch.sizes[j].first == launch.sizes[k].first) {
                s.fault(fmt::format("binds the size {} twice", launch.sizes[k].first));
            }
        }
    }
}

void check_nothing(const Subject&) {}

struct StructureCheck {
    Structure structure;
    void (*run)(const Subject&);
};

constexpr StructureCheck kChecks[] = {
    {Structure::constant_, check_constant},
    {Structure::extent_, check_extent},
    {Structure::index_, check_index},
    {Structure::view_, check_view},
    {Structure::window_, check_window},
    {Structure::reshape_, check_reshape},
    {Structure::gather_, check_gather},
    {Structure::reduce_, check_reduce},
    {Structure::update_, check_update},
    {Structure::matmul_, check_matmul},
    {Structure::loop_, check_loop},
    {Structure::assert_, check_assert},
    {Structure::fold_, check_fold},
    {Structure::hold_, check_hold},
    {Structure::load_at_, check_load_at},
    {Structure::own_, check_own},
    {Structure::alias_, check_reshape},
    {Structure::library_, check_nothing},
    {Structure::apply_, check_apply},
    {Structure::if_, check_if},
    {Structure::while_, check_while},
    {Structure::for_, check_for},
    {Structure::check_, check_nothing},
    {Structure::group_, check_group},
    {Structure::nest_, check_nest},
    {Structure::load_, check_load},
    {Structure::store_, check_store},
    {Structure::alloc_, check_nothing},
    {Structure::launch_, check_launch},
};

/// Only loads and stores touch buffers and what is held, and no index is a value.
void check_kinds(const Subject& s) {
    const bool access =
        s.n.op.is(Structure::load_) || s.n.op.is(Structure::load_at_) || s.n.op.is(Structure::store_);
    for (size_t k = access ? 1 : 0; k < s.n.operands_count; ++k) {
        if (s.operand(k).kind != TypeKind::value) s.fault(fmt::format("operand {} is not a value", k));
    }
    for (uint32_t k = 0; k < s.n.results_count && !s.n.op.is(Structure::hold_); ++k) {
        if (s.result(k).kind != TypeKind::value) s.fault(fmt::format("result {} is not a value", k));
    }
}

/// In kernels, plans and scalar regions of graphs every computed value is a scalar.
bool scalars_only(const VerifyContext& c, const Node& n, const std::vector<bool>& scalar_region) {
    if (c.f.form == Form::plan) return n.op.elementwise();
    return c.f.form == Form::kernel || scalar_region[n.parent.index];
}

}  // namespace

void verify_types(VerifyContext& c) {
    const std::vector<bool> scalar_region = scalar_regions(c.f);
    std::vector<uint32_t> nest_rank(c.f.region_count(), 0);
    std::vector<NodeId> around(c.f.region_count());
    for (NodeId id : c.order) {
        const Node& n = c.f.node(id);
        const Subject s{c, id, n, nest_rank[n.parent.index], around[n.parent.index]};
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            const uint32_t region = n.regions_begin + k;
            nest_rank[region] = s.nest_rank;
            around[region] = s.loops;
            if (const auto* loops = std::get_if<Loops>(&n.attribute); loops != nullptr && k == 0) {
                nest_rank[region] += static_cast<uint32_t>(loops->extents.size());
                around[region] = id;
            }
        }
        check_kinds(s);
        if (scalars_only(c, n, scalar_region)) {
            for (const Type& t : s.result_types()) {
                if (t.rank() != 0)
                    s.fault(fmt::format("gives {} where only scalars are computed", c.type(t)));
            }
        }
        if (n.op.elementwise()) {
            check_elementwise(s);
        } else {
            std::ranges::find(kChecks, n.op.structure(), &StructureCheck::structure)->run(s);
        }
    }
}

void verify_sizes(VerifyContext& c) {
    std::set<std::string> bound(c.f.sizes.begin(), c.f.sizes.end());
    if (bound.size() != c.f.sizes.size()) c.fault_of_function("a size is declared twice");
    const Region& body = c.f.region(c.f.body());
    if (c.f.form != Form::kernel) {
        for (size_t k = 0; k < body.parameters.size(); ++k) {
            const Type& t = c.f.type(body.parameters[k]);
            for (ExtentId e : t.shape) {
                for (const std::string& name : c.f.extents.symbols(e)) bound.insert(name);
            }
            if (t.rank() == 0 && is_integer(t.dtype) && k < c.f.parameter_names.size()) {
                bound.insert(c.f.parameter_names[k]);
            }
        }
    }
    for (NodeId id : c.order) {
        const auto* steps = std::get_if<Iteration>(&c.f.node(id).attribute);
        if (steps != nullptr && steps->bounded()) bound.insert(steps->symbol);
    }
    std::set<ExtentId> seen;
    std::set<std::string> unbound;
    for_each_extent(c.f, [&](ExtentId e) {
        if (!seen.insert(e).second) return;
        for (std::string& name : c.f.extents.symbols(e)) {
            if (!bound.contains(name)) unbound.insert(std::move(name));
        }
    });
    for (const std::string& name : unbound) {
        c.fault_of_function(fmt::format("the size {} is bound by no parameter{}", name,
                                        c.f.form == Form::kernel ? " in sizes(..)" : ""));
    }
}

}  // namespace fuseline::ir
