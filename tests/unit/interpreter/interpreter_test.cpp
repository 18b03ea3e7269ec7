// The reference interpreter on small graphs with values worked out by hand.
#include "compiler/interpreter/interpreter.h"

#include "compiler/support/errors.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

ir::Function parse(const std::string& text) {
    SourceMap sources;
    sources.add("test.ir", text);
    ir::Function f = ir::parse_functions(sources, 0).at(0);
    ir::verify_or_throw(f, "reading");
    return f;
}

HostArray array(DType type, std::vector<int64_t> shape, const std::vector<double>& values) {
    HostArray a{type, std::move(shape), {}};
    const auto size = static_cast<size_t>(byte_size(type));
    a.bytes.resize(size * values.size());
    for (size_t k = 0; k < values.size(); ++k) {
        const Scalar s = type == DType::f32_   ? Scalar::of_f32(static_cast<float>(values[k]))
                         : type == DType::f64_ ? Scalar::of_f64(values[k])
                                               : Scalar::of_i64(static_cast<int64_t>(values[k]));
        store_scalar(type, s, a.bytes.data() + k * size);
    }
    return a;
}

std::vector<double> values(const HostArray& a) {
    std::vector<double> all;
    const auto size = static_cast<size_t>(byte_size(a.dtype));
    for (size_t at = 0; at < a.bytes.size(); at += size) {
        const Scalar s = load_scalar(a.dtype, a.bytes.data() + at);
        all.push_back(a.dtype == DType::f32_   ? s.as_f32()
                      : a.dtype == DType::f64_ ? s.as_f64()
                                               : static_cast<double>(s.as_i64()));
    }
    return all;
}

std::vector<double> run(const std::string& text, const std::vector<HostArray>& arguments,
                        const std::map<std::string, int64_t>& sizes) {
    return values(interpret(parse(text), arguments, sizes).at(0));
}

using List = std::vector<double>;

}  // namespace

TEST_CASE("interpreter: elementwise operators, scalars stretch") {
    CHECK(run(R"(graph f(%x: f32[n], %s: f32) -> (y: f32[n]) {
  %p = mul %x, %s : f32[n]
  %y = add %p, %x : f32[n]
  yield %y
})",
              {array(DType::f32_, {3}, {1, 2, -3}), array(DType::f32_, {}, {10})},
              {{"n", 3}}) == List{11, 22, -33});
}

TEST_CASE("interpreter: views transpose, broadcast, shift and reverse") {
    const HostArray x = array(DType::i64_, {2, 3}, {1, 2, 3, 4, 5, 6});
    const std::map<std::string, int64_t> sizes{{"n", 2}, {"m", 3}};
    CHECK(run(R"(graph f(%x: i64[n, m]) -> (y: i64[m, n]) {
  %y = view %x [i, j] -> [j, i] : i64[m, n]
  yield %y
})",
              {x}, sizes) == List{1, 4, 2, 5, 3, 6});
    CHECK(run(R"(graph f(%x: i64[n, m]) -> (y: i64[n, m - 1]) {
  %y = view %x [i, j] -> [n - 1 - i, j + 1] : i64[n, m - 1]
  yield %y
})",
              {x}, sizes) == List{5, 6, 2, 3});
    CHECK(run(R"(graph f(%x: i64[m]) -> (y: i64[2, m]) {
  %y = view %x [i, j] -> [j] : i64[2, m]
  yield %y
})",
              {array(DType::i64_, {3}, {7, 8, 9})}, sizes) == List{7, 8, 9, 7, 8, 9});
}

TEST_CASE("interpreter: indices, sizes and casts") {
    CHECK(run(R"(graph f(%x: f64[n, m]) -> (y: f64[n, m]) {
  %k = index [i, j] -> [10*i + j] : i64[n, m]
  %n = extent 100*n : i64
  %s = add %k, %n : i64[n, m]
  %r = cast %s : f64[n, m]
  %y = add %x, %r : f64[n, m]
  yield %y
})",
              {array(DType::f64_, {2, 2}, {0.5, 0.5, 0.5, 0.5})},
              {{"n", 2}, {"m", 2}}) == List{200.5, 201.5, 210.5, 211.5});
}

TEST_CASE("interpreter: a while loop and a branch in an elemental function") {
    // Length of the Collatz sequence down to 1.
    const char* const collatz = R"(graph f(%x: i64[n]) -> (y: i64[n]) {
  %y = apply %x : i64[n] (%e: i64) {
    %zero = constant 0 : i64
    %one = constant 1 : i64
    %two = constant 2 : i64
    %three = constant 3 : i64
    %last, %count = while %e, %zero : i64, i64 (%a: i64, %c: i64) {
      %go = gt %a, %one : bool
      yield %go
    } do (%b: i64, %d: i64) {
      %odd = bitand %b, %one : i64
      %even = eq %odd, %zero : bool
      %next = if %even : i64 {
        %half = floordiv %b, %two : i64
        yield %half
      } else {
        %triple = mul %b, %three : i64
        %up = add %triple, %one : i64
        yield %up
      }
      %more = add %d, %one : i64
      yield %next, %more
    }
    yield %count
  }
  yield %y
})";
    CHECK(run(collatz, {array(DType::i64_, {5}, {1, 2, 3, 6, 27})}, {{"n", 5}}) == List{0, 1, 7, 8, 111});
}

