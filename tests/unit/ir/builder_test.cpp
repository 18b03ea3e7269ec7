// Builder merges equal pure nodes; Cloner copies functions whole.
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/ir/ir.h"
#include "compiler/support/errors.h"
#include "tests/catch.h"

using namespace fuseline;
using namespace fuseline::ir;

namespace {

Type scalar(DType dtype) { return {TypeKind::value, dtype, {}}; }
Type array(Builder& b, DType dtype, const char* size) {
    return {TypeKind::value, dtype, {b.extents().symbol(size)}};
}

ValueId binary(Builder& b, OpId op, ValueId x, ValueId y) {
    const ValueId operands[] = {x, y};
    return b.elementwise(op, operands, b.type(x).dtype);
}

/// A graph with a region of each kind that a graph has.
Function nested_graph() {
    Builder b(Form::graph, "nested");
    const ValueId x = b.parameter("x", array(b, DType::f32_, "n"));
    const RegionId apply = b.make_region();
    const ValueId p = b.region_parameter(apply, scalar(DType::f32_), "p");
    b.set_insertion(apply);
    const ValueId zero = b.constant(DType::f32_, Scalar::of_f32(0));
    const ValueId pair[] = {p, zero};
    const ValueId less = b.elementwise(OpId::lt_, pair, DType::bool_);
    const RegionId arms[] = {b.make_region(), b.make_region()};
    b.set_insertion(arms[0]);
    const ValueId negated = b.elementwise(OpId::neg_, {&p, 1}, DType::f32_);
    b.set_yields(arms[0], {negated});
    b.set_yields(arms[1], {p});
    b.set_insertion(apply);
    const NodeId choice = b.node(Structure::if_, {&less, 1}, {scalar(DType::f32_)}, {}, arms);
    b.set_yields(apply, {b.function().result(choice)});
    b.set_insertion(b.function().body());
    b.set_span({7, 9});
    const NodeId mapped = b.node(Structure::apply_, {&x, 1}, {b.type(x)}, {}, {&apply, 1});
    b.name_value(b.function().result(mapped), "y");
    return b.finish({b.function().result(mapped)}, {"y"});
}

}  // namespace

TEST_CASE("equal pure nodes are one node") {
    Builder b(Form::graph, "f");
    const ValueId x = b.parameter("x", array(b, DType::f32_, "n"));
    const ValueId y = b.parameter("y", array(b, DType::f32_, "n"));
    CHECK(binary(b, OpId::add_, x, y) == binary(b, OpId::add_, x, y));
    CHECK(binary(b, OpId::add_, x, y) != binary(b, OpId::add_, y, x));
    CHECK(binary(b, OpId::add_, x, y) != binary(b, OpId::mul_, x, y));
    const ExtentId n = b.extents().symbol("n");
    const Affine forward{{}, {{0, b.extents().constant(1)}}};
    const Affine backward{b.extents().sub(n, b.extents().constant(1)), {{0, b.extents().constant(-1)}}};
    CHECK(b.view(x, {forward}, {n}) == b.view(x, {forward}, {n}));
    CHECK(b.view(x, {forward}, {n}) != b.view(x, {backward}, {n}));
    CHECK(b.index(forward, {n}) == b.index(forward, {n}));
    CHECK(b.extent(n) == b.extent(n));
    CHECK(b.cast(x, DType::f32_) == x);
    CHECK(b.cast(x, DType::f64_) == b.cast(x, DType::f64_));
}

TEST_CASE("constants are compared by bits and type") {
    Builder b(Form::graph, "f");
    const auto f32 = [&](float v) { return b.constant(DType::f32_, Scalar::of_f32(v)); };
    CHECK(f32(1) == f32(1));
    CHECK(f32(0.0f) != f32(-0.0f));
    CHECK(f32(std::numeric_limits<float>::quiet_NaN()) == f32(std::numeric_limits<float>::quiet_NaN()));
    CHECK(f32(std::bit_cast<float>(0x7fc00000u)) != f32(std::bit_cast<float>(0x7fc00001u)));
    CHECK(f32(0) != b.constant(DType::f64_, Scalar::of_f64(0)));
    CHECK(b.constant(DType::i64_, Scalar::of_i64(1)) != b.constant(DType::bool_, Scalar::of_bool(true)));
}

