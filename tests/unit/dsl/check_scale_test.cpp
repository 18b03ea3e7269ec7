// Long and deep programs elaborate without deep recursion and in reasonable time.
#include <string>

#include <fmt/format.h>

#include "dsl/program.h"
#include "tests/catch.h"

namespace {

using namespace fuseline;

Program check(const std::string& text, Diagnostics& diagnostics) {
    SourceMap sources;
    Program program = check_program(sources, "test.dsl", text, nullptr, diagnostics);
    INFO(render(diagnostics.sorted(), sources));
    CHECK(!diagnostics.has_errors());
    return program;
}

size_t body_nodes(const Program& program) {
    REQUIRE(program.entries.size() == 1);
    const ir::Function& graph = program.entries[0].graph;
    return graph.region(graph.body()).nodes.size();
}

TEST_CASE("a sum of 10 000 terms") {
    std::string text = "fn f(x: f32[n]) = x";
    for (int i = 0; i < 10000; ++i) text += " + x";
    Diagnostics diagnostics;
    CHECK(body_nodes(check(text, diagnostics)) == 10000);
}

TEST_CASE("2 000 nested parentheses, function calls and conditionals") {
    const int depth = 2000;
    std::string parentheses = "fn f(x: f32[n]) = ", calls = parentheses, arms = "elemental fn f(x: f32) = ";
    for (int i = 0; i < depth; ++i) parentheses += "(1 + ";
    for (int i = 0; i < depth; ++i) calls += "exp(";
    for (int i = 0; i < depth; ++i) arms += "(x + ";
    parentheses += "x" + std::string(depth, ')');
    calls += "x" + std::string(depth, ')');
    arms += "x" + std::string(depth, ')');
    Diagnostics diagnostics;
    CHECK(body_nodes(check(parentheses, diagnostics)) == depth + 1);
    CHECK(body_nodes(check(calls, diagnostics)) == depth);
    CHECK(body_nodes(check(arms, diagnostics)) == depth);
}

TEST_CASE("10 000 statements") {
    std::string text = "fn f(x: f32[n]) {\n";
    for (int i = 0; i < 10000; ++i) text += "x = x * x\n";
    Diagnostics diagnostics;
    CHECK(body_nodes(check(text + "return x\n}\n", diagnostics)) == 10000);
}

TEST_CASE("loops nested to the limit, every carried name weak") {
    std::string text = "elemental fn f(x: f32) {\ns = 0\n";
    for (int i = 0; i < 10; ++i) text += "for i" + std::to_string(i) + " in 0..2 {\n";
    text += "s += x\n" + std::string(10, '}') + "\nreturn s\n}\n";
    Diagnostics diagnostics;
    const Program program = check(text, diagnostics);
    REQUIRE(program.entries.size() == 1);
    CHECK(program.entries[0].graph.type(program.entries[0].graph.region({0}).yields[0]).dtype == DType::f32_);
}

TEST_CASE("calls and blocks that nest too deep are reported") {
    std::string text = "fn step0(x) = x\n";
    for (int i = 1; i < 150; ++i) {
        text += "fn step" + std::to_string(i) + "(x) = step" + std::to_string(i - 1) + "(x)\n";
    }
    SourceMap sources;
    Diagnostics diagnostics;
    check_program(sources, "test.dsl", text + "fn g(x: f32[n]) = step149(x)\n", nullptr, diagnostics);
    REQUIRE(diagnostics.error_count() == 1);
    CHECK(diagnostics.sorted()[0].message == "calls nest deeper than 100 levels");
}

TEST_CASE("early returns in a row nest up to a limit") {
    std::string text = "elemental fn f(x: f32) -> f32 {\n";
    for (int i = 0; i < 150; ++i) text += "if x > " + std::to_string(i) + " { return x }\n";
    Diagnostics diagnostics;
    check(text + "return 0\n}\n", diagnostics);
}

TEST_CASE("blocks in calls in blocks are counted together") {
    std::string text = "elemental fn step0(x: f32) = x\n";
    for (int k = 1; k <= 90; ++k) {
        text += "elemental fn step" + std::to_string(k) + "(x: f32) -> f32 {\ny = x\n";
        for (int i = 0; i < 90; ++i) text += "if x > " + std::to_string(i) + " {\n";
        text += "y = step" + std::to_string(k - 1) + "(x)\n" + std::string(90, '}') + "\nreturn y\n}\n";
    }
    SourceMap sources;
    Diagnostics diagnostics;
    check_program(sources, "test.dsl", text, nullptr, diagnostics);
    REQUIRE(diagnostics.has_errors());
    CHECK(diagnostics.sorted()[0].message == "blocks and early returns nest deeper than 300 levels");
}

TEST_CASE("calls of weak values that double at each level end with one message") {
    std::string text = "fn g0(x) = x\n";
    for (int i = 1; i <= 40; ++i) text += fmt::format("fn g{0}(x) = g{1}(x) + g{1}(x)\n", i, i - 1);
    Diagnostics diagnostics;
    SourceMap sources;
    check_program(sources, "test.dsl", text + "fn f(a: f64) = a * g40(1)\n", nullptr, diagnostics);
    const auto all = diagnostics.sorted();
    REQUIRE(all.size() == 1);
    CHECK(all[0].message == "calls inside calls make this program larger than 100000 operations");
}

}  // namespace
