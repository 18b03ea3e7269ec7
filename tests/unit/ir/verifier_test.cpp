// Each rule of the verifier finds its fault and names it.
#include "compiler/ir/ir.h"
#include "compiler/support/errors.h"
#include "tests/catch.h"

using namespace fuseline;
using namespace fuseline::ir;

namespace {

std::vector<Function> parse(const std::string& text) {
    SourceMap sources;
    return parse_functions(sources, sources.add("test.ir", text));
}

/// The first fault of a text, "" when it is sound.
std::string fault(const std::string& text) {
    const std::vector<std::string> faults = verify(parse(text).at(0));
    return faults.empty() ? "" : faults.front();
}

std::string graph(const std::string& body,
                  const std::string& parameters = "%x: f32[n], %s: f32, %b: bool, %k: i64") {
    return "graph f(" + parameters + ") -> () {\n" + body + "\n}\n";
}
std::string scalar_code(const std::string& body) {
    return graph("%r = apply %s, %b, %k : f32 (%p: f32, %c: bool, %i: i64) {\n" + body + "\nyield %p }");
}
std::string kernel(const std::string& nest,
                   const std::string& parameters = "%a: read f32, %o: write f32, %q: f32") {
    return "kernel k(" + parameters + ") sizes(n) schedule(map) index(64) {\nnest (i: n) grid {\n" + nest +
           "\n}\n}\n";
}

}  // namespace

TEST_CASE("operations stand in their places") {
    CHECK(fault(graph("launch @k() sizes()")) == "place: launch: does not stand in a graph");
    CHECK(fault(graph("%r = if %b : f32 { yield %s } else { yield %s }")).empty());
    CHECK(fault(graph("%r = while %s : f32 (%a: f32) { yield %b } do (%c: f32) { yield %c }")) ==
          "place: %r = while: does not stand in a graph");
    CHECK(fault("kernel k(%o: write f32, %q: f32) sizes(n) schedule(reduce) index(64) { %s = fold (i: n) team %q : "
                "f32 { yield %q } combine (%a: f32, %b: f32) { yield %a } }") ==
          "place: %s = fold: stands directly in a nest only");
    CHECK(fault(scalar_code("check n == n, \"\"")) == "place: check: does not stand in an apply");
    CHECK(fault(graph("%g = group \"m\" %x : f32[n] (%y: f32[n]) { %h = group \"m\" %y : f32[n] (%z: f32[n]) "
                      "{ yield %z } yield %h }")) == "place: %h = group: does not stand inside a group");
    CHECK(fault(kernel("nest (j: n) grid { }")) ==
          "types: nest: a grid is no inner nest, a team no outer one");
    CHECK(fault(kernel("%t = constant true : bool if %t { store %o [i], %q } else { }")) ==
          "place: store %o: has an effect, which a scalar region does not have here");
    CHECK(fault("kernel k(%o: write f32, %q: f32) sizes() schedule(map) index(64) { store %o [0], %q }") ==
          "place: store %o: has an effect, which a kernel does not have here");
    CHECK(fault("plan p(%x: f32[n]) -> () { %v = view %x [i] -> [i] : f32[n] }") ==
          "place: %v = view: does not stand in a plan");
}

TEST_CASE("numbers of operands, results and regions") {
    CHECK(fault(graph("%y = add %x : f32[n]")) == "arity: %y = add: has 1 operands, needs 2");
    CHECK(fault(graph("%y = apply : f32 { }")) == "arity: %y = apply: has 1 results, needs 0");
    CHECK(fault(graph("%y, %z = neg %x : f32[n], f32[n]")) == "arity: %y, %z = neg: has 2 results, needs 1");
    Builder b(Form::graph, "f");
    b.node(Structure::constant_, {}, {{TypeKind::value, DType::f32_, {}}}, ExtentId{});
    CHECK(verify(b.finish({}, {})).at(0) == "arity: %0 = constant: has an attribute of the wrong kind");
}

TEST_CASE("ids exist") {
    Builder b(Form::graph, "f");
    const ValueId nowhere;
    b.node(OpId::neg_, {&nowhere, 1}, {{TypeKind::value, DType::f32_, {}}});
    CHECK(verify(b.finish({}, {})).at(0) == "ids: %0 = neg: an operand is no value of the function");
}

