// Kernel keys: what they depend on, and what they must not.
#include "compiler/pipeline/pipeline.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

ir::Function parse(const std::string& text) {
    SourceMap sources;
    sources.add("test.ir", text);
    return ir::parse_functions(sources, 0).at(0);
}

std::vector<std::string> keys(const std::string& text, const Target& target = {},
                              const std::string& compiler = "llvm 19.1.7") {
    std::vector<std::string> all;
    for (const ir::Function& kernel : compile(parse(text), target).kernels) {
        all.push_back(kernel_key(kernel, 64, target, compiler).hash.hex());
    }
    return all;
}

const char* const kScale = R"(graph f(%x: f32[n, m], %s: f32) -> (y: f32[n, m]) {
  %two = constant 2.0 : f32
  %t = mul %x, %two : f32[n, m]
  %y = mul %t, %s : f32[n, m]
  yield %y
})";

}  // namespace

TEST_CASE("a key does not depend on names of functions, values, parameters, results and sizes") {
    CHECK(keys(kScale) ==
          keys(R"(graph other(%q: f32[rows, columns], %factor: f32) -> (out: f32[rows, columns]) {
  %0 = constant 2.0 : f32
  %1 = mul %q, %0 : f32[rows, columns]
  %2 = mul %1, %factor : f32[rows, columns]
  yield %2
})"));
    // The order of the names of sizes plays no part either.
    CHECK(keys(kScale) == keys(R"(graph f(%x: f32[z, a], %s: f32) -> (y: f32[z, a]) {
  %two = constant 2.0 : f32
  %t = mul %x, %two : f32[z, a]
  %y = mul %t, %s : f32[z, a]
  yield %y
})"));
}

TEST_CASE("a key does not depend on sizes that merge into one axis") {
    CHECK(keys(kScale) == keys(R"(graph f(%x: f32[2*k + 1], %s: f32) -> (y: f32[2*k + 1]) {
  %two = constant 2.0 : f32
  %t = mul %x, %two : f32[2*k + 1]
  %y = mul %t, %s : f32[2*k + 1]
  yield %y
})"));
}

TEST_CASE("a key depends on literals, types, target, compiler and width of indices") {
    const auto base = keys(kScale);
    REQUIRE(base.size() == 1);
    std::string other = kScale;
    other.replace(other.find("2.0"), 3, "3.0");
    CHECK(keys(other) != base);
    other = kScale;
    for (size_t at = other.find("f32"); at != std::string::npos; at = other.find("f32"))
        other.replace(at, 3, "f64");
    CHECK(keys(other) != base);
    Target wide;
    wide.vector_bits = 512;
    CHECK(keys(kScale, wide) != base);
    Target cuda;
    cuda.kind = TargetKind::cuda;
    cuda.arch = "sm_90";
    CHECK(keys(kScale, cuda) != base);
    CHECK(keys(kScale, {}, "llvm 20.1.0") != base);
    const ir::Function kernel = compile(parse(kScale), {}).kernels.at(0);
    CHECK(kernel_key(kernel, 32, {}, "c").hash != kernel_key(kernel, 64, {}, "c").hash);
    std::string contract = kScale;
    contract.replace(contract.find(" {\n"), 1, " options(contract) ");
    CHECK(keys(contract) != base);
}

TEST_CASE("the symbol names the schedule and the key") {
    const ir::Function kernel = compile(parse(kScale), {}).kernels.at(0);
    const KernelKey key = kernel_key(kernel, 64, {}, "llvm 19.1.7");
    CHECK(key.symbol == "fl_map_" + key.hash.hex().substr(0, 16));
    CHECK(key.text.find("nest (") != std::string::npos);
    CHECK(key.text.find("%x") == std::string::npos);
}

TEST_CASE("indices are narrow while byte offsets are below 2^31") {
    const ir::Function kernel = compile(parse(kScale), {}).kernels.at(0);
    REQUIRE(kernel.sizes.size() == 1);
    const int64_t limit = int64_t{1} << 29;  // elements of 4 bytes
    CHECK(index_bits_for(kernel, {0}) == 32);
    CHECK(index_bits_for(kernel, {limit}) == 32);
    CHECK(index_bits_for(kernel, {limit + 1}) == 64);
    CHECK(index_bits_for(kernel, {int64_t{1} << 62}) == 64);
}

TEST_CASE("indices are wide when a stride or an offset reaches far, or many elements share one buffer") {
    const ir::Function row = compile(parse(R"(graph f(%x: f64[n, m]) -> (y: f64[n]) {
  %y = view %x [i] -> [i, m - 1] : f64[n]
  yield %y
})"),
                                     {})
                                 .kernels.at(0);
    // sizes: n, m (the stride), m - 1 (the offset)
    REQUIRE(row.sizes.size() == 3);
    CHECK(index_bits_for(row, {1'000, 1'000, 999}) == 32);
    CHECK(index_bits_for(row, {1'000, 1'000'000, 999'999}) == 64);
    const ir::Function fill = compile(parse(R"(graph f(%rows: bool[m], %x: bool[n]) -> (y: bool[m, n]) {
  %y = view %x [i, j] -> [j] : bool[m, n]
  yield %y
})"),
                                      {})
                                  .kernels.at(0);
    CHECK(index_bits_for(fill, {1 << 16, 1 << 14}) == 32);
    CHECK(index_bits_for(fill, {1 << 16, 1 << 15}) == 64);
}
