// The text form: what is printed is read back as the same function; bad text is a user's error with a place.
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>

#include "compiler/ir/ir.h"
#include "compiler/support/errors.h"
#include "tests/catch.h"

using namespace fuseline;
using namespace fuseline::ir;

namespace {

Function parse_one(const std::string& text) {
    SourceMap sources;
    std::vector<Function> all = parse_functions(sources, sources.add("test.ir", text));
    REQUIRE(all.size() == 1);
    return std::move(all[0]);
}

std::string canonical(const Function& f) {
    PrintOptions options;
    options.canonical = true;
    return print(f, options);
}

/// The text must come back letter by letter, in both modes.
void check_round_trip(const std::string& text) {
    const Function f = parse_one(text);
    CHECK(print(f) == text);
    CHECK(verify(f) == std::vector<std::string>{});
    const std::string key = canonical(f);
    CHECK(canonical(parse_one(key)) == key);
}

std::string message(const std::string& text, std::string* place = nullptr) {
    SourceMap sources;
    try {
        parse_functions(sources, sources.add("t", text));
    } catch (const UserError& e) {
        if (place != nullptr) *place = sources.text(e.diagnostics().at(0).span);
        return e.diagnostics().at(0).message;
    }
    return "no error";
}

constexpr const char* kGraph =
    R"(graph all(%s: f32[n], %"two words": f32[m, n], %r: f32) -> (call: f32[n], "a b": f32[m, n]) options(contract) {
  %c = constant 2.0 : f32
  %minus_zero = constant -0.0 : f32
  %0 = constant nan : f32
  %1 = constant bits(0x7fc00001) : f32
  %2 = constant true : bool
  %c.1 = mul %s, %c : f32[n]
  %v = view %s [i] -> [-i + n - 1] : f32[n]
  %3 = view %r [i, j] -> [] : f32[m, n]
  %4 = view %s [i, j] -> [j] : f32[m, n]
  %5 = view %s [] -> [0] : f32
  %6 = index [i, j] -> [n*i + j - 2*m] : i64[m, n]
  %7 = index [i] -> [(n//2)*i + 1 - 3*n] : i64[n]
  %size = extent n//2 : i64
  check n >= min(m, 3), "say \"so\"\n"
  check m == n, ""
  %p, %q = apply %s, %c.1 : f32[n], f32[n] (%x: f32, %y: f32) {
    %t = lt %x, %y : bool
    %d = if %t : f32 {
      yield %x
    } else {
      %8 = add %x, %y : f32
      yield %8
    }
    %k = while %x : f32 (%a: f32) {
      %9 = lt %a, %d : bool
      yield %9
    } do (%a.1: f32) {
      %z = add %a.1, %d : f32
      yield %z
    }
    %lo = constant 0 : i64
    %sum = for %lo, %size, %k : f32 (%i: i64, %acc: f32) {
      %10 = add %acc, %x : f32
      yield %10
    }
    yield %d, %sum
  }
  %g = group "map" %p, %r : f32[n] (%e: f32[n], %f: f32) {
    %11 = mul %e, %f : f32[n]
    yield %11
  }
  yield %g, %3
}
)";

constexpr const char* kKernel =
    R"(kernel "map 0"(%s: read f32, %call: write f32, %r: f32) sizes(n, i) schedule(map) index(32) {
  %c = constant 2.0 : f32
  %0 = mul %r, %c : f32
  nest (a: n, j: i) grid lanes(4) {
    %1 = load %s [i*a + j] : f32
    %2 = index [2*j - n] : i64
    %3 = cast %2 : f32
    %4 = add %1, %0 : f32
    %5 = add %4, %3 : f32
    store %call [i*a + j], %5
  }
}
)";

constexpr const char* kRows =
    R"(kernel softmax_0(%x: read f32, %out: write f32, %m: write f32) sizes(n, m) schedule(rows) index(64) {
  %ninf = constant -inf : f32
  %zero = constant -0.0 : f32
  nest (i: n) grid {
    %v, %w = hold (r: m) team : held f32, held f64 {
      %x.1 = load %x [m*i + r] : f32
      %0 = cast %x.1 : f64
      yield %x.1, %0
    }
    %max = fold (r: m) team %ninf : f32 {
      %1 = load %v [r] : f32
      yield %1
    } combine (%a: f32, %b: f32) {
      %2 = max %a, %b : f32
      yield %2
    }
    store %m [i], %max
    nest (r: m) team {
      %3 = load %v [r] : f32
      %4 = load %w [r] : f64
      %5 = cast %4 : f32
      %6 = sub %3, %5 : f32
      %7 = sub %6, %max : f32
      store %out [m*i + r], %7
    }
  }
}
)";