TEST_CASE("interpreter: carried values of a for loop change at once") {
    const char* const fibonacci = R"(graph f(%x: i64[n]) -> (y: i64[n]) {
  %y = apply %x : i64[n] (%e: i64) {
    %zero = constant 0 : i64
    %one = constant 1 : i64
    %a, %b = for %zero, %e, %zero, %one : i64, i64 (%i: i64, %p: i64, %q: i64) {
      %s = add %p, %q : i64
      yield %q, %s
    }
    yield %a
  }
  yield %y
})";
    CHECK(run(fibonacci, {array(DType::i64_, {5}, {0, 1, 2, 10, -3})}, {{"n", 5}}) == List{0, 1, 1, 55, 0});
}

TEST_CASE("interpreter: groups compute what their nodes do") {
    CHECK(run(R"(graph f(%x: f32[n], %s: f32) -> (y: f32[n]) {
  %two = constant 2.0 : f32
  %y = group "map" %x, %s : f32[n] (%a: f32[n], %b: f32) {
    %p = mul %a, %two : f32[n]
    %q = sub %p, %b : f32[n]
    yield %q
  }
  yield %y
})",
              {array(DType::f32_, {2}, {1, 2}), array(DType::f32_, {}, {1})}, {{"n", 2}}) == List{1, 3});
}

TEST_CASE("interpreter: arrays without elements") {
    CHECK(run(R"(graph f(%x: f32[n, m]) -> (y: f32[m, n]) {
  %t = view %x [i, j] -> [j, i] : f32[m, n]
  %y = exp %t : f32[m, n]
  yield %y
})",
              {array(DType::f32_, {0, 4}, {})}, {{"n", 0}, {"m", 4}})
              .empty());
}

TEST_CASE("interpreter: a failed check names the sizes") {
    const ir::Function f = parse(R"(graph f(%x: f32[n], %y: f32[m]) -> (z: f32[n]) {
  check n == m, "x and y have different lengths"
  check n >= 4, "x is too short"
  yield %x
})");
    const auto message = [&](int64_t n, int64_t m) {
        try {
            interpret(f,
                      {array(DType::f32_, {n}, List(static_cast<size_t>(n))),
                       array(DType::f32_, {m}, List(static_cast<size_t>(m)))},
                      {{"n", n}, {"m", m}});
        } catch (const UserError& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(message(4, 4) == "");
    CHECK(message(3, 5) == "x and y have different lengths: n is 3, not m, which is 5");
    CHECK(message(3, 3) == "x is too short: n is 3, less than 4");
}

TEST_CASE("interpreter: a size without a value is the user's error") {
    const ir::Function f = parse(R"(graph f(%x: f32[n], %y: f32[m]) -> (z: i64) {
  %z = extent n//m : i64
  yield %z
})");
    CHECK_THROWS_AS(
        interpret(f, {array(DType::f32_, {1}, {0}), array(DType::f32_, {0}, {})}, {{"n", 1}, {"m", 0}}),
        UserError);
}

TEST_CASE("host scalars are evaluated over sizes") {
    const ir::Function f = parse(R"(graph f(%x: f32[n]) -> (z: f32) {
  %n = extent n : i64
  %real = cast %n : f32
  %z = sqrt %real : f32
  yield %z
})");
    CHECK(evaluate_scalar(f, f.region(f.body()).yields[0], {{"n", 49}}).as_f32() == 7.0F);
}

TEST_CASE("interpreter: an array that no memory holds is the user's error") {
    const ir::Function f = parse(R"(graph f(%x: f32[z, n]) -> (k: i64[n]) {
  %k = index [i] -> [i] : i64[n]
  yield %k
})");
    const auto message = [&](int64_t n) {
        try {
            interpret(f, {array(DType::f32_, {0, n}, {})}, {{"z", 0}, {"n", n}});
        } catch (const UserError& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(message(3) == "");
    // 2^62 elements have 2^65 bytes, which is 0 in 64 bits; 2^60 have 2^63, one more than a vector holds.
    CHECK(message(int64_t{1} << 62) == "an array i64[4611686018427387904] has more than 2^63 bytes");
    CHECK(message(int64_t{1} << 60) == "an array i64[1152921504606846976] has more than 2^63 bytes");
}

TEST_CASE("interpreter: an empty array's other axes may be longer than the memory") {
    const HostArray x = array(DType::f32_, {0, int64_t{1} << 62}, {});
    const std::map<std::string, int64_t> sizes{{"z", 0}, {"n", int64_t{1} << 62}};
    CHECK(run(R"(graph f(%x: f32[z, n]) -> (s: f32[z]) {
  %zero = constant -0.0 : f32
  %s = reduce [1] %x, %zero : f32[z] (%a: f32, %b: f32) {
    %t = add %a, %b : f32
    yield %t
  }
  yield %s
})",
              {x}, sizes)
              .empty());
    CHECK(run(R"(graph f(%x: f32[z, n], %y: f32[n, z]) -> (s: f32[z, z]) {
  %s = matmul %x, %y : f32[z, z]
  yield %s
})",
              {x, array(DType::f32_, {int64_t{1} << 62, 0}, {})}, sizes)
              .empty());
}
