// Budgets of fusion on large graphs, and its speed.
#include <chrono>

#include "compiler/pipeline/pipeline.h"
#include "tests/catch.h"
#include "tests/unit/passes/random_graph.h"
#include "tests/unit/schedule/plan_runner.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

ir::Type vector_type(ir::Builder& b) { return {ir::TypeKind::value, DType::f32_, {b.extents().symbol("n")}}; }

/// z = z * y + y ... over `steps` operators.
ir::Function chain(size_t steps) {
    ir::Builder b(ir::Form::graph, "chain");
    const ir::ValueId x = b.parameter("x", vector_type(b)), y = b.parameter("y", vector_type(b));
    ir::ValueId z = x;
    for (size_t k = 0; k < steps; ++k) {
        const ir::ValueId operands[] = {z, y};
        z = b.elementwise(k % 2 == 0 ? OpId::mul_ : OpId::add_, operands, DType::f32_);
    }
    return b.finish({z}, {"z"});
}

ir::Function sum_of(size_t arrays) {
    ir::Builder b(ir::Form::graph, "sum");
    std::vector<ir::ValueId> x;
    for (size_t k = 0; k < arrays; ++k) x.push_back(b.parameter("x" + std::to_string(k), vector_type(b)));
    ir::ValueId z = x[0];
    for (size_t k = 1; k < arrays; ++k) {
        const ir::ValueId operands[] = {z, x[k]};
        z = b.elementwise(OpId::add_, operands, DType::f32_);
    }
    return b.finish({z}, {"z"});
}

size_t groups(const ir::Function& fused) {
    size_t count = 0;
    for (ir::NodeId id : fused.region(fused.body()).nodes)
        count += fused.node(id).op.is(ir::Structure::group_) ? 1 : 0;
    return count;
}

size_t largest_parameters(const Compiled& c) {
    size_t most = 0;
    for (const ir::Function& k : c.kernels)
        most = std::max(most, k.region(k.body()).parameters.size() + k.sizes.size());
    return most;
}

HostArray filled(float value) {
    HostArray a{DType::f32_, {2}, std::vector<std::byte>(8)};
    for (size_t k = 0; k < 2; ++k) store_scalar(a.dtype, Scalar::of_f32(value), a.bytes.data() + 4 * k);
    return a;
}

void check_same(const Compiled& c, const std::vector<HostArray>& arguments) {
    const SizeMap sizes{{"n", 2}};
    const auto expected = interpret(c.graph, arguments, sizes);
    CHECK(difference(expected, interpret(c.fused, arguments, sizes)) == "");
    CHECK(difference(expected, run_plan(c.plan, c.kernels, arguments, sizes)) == "");
}

}  // namespace

TEST_CASE("a chain of 10 000 operators is cut into kernels of 1 024 nodes") {
    const auto start = std::chrono::steady_clock::now();
    const Compiled c = compile(chain(10'000), {});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    // Generous: the quadratic algorithms that this guards against take minutes.
    CHECK(seconds.count() < 20);
    CHECK(groups(c.fused) == 10);
    // Nine full ones of equal structure and the rest.
    CHECK(c.kernels.size() == 2);
    size_t splits = 0;
    for (const Remark& r : c.remarks)
        splits += r.reason.starts_with("budget of 1024 nodes") ? 1 : 0;
    CHECK(splits == 9);
    check_same(c, {filled(0.75F), filled(0.5F)});
}

TEST_CASE("a chain of scalars is cut as well") {
    ir::Builder b(ir::Form::graph, "scalars");
    ir::ValueId z = b.parameter("z", {ir::TypeKind::value, DType::f32_, {}});
    for (int k = 0; k < 3'000; ++k)
        z = b.elementwise(k % 2 == 0 ? OpId::neg_ : OpId::sqrt_, {&z, 1}, DType::f32_);
    const Compiled c = compile(b.finish({z}, {"z"}), {});
    CHECK(groups(c.fused) == 3);
    check_same(c, {HostArray{DType::f32_, {}, std::vector<std::byte>(4)}});
}

TEST_CASE("a sum of 1 000 arrays keeps within the bytes of parameters") {
    for (int bytes : {4'096, 32'764}) {
        Target target;
        target.parameter_bytes = bytes;
        const Compiled c = compile(sum_of(1'000), target);
        CHECK(largest_parameters(c) * 8 <= static_cast<size_t>(bytes));
        CHECK(groups(c.fused) == (bytes == 4'096 ? 3 : 1));
        check_same(c, std::vector<HostArray>(1'000, filled(1)));
    }
}

TEST_CASE("many results keep within the bytes of parameters") {
    ir::Builder b(ir::Form::graph, "many");
    const ir::ValueId x = b.parameter("x", vector_type(b));
    std::vector<ir::ValueId> yields;
    std::vector<std::string> names;
    for (int k = 0; k < 1'200; ++k) {
        const ir::ValueId operands[] = {x, b.constant(DType::f32_, Scalar::of_f32(static_cast<float>(k)))};
        // Every third result is the parameter itself.
        yields.push_back(k % 3 == 0 ? x : b.elementwise(OpId::add_, operands, DType::f32_));
        names.push_back("r" + std::to_string(k));
    }
    const Compiled c = compile(b.finish(yields, names), {});
    CHECK(largest_parameters(c) * 8 <= 4'096);
    check_same(c, {filled(2)});
}

TEST_CASE("a graph with long-lived values is cut, not refused") {
    ir::Builder b(ir::Form::graph, "wide");
    std::vector<ir::ValueId> v{b.parameter("x", vector_type(b)), b.parameter("y", vector_type(b))};
    for (size_t k = 0; k < 4'000; ++k) {
        const ir::ValueId operands[] = {v.back(), v[v.size() * 7 / 9]};
        v.push_back(b.elementwise(k % 3 == 0 ? OpId::sub_ : OpId::mul_, operands, DType::f32_));
    }
    const Compiled c = compile(b.finish({v.back()}, {"z"}), {});
    CHECK(largest_parameters(c) * 8 <= 4'096);
    check_same(c, {filled(0.99F), filled(1.01F)});
}

TEST_CASE("a chain of stencils stores where computing halos again costs too much") {
    ir::Builder b(ir::Form::graph, "stencils");
    ExtentPool& p = b.extents();
    ExtentId size = p.add(p.symbol("n"), p.constant(40));
    ir::ValueId z = b.parameter("x", {ir::TypeKind::value, DType::f32_, {size}});
    for (int k = 0; k < 20; ++k) {
        size = p.sub(size, p.constant(2));
        const ir::ValueId left = b.view(z, {{p.constant(0), {{0, p.constant(1)}}}}, {size});
        const ir::ValueId right = b.view(z, {{p.constant(2), {{0, p.constant(1)}}}}, {size});
        const ir::ValueId operands[] = {left, right};
        z = b.elementwise(OpId::add_, operands, DType::f32_);
    }
    const Compiled c = compile(b.finish({z}, {"z"}), {});
    CHECK(groups(c.fused) > 1);
    CHECK(groups(c.fused) < 10);
    HostArray x{DType::f32_, {42}, std::vector<std::byte>(168)};
    for (size_t k = 0; k < 42; ++k)
        store_scalar(x.dtype, Scalar::of_f32(static_cast<float>(k % 5)), x.bytes.data() + 4 * k);
    check_same(c, {x});
}