constexpr const char* kPlan = R"(plan bs(%s: f32[n], %r: f32) -> (call: f32[n]) {
  check n >= 1, "at least one"
  %0 = extent 2*n : i64
  %call = alloc : f32[n]
  launch @"map 0"(%s, %call, %0) sizes(n = n, i = 2*n - 1)
  yield %call
}
)";

}  // namespace

TEST_CASE("every operation and form is read back") {
    check_round_trip(kGraph);
    check_round_trip(kKernel);
    check_round_trip(kRows);
    check_round_trip(kPlan);
    check_round_trip(
        "kernel scalar(%a: read f32, %b: write f32) sizes() schedule(map) index(64) {\n"
        "  nest () sequential {\n    %0 = load %a [0] : f32\n    store %b [0], %0\n  }\n}\n");
    check_round_trip("graph empty() -> () {\n}\n");
}

TEST_CASE("a file may hold several functions and comments") {
    SourceMap sources;
    const std::string text = std::string("// first\n") + kGraph + "\n  // second\n" + kKernel + kPlan;
    const std::vector<Function> all = parse_functions(sources, sources.add("t", text));
    REQUIRE(all.size() == 3);
    CHECK(print(all[2]) == kPlan);
    PrintOptions with_places;
    with_places.sources = &sources;
    const std::string placed = print(all[2], with_places);
    CHECK(placed.find("%call = alloc : f32[n]  // t:") != std::string::npos);
    CHECK(print(parse_one(placed)) == kPlan);
}

TEST_CASE("canonical text has no names") {
    CHECK(canonical(parse_one(kKernel)) ==
          "kernel _(%0: read f32, %1: write f32, %2: f32) sizes(d0, d1) schedule(map) index(32) {\n"
          "  %3 = constant 2.0 : f32\n"
          "  %4 = mul %2, %3 : f32\n"
          "  nest (i: d0, j: d1) grid lanes(4) {\n"
          "    %5 = load %0 [d1*i + j] : f32\n"
          "    %6 = index [2*j - d0] : i64\n"
          "    %7 = cast %6 : f32\n"
          "    %8 = add %5, %4 : f32\n"
          "    %9 = add %8, %7 : f32\n"
          "    store %1 [d1*i + j], %9\n"
          "  }\n"
          "}\n");
}

TEST_CASE("canonical text does not depend on names or on what a pool holds") {
    std::string renamed = kKernel;
    for (size_t at = 0; (at = renamed.find("%call", at)) != std::string::npos;)
        renamed.replace(at, 5, "%zzz");
    CHECK(canonical(parse_one(renamed)) == canonical(parse_one(kKernel)));
    const std::string head = "(%x: read f32, %y: write f32) sizes(";
    const auto kernel = [&](const std::string& a, const std::string& b) {
        return parse_one("kernel k" + head + a + ", " + b + ") schedule(map) index(64) { nest (i: " + b +
                         ", j: " + a + ") grid { %v = load %x [" + a + "*i + j] : f32 store %y [" + a +
                         "*i + j], %v } }");
    };
    CHECK(canonical(kernel("n", "m")) == canonical(kernel("m", "n")));
    CHECK(canonical(kernel("n", "m")) == canonical(kernel("d1", "d0")));
}

