// SizeProgram gives what ExtentPool::evaluate gives, over the operations of sizes and random values.
#include <map>
#include <random>

#include "compiler/ir/size_program.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

constexpr const char* kTexts[] = {
    "0",
    "-7",
    "n",
    "2*n - 3*m + 1",
    "n*m*k - m*m",
    "n // 2",
    "(n - m) // k",
    "n % 5 + m",
    "max(0, n - m)",
    "min(n, m, 2*k)",
    "max(0, min(n - 1, m // 3) - k)",
    "((n + 7) // 8 * 8 - n) * m",
    "9000000000000000000 + n*n",
};

}  // namespace

TEST_CASE("size programs agree with the pool", "[ir]") {
    ExtentPool pool;
    SizeProgram program;
    for (const char* name : {"k", "n", "m"}) program.slot(name);
    std::vector<ExtentId> extents;
    std::vector<SizeHandle> handles;
    for (const char* text : kTexts) {
        INFO(text);
        const auto e = pool.parse(text);
        REQUIRE(e.has_value());
        extents.push_back(*e);
        handles.push_back(program.add(pool, *e));
    }
    CHECK(program.symbols() == std::vector<std::string>{"k", "n", "m"});
    std::mt19937 random(5);
    for (int trial = 0; trial < 500; ++trial) {
        const int64_t top = trial % 5 == 0 ? 3'000'000'000 : 20;
        std::uniform_int_distribution<int64_t> size(0, top);
        const std::vector<int64_t> values{size(random), size(random), size(random)};
        const std::map<std::string, int64_t> named{{"k", values[0]}, {"n", values[1]}, {"m", values[2]}};
        for (size_t k = 0; k < extents.size(); ++k) {
            INFO(kTexts[k] << " for k, n, m = " << values[0] << ", " << values[1] << ", " << values[2]);
            CHECK(program.evaluate(handles[k], values) == pool.evaluate(extents[k], named));
        }
    }
}
