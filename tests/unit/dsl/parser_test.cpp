// The parser where text tests are no help: depth, length, places, and the order of nodes.
#include "dsl/parser.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

struct Parsed {
    SourceMap sources;
    Diagnostics diagnostics;
    ast::Tree tree;

    explicit Parsed(const std::string& text) {
        tree = parse(sources, sources.add("test.dsl", text), diagnostics);
    }
    const ast::Expr& value() const { return tree[tree[tree.script.at(0)].value]; }
    std::string_view source(Span span) const { return sources.text(span); }
    std::string errors() const { return render(diagnostics.sorted(), sources); }
};

std::string repeat(const std::string& part, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += part;
    return out;
}

}  // namespace

TEST_CASE("2 500 nested brackets, calls, subscripts and signs parse", "[dsl][parser]") {
    const struct {
        const char *open, *close;
    } forms[] = {{"(", ")"},
                 {"[", "]"},
                 {"f(", ")"},
                 {"x[", "]"},
                 {"- ", ""},
                 {"not ", ""},
                 {"sum(x for i in 0..", ")"}};
    for (const auto& form : forms) {
        const Parsed p("y = " + repeat(form.open, kMaxNesting) + "1" + repeat(form.close, kMaxNesting));
        CHECK(p.errors() == "");
        CHECK_FALSE(print_ast(p.tree).empty());
    }
}

TEST_CASE("one bracket more is one error at that bracket", "[dsl][parser]") {
    const Parsed p("y = " + repeat("(", kMaxNesting + 500) + "1" + repeat(")", kMaxNesting + 500) +
                   "\nz = 1\n");
    const auto all = p.diagnostics.sorted();
    REQUIRE(all.size() == 1);
    CHECK(all[0].message == "brackets nest deeper than 2500");
    CHECK(p.sources.describe(all[0].span) == "test.dsl:1:2505");
}

TEST_CASE("blocks nest to the limit, one more is one error", "[dsl][parser]") {
    const auto program = [](int depth) {
        return "fn f(x) {\n" + repeat("if x > 0 {\n", depth - 1) + "x = 1\n" + repeat("}\n", depth);
    };
    CHECK(Parsed(program(kMaxNesting)).errors() == "");
    const auto all = Parsed(program(kMaxNesting + 10)).diagnostics.sorted();
    REQUIRE(all.size() == 1);
    CHECK(all[0].message == "blocks nest deeper than 2500");
}

TEST_CASE("chains of 10 000 operators are no nesting", "[dsl][parser]") {
    for (const char* op : {" + ", " ** ", " < ", " and ", " if c else "}) {
        const Parsed p("y = " + repeat(std::string("x") + op, 10000) + "x\n");
        CHECK(p.errors() == "");
        CHECK_FALSE(print_ast(p.tree).empty());
    }
    CHECK(Parsed("y = x" + repeat("[0]", 10000) + repeat(".a", 10000)).errors() == "");
    CHECK(Parsed("fn f(x) {\nif x { y = 1 }" + repeat(" else if x { y = 2 }", 10000) + "\n}\n").errors() ==
          "");
}

TEST_CASE("operands have smaller ids than what uses them", "[dsl][parser]") {
    const Parsed p("y = [f(a < b < c, k=(x, y[i:j]))[0] ** -2 for i in reversed(0..n by 2)] if c else d.e\n");
    REQUIRE(p.errors() == "");
    for (uint32_t i = 0; i < p.tree.exprs.size(); ++i) {
        for (ast::ExprId operand : p.tree.exprs[i].operands) {
            if (operand) CHECK(operand.index < i);
        }
    }
}

TEST_CASE("spans cover what they stand for", "[dsl][parser]") {
    const Parsed p("y = (a + b) * f(x, k=1).z\n");
    const ast::Expr& product = p.value();
    CHECK(p.source(product.span) == "(a + b) * f(x, k=1).z");
    CHECK(p.source(product.op_span) == "*");
    CHECK(p.source(p.tree[product.operands[0]].span) == "(a + b)");
    const ast::Expr& field = p.tree[product.operands[1]];
    CHECK(p.source(field.op_span) == "z");
    const ast::Expr& call = p.tree[field.operands[0]];
    CHECK(p.source(call.span) == "f(x, k=1)");
    CHECK(p.source(call.name_spans.at(1)) == "k");
    CHECK(p.source(p.tree[p.tree.script[0]].span) == "y = (a + b) * f(x, k=1).z");
}

TEST_CASE("spans of statements, functions and types", "[dsl][parser]") {
    const Parsed p(
        "fn f(const k: f32[n, 2] = 3) -> (r: t[n]) {\n  if k > 1 { r = 1 } else if k { r = 2 }\n}\n");
    REQUIRE(p.errors() == "");
    const ast::Function& f = p.tree.functions.at(0);
    CHECK(p.source(f.name_span) == "f");
    CHECK(f.span.begin == p.sources.whole(0).begin);
    CHECK(p.source(f.parameters.at(0).span) == "const k: f32[n, 2] = 3");
    CHECK(p.source(f.parameters.at(0).type->span) == "f32[n, 2]");
    CHECK(p.source(f.results.at(0).type.span) == "t[n]");
    const ast::Stmt& outer = p.tree[f.body.at(0)];
    CHECK(p.source(outer.span) == "if k > 1 { r = 1 } else if k { r = 2 }");
    CHECK(p.source(p.tree[outer.otherwise.at(0)].span) == "if k { r = 2 }");
}

TEST_CASE("an empty file is an empty program", "[dsl][parser]") {
    const Parsed p("\n# nothing\n");
    CHECK(p.errors() == "");
    CHECK(print_ast(p.tree) == "");
}