TEST_CASE("bad text is a user's error with a place") {
    std::string place;
    CHECK(message("graph f() -> () { %x = frob : f32 }", &place) == "there is no operation `frob`");
    CHECK(place == "frob");
    CHECK(message("graph f(%x: f33) -> () { }", &place) == "there is no element type `f33`");
    CHECK(place == "f33");
    CHECK(message("graph f(%x: f32[n + ]) -> () { }") == "`n +` is not a size expression");
    CHECK(message("graph f(%x: f32) -> (f32) { yield %y }", &place) == "%y is not defined");
    CHECK(place == "%y");
    CHECK(message("graph f(%x: f32, %x: f32) -> () { }") == "%x is defined twice");
    CHECK(message("graph f(%x: f32) -> (r: f64) { yield %x }") ==
          "the declared type differs from that of the yielded value");
    CHECK(message("graph f(%x: f32) -> () { yield %x }") == "0 results are declared, 1 are yielded");
    CHECK(message("graph f(%x: f32[n]) -> () { %v = view %x [i] -> [i*i] : f32[n] }") ==
          "`i*i` multiplies two axes");
    CHECK(message("graph f(%x: f32[n]) -> () { %v = view %x [i] -> [(i + 1)*n] : f32[n] }") ==
          "`(i + 1)` is not affine in i");
    CHECK(message("graph f(%x: f32[n]) -> () { %v = view %x [i, j] -> [i] : f32[n] }") ==
          "the map names 2 axes; the result has another rank");
    CHECK(message("graph f() -> () { %c = constant 1.5x : f32 }") == "`1.5x` is not a literal of type f32");
    CHECK(message("graph f() -> () { check n >= 1, \"no end }") == "the quoted text has no end");
    CHECK(message("graph f() -> () {") == "expected an operation");
    CHECK(message("grph f() -> () {}") == "expected `graph`, `kernel` or `plan`");
    CHECK(message("graph f() -> () options(fats) {}") == "there is no option `fats`");
    CHECK(message("graph f(%x: bool) -> () { if %x { } }") == "expected `else` and the next region");
    CHECK(message("kernel k() sizes() schedule(map) index(640) {}") ==
          "expected the width of indices: an integer from 32 to 64");
}

TEST_CASE("an unsound function prints as text that reads back") {
    // Only nests have indices; a value of that type elsewhere is for the verifier to refuse, not for the
    // printer.
    const std::string text = R"(plan bs(%i: index) -> (result: index) {
  %0 = extent 2*n : index
  %a = alloc : f32[n]
  launch @map(%a, %0) sizes(n = n)
  yield %0
}
)";
    const Function f = parse_one(text);
    CHECK(print(f) == text);
    CHECK_FALSE(verify(f).empty());
}

TEST_CASE("a size whose text would fill the memory is a user's error with a place") {
    std::string size = "n";
    for (int k = 0; k < 60; ++k) size += fmt::format(" % d{}", k);
    std::string place;
    CHECK(message("graph g(%x: f32[" + size + "]) -> () {}", &place).find("is not a size expression") !=
          std::string::npos);
    CHECK(place == size);
}

TEST_CASE("a chain of ten thousand operators takes linear time") {
    Builder b(Form::graph, "chain");
    const ExtentId n = b.extents().symbol("n");
    const ValueId x = b.parameter("x", {TypeKind::value, DType::f32_, {n}});
    ValueId v = x;
    for (int k = 0; k < 10000; ++k) {
        const ValueId operands[] = {v, x};
        v = b.elementwise(k % 2 == 0 ? OpId::add_ : OpId::mul_, operands, DType::f32_);
        b.name_value(v, "v");
    }
    const Function f = b.finish({v}, {"v"});
    const auto start = std::chrono::steady_clock::now();
    const std::string text = print(f);
    const Function again = parse_one(text);
    CHECK(print(again) == text);
    CHECK(verify(again).empty());
    Builder copy(Form::graph, "chain");
    Cloner cloner(f, copy);
    cloner.parameters();
    CHECK(print(copy.finish(cloner.inline_region(f.body()), {"v"})) == text);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("deeply nested regions do not recurse") {
    constexpr int kDepth = 5000;
    std::string text =
        "graph deep(%c: bool, %x: f32) -> (r: f32) {\n%r = apply %c, %x : f32 (%d: bool, %y: f32) {\n";
    for (int k = 0; k < kDepth; ++k) text += fmt::format("%a{} = if %d : f32 {{\n", k);
    text += "yield %y\n";
    for (int k = kDepth; k-- > 0;) {
        text += "} else { yield %y }\n";
        if (k > 0) text += fmt::format("yield %a{}\n", k);
    }
    text += "yield %a0 } yield %r }\n";
    const Function f = parse_one(text);
    CHECK(verify(f).empty());
    Builder b(Form::graph, "deep");
    Cloner cloner(f, b);
    cloner.parameters();
    const Function copy = b.finish(cloner.inline_region(f.body()), {"r"});
    CHECK(print(copy) == print(f));
}

TEST_CASE("docs/ir.md shows sound functions and the table as it is") {
    std::ifstream file("docs/ir.md");
    REQUIRE(file);
    const std::string page(std::istreambuf_iterator<char>(file), {});
    CHECK(page.find(structures_markdown()) != std::string::npos);
    int examples = 0;
    const std::string fence = "```ir\n";
    for (size_t at = 0; (at = page.find(fence, at)) != std::string::npos; ++examples) {
        at += fence.size();
        check_round_trip(page.substr(at, page.find("```", at) - at));
    }
    CHECK(examples == 6);
}
