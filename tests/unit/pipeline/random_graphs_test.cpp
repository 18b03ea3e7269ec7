// Random graphs give the same bits unfused, fused, and as a plan of kernels.
#include "compiler/pipeline/pipeline.h"
#include "tests/catch.h"
#include "tests/unit/passes/random_graph.h"
#include "tests/unit/schedule/plan_runner.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

void compare(uint64_t seed, size_t steps, int parameter_bytes) {
    INFO("seed " << seed << ", " << steps << " steps, " << parameter_bytes << " bytes of parameters");
    RandomGraph random(seed, steps);
    const ir::Function graph = random.build();
    Target target;
    target.parameter_bytes = parameter_bytes;
    const Compiled compiled = compile(graph, target);
    for (int k = 0; k < 2; ++k) {
        const auto sizes = random.sizes();
        INFO("n = " << sizes.at("n") << ", m = " << sizes.at("m") << "\n" << ir::print(graph));
        const auto arguments = RandomGraph::arguments(graph, sizes, seed + static_cast<uint64_t>(k));
        const auto expected = interpret(graph, arguments, sizes);
        CHECK(difference(expected, interpret(compiled.fused, arguments, sizes)) == "");
        CHECK(difference(expected, run_plan(compiled.plan, compiled.kernels, arguments, sizes)) == "");
    }
}

}  // namespace

TEST_CASE("random graphs: fused and scheduled give the bits of the interpreter") {
    for (uint64_t seed = 1; seed <= 150; ++seed) compare(seed, 5 + seed % 40, 4'096);
}

TEST_CASE("random graphs: the same under a small parameter budget") {
    for (uint64_t seed = 1'000; seed <= 1'060; ++seed) compare(seed, 30 + seed % 60, 200);
}