TEST_CASE("definitions dominate uses") {
    CHECK(fault(scalar_code("%r1 = if %c : f32 { %in = neg %p : f32 yield %in } else { yield %in }")) ==
          "dominance: %r1 = if: yields %in, which is not defined before it");
    CHECK(fault(scalar_code(
              "%r1 = if %c : f32 { %in = neg %p : f32 yield %in } else { yield %p } %z = neg %in : f32")) ==
          "dominance: %z = neg: uses %in, which is not defined before it");
    Builder b(Form::graph, "f");
    const RegionId region = b.make_region();
    b.set_insertion(region);
    const ValueId inner = b.constant(DType::f32_, {});
    b.set_insertion(b.function().body());
    const NodeId owner = b.node(Structure::apply_, {}, {}, {}, {&region, 1});
    (void)owner;
    CHECK(verify(b.finish({inner}, {"r"})).at(0) ==
          "dominance: f: yields %0, which is not defined before it");
}

TEST_CASE("groups see outside values through parameters") {
    CHECK(fault(graph("%g = group \"map\" %s : f32 (%y: f32) { %z = mul %y, %s : f32 yield %z }")) ==
          "captures: %z = mul: uses %s of outside its group: it must come in as an operand");
    CHECK(fault(graph("%c = constant 2.0 : f32 %g = group \"map\" %s : f32 (%y: f32) { %z = mul %y, %c : f32 "
                      "yield %z }"))
              .empty());
}

TEST_CASE("signatures") {
    CHECK(fault(graph("", "%x: read f32")) ==
          "signature: f: parameter %x has type read f32, which its form lacks");
    CHECK(fault(kernel("", "%q: f32, %a: read f32")) ==
          "signature: k: parameter %a: read buffers come first, then write buffers, then scalars");
    CHECK(fault(kernel("", "%a: f32[n]")) == "signature: k: parameter %a of a kernel has a shape");
    Function f = parse("graph f(%x: f32) -> (r: f32) { yield %x }").at(0);
    f.result_names.clear();
    CHECK(verify(f).at(0) == "signature: f: 1 results have 0 names");
    f = parse("graph f(%x: f32) -> (r: f32) { yield %x }").at(0);
    f.parameter_names.clear();
    CHECK(verify(f).at(0) == "signature: f: 1 parameters have 0 names");
}

TEST_CASE("types of elementwise operators") {
    CHECK(fault(graph("%y = lt %x, %x : f32[n]")) == "types: %y = lt: gives bool, the result is f32");
    CHECK(fault(graph("%y = add %x, %k : f32[n]")) ==
          "types: %y = add: computes in f32, operand 1 is i64: a cast is missing");
    CHECK(fault(graph("%y = div %k, %k : f64")) ==
          "types: %y = div: computes in f64, operand 0 is i64: a cast is missing");
    CHECK(fault(graph("%y = where %b, %x, %s : f32[n]")).empty());
    CHECK(fault(graph("%y = cast %x : i64[n]")).empty());
    CHECK(fault(graph("%y = matmul %x, %x : f32[n]")) ==
          "types: %y = matmul: needs two operands of one rank, 2 or more");
}

TEST_CASE("shapes are the result's or rank 0") {
    CHECK(fault(graph("%y = add %x, %s : f32[n]")).empty());
    CHECK(fault(graph("%v = view %x [i, j] -> [i] : f32[n, 3] %y = add %v, %x : f32[n, 3]")) ==
          "types: %y = add: operand 1 has type f32[n], the result f32[n, 3]: a view must broadcast it");
    CHECK(fault(graph("%y = neg %s : f32[n]")) == "types: %y = neg: the result has the shape of no operand");
}