TEST_CASE("effects and nodes with regions stay apart") {
    Builder b(Form::graph, "f");
    const ExtentId n = b.extents().symbol("n");
    b.check({n, b.extents().constant(1), Check::Relation::greater_equal, "some"});
    b.check({n, b.extents().constant(1), Check::Relation::greater_equal, "some"});
    CHECK(b.function().node_count() == 2);
}

TEST_CASE("a node is reused in inner regions only") {
    Builder b(Form::graph, "f");
    const RegionId first = b.make_region(), second = b.make_region();
    b.set_insertion(first);
    const ValueId in_first = b.constant(DType::f32_, Scalar::of_f32(1));
    b.set_insertion(second);
    const ValueId in_second = b.constant(DType::f32_, Scalar::of_f32(1));
    b.set_insertion(b.function().body());
    const ValueId outside = b.constant(DType::f32_, Scalar::of_f32(1));
    b.set_insertion(second);
    CHECK(in_first != in_second);
    CHECK(outside != in_first);
    CHECK(b.constant(DType::f32_, Scalar::of_f32(1)) == in_second);
    b.set_insertion(b.function().body());
    const ValueId two = b.constant(DType::f32_, Scalar::of_f32(2));
    b.set_insertion(first);
    CHECK(b.constant(DType::f32_, Scalar::of_f32(2)) == two);
}

TEST_CASE("a region that has its owner takes no more nodes") {
    Builder b(Form::graph, "f");
    const RegionId region = b.make_region();
    b.node(Structure::apply_, {}, {}, {}, {&region, 1});
    b.set_insertion(region);
    CHECK_THROWS_AS(b.constant(DType::f32_, {}), InternalError);
}

TEST_CASE("the first name of a value stays") {
    Builder b(Form::graph, "f");
    const ValueId one = b.constant(DType::f32_, Scalar::of_f32(1));
    b.name_value(one, "");
    b.name_value(one, "one");
    b.name_value(one, "two");
    CHECK(b.function().value_name(one) == "one");
    b.name_value(one, "three", true);
    CHECK(b.function().value_name(one) == "three");
}

TEST_CASE("a clone prints as its original") {
    const Function f = nested_graph();
    REQUIRE(verify(f).empty());
    Builder b(Form::graph, "nested");
    Cloner cloner(f, b);
    cloner.parameters();
    const Function copy = b.finish(cloner.inline_region(f.body()), f.result_names);
    CHECK(print(copy) == print(f));
    const NodeId last = copy.region(copy.body()).nodes.back();
    CHECK(copy.span(last) == Span{7, 9});
}

TEST_CASE("a cloner renames sizes by what its values are mapped to") {
    const Function f = nested_graph();
    Builder b(Form::graph, "twice");
    const ValueId z = b.parameter("z", array(b, DType::f32_, "n"));
    Cloner once(f, b);
    once.map(f.region(f.body()).parameters[0], z);
    const std::vector<ValueId> first = once.inline_region(f.body());
    Cloner again(f, b);
    again.map(f.region(f.body()).parameters[0], first[0]);
    const Function g = b.finish(again.inline_region(f.body()), {"result"});
    CHECK(verify(g).empty());
    CHECK(g.node_count() == 2 * f.node_count());
    CHECK_THROWS_AS(Cloner(f, b).value({0}), InternalError);
}

TEST_CASE("every structural operation has one row, found by name") {
    REQUIRE(structure_count() == 29);
    for (size_t k = 0; k < structure_count(); ++k) {
        const auto s = static_cast<Structure>(k);
        CHECK(row(s).id == s);
        CHECK(structure_named(row(s).name) == s);
        // `@` is an operator of the language whose meaning is the structural operation.
        CHECK(op_named(row(s).name).has_value() == (s == Structure::matmul_));
        CHECK(Opcode(s).name() == row(s).name);
    }
    CHECK_FALSE(structure_named("nothing").has_value());
}