TEST_CASE("types of structural operations") {
    CHECK(fault(graph("%y = view %x [i] -> [i, 0] : f32[n]")) ==
          "types: %y = view: the map gives 2 indices, the operand has rank 1");
    CHECK(fault(graph("%y = view %x [i] -> [i] : f64[n]")) ==
          "types: %y = view: a view keeps the element type");
    CHECK(fault(graph("%y = index [i] -> [i] : f32[n]")) == "types: %y = index: an index is i64");
    CHECK(fault(graph("%y = constant 1.0 : f32[n]")) == "types: %y = constant: a constant has rank 0");
    CHECK(fault(graph("%y = constant bits(0x2) : bool")) ==
          "types: %y = constant: 0x2 are not the bits of one bool");
    CHECK(fault(graph("%y = extent n : f32")) ==
          "types: %y = extent: the result and an extent differ: (f32) and (i64)");
    CHECK(fault(scalar_code("%v = if %i : f32 { yield %p } else { yield %p }")) ==
          "types: %v = if: the condition and a bool differ: (i64) and (bool)");
    CHECK(fault(scalar_code("%v = if %c : f32 { yield %i } else { yield %p }")) ==
          "types: %v = if: the yields of region 0 and the results differ: (i64) and (f32)");
    CHECK(fault(scalar_code("%v = while %p : f32 (%w: f32) { yield %w } do (%w.1: f32) { yield %w.1 }")) ==
          "types: %v = while: the condition's yields and a bool differ: (f32) and (bool)");
    CHECK(fault(scalar_code("%v = for %i, %i, %p : f32 (%j: f32, %w: f32) { yield %w }")) ==
          "types: %v = for: the parameters and i64 with the carried operands differ: (f32, f32) and (i64, "
          "f32)");
    CHECK(fault(graph("%y = apply %x : f32[n] (%p: f64) { yield %p }")) ==
          "types: %y = apply: the region's parameters and the operands' elements differ: (f64) and (f32)");
    CHECK(fault(graph("%y = group \"map\" %x : f32[n] (%z: f32[n]) { yield %s }")).find("captures") ==
          std::string::npos);
    CHECK(fault(graph("%y = group \"map\" %x : f64[n] (%z: f32[n]) { yield %z }")) ==
          "types: %y = group: the yields and the results differ: (f32[n]) and (f64[n])");
    CHECK(fault(graph("%y = apply %s : f32 (%p: f32) { %u = mul %x, %p : f32[n] yield %p }")) ==
          "types: %u = mul: gives f32[n] where only scalars are computed");
}

TEST_CASE("kernels load, compute scalars and store") {
    CHECK(fault(kernel("%v = load %a [i] : f32 store %o [i], %v")).empty());
    CHECK(fault(kernel("%v = load %o [i] : f32")) == "types: %v = load: loads from a read buffer only");
    CHECK(fault(kernel("%v = load %a [i] : f64")) ==
          "types: %v = load: the result and the buffer's element differ: (f64) and (f32)");
    CHECK(fault(kernel("store %a [i], %q")) == "types: store %a: stores to a write buffer only");
    CHECK(fault(kernel("%t = constant true : bool store %o [i], %t")) ==
          "types: store %o: the value and the buffer's element differ: (bool) and (f32)");
    CHECK(fault(kernel("%v = add %a, %q : f32")) == "types: %v = add: operand 0 is not a value");
    Builder b(Form::kernel, "k");
    const ValueId o = b.parameter("o", {TypeKind::write_buffer, DType::f32_, {}});
    const ValueId q = b.parameter("q", {TypeKind::value, DType::f32_, {}});
    const RegionId region = b.make_region();
    b.region_parameter(region, {TypeKind::index, DType::i64_, {}});
    b.set_insertion(region);
    const ValueId operands[] = {o, q};
    b.node(Structure::store_, operands, {}, Affine{{}, {{1, b.extents().constant(1)}}});
    b.set_insertion(b.function().body());
    b.node(Structure::nest_, {}, {}, Loops{{b.extents().constant(8)}, Mapping::grid, 1}, {&region, 1});
    CHECK(verify(b.finish({}, {})).at(0) == "types: store %o: has a term in axis 1; there are 1");
}

TEST_CASE("rows are held in a nest and read where they were written") {
    const std::string hold = "%v = hold (r: m) team : held f32 { %e = load %a [m*i + r] : f32 yield %e }\n";
    const auto rows = [&](const std::string& after) {
        return "kernel k(%a: read f32, %o: write f32, %q: f32) sizes(n, m) schedule(rows) index(64) {\n"
               "nest (i: n) grid {\n" +
               hold + after + "\n}\n}\n";
    };
    CHECK(fault(rows("nest (r: m) team { %w = load %v [r] : f32 store %o [m*i + r], %w }")).empty());
    CHECK(fault(rows("nest (r: m) team { %w = load %v [r + 1] : f32 }")) ==
          "types: %w = load: is not at the element of its own index");
    CHECK(fault(rows("nest (r: m) team { %w = load %v [m*i + r] : f32 }")) ==
          "types: %w = load: is not at the element of its own index");
    CHECK(fault(rows("nest (r: n) team { %w = load %v [r] : f32 }")) ==
          "types: %w = load: runs over other extents than the hold");
    CHECK(fault(rows("%w = load %v [i] : f32")) == "types: %w = load: runs over other extents than the hold");
    CHECK(fault(rows("nest (r: m) team { %w = load %v [r] : f64 }")) ==
          "types: %w = load: the result and the held element differ: (f64) and (f32)");
    CHECK(fault(rows("nest (r: m) team { %w = add %v, %q : f32 }")) ==
          "types: %w = add: operand 0 is not a value");
    CHECK(fault(rows("nest (r: m) grid { }")) == "types: nest: a grid is no inner nest, a team no outer one");
    CHECK(fault(rows("nest (r: m) team { nest (s: m) team { } }")) ==
          "place: nest: does not stand inside an inner nest");
    CHECK(fault(rows("nest (r: m) team { %w = hold (s: m) team : held f32 { yield %q } }")) ==
          "place: %w = hold: stands directly in a nest only");
    CHECK(fault(rows("%w = hold (s: m) team : f32 { yield %q }")) ==
          "types: %w = hold: the results and what is held differ: (f32) and (held f32)");
}

TEST_CASE("sizes are bound") {
    CHECK(fault(graph("%e = extent m : i64")) == "sizes: f: the size m is bound by no parameter");
    CHECK(fault(graph("%e = extent k + n : i64")).empty());
    CHECK(fault(kernel("%e = extent m : i64")) ==
          "sizes: k: the size m is bound by no parameter in sizes(..)");
    CHECK(fault("kernel k() sizes(n, n) schedule(map) index(64) { }") ==
          "sizes: k: a size is declared twice");
}

TEST_CASE("launches fit their kernels") {
    const std::string k = kernel("%v = load %a [i] : f32 store %o [i], %v", "%a: read f32, %o: write f32");
    const auto faults = [&](const std::string& launch) {
        const std::vector<Function> all =
            parse(k + "plan p(%x: f32[n], %d: f64[n]) -> () {\n%y = alloc : f32[n]\n" + launch + "\n}");
        const std::vector<std::string> found = verify_launches(all[1], std::span(all).first(1));
        return found.empty() ? std::string() : found.front();
    };
    CHECK(faults("launch @k(%x, %y) sizes(n = n)").empty());
    CHECK(faults("launch @l(%x, %y) sizes(n = n)") == "launches: launch %x: there is no kernel l");
    CHECK(faults("launch @k(%x) sizes(n = n)") ==
          "launches: launch %x: has 1 operands, kernel k has 2 parameters");
    CHECK(faults("launch @k(%d, %y) sizes(n = n)") ==
          "launches: launch %d: operand %d is f64, parameter a of the kernel is f32");
    CHECK(faults("launch @k(%x, %y) sizes(m = n)") ==
          "launches: launch %x: does not bind the sizes of kernel k in order");
}

TEST_CASE("a pass that breaks a function is named") {
    const Function f = parse(graph("%e = extent m : i64")).at(0);
    try {
        verify_or_throw(f, "fold");
        FAIL("no error");
    } catch (const InternalError& e) {
        const std::string what = e.what();
        CHECK(what.find("after fold") != std::string::npos);
        CHECK(what.find("%e = extent m : i64") != std::string::npos);
    }
}
