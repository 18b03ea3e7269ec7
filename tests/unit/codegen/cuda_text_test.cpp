// The text of emitted CUDA: size, geometry, and how long bodies come out.
#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/unit/codegen/cuda_on_host.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

/// y[i] = a chain of `count` operations on x[i], none of them named.
ir::Function chain(size_t count) {
    std::string text =
        "kernel chain(%x: read f32, %y: write f32, %a: f32) sizes(n) schedule(map) index(32) {\n  nest (i: "
        "n) grid lanes(4) {\n"
        "    %0 = load %x [i] : f32\n";
    const char* const operations[] = {"add", "mul", "sub", "max"};
    for (size_t k = 0; k < count; ++k) {
        text += "    %" + std::to_string(k + 1) + " = " + operations[k % 4] + (k % 3 == 0 ? " %a, %" : " %") +
                std::to_string(k) + (k % 3 == 0 ? "" : ", %a") + " : f32\n";
    }
    return kernel_of(text + "    store %y [i], %" + std::to_string(count) + "\n  }\n}\n");
}

size_t longest_line(const std::string& text) {
    size_t longest = 0;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        longest = std::max(longest, end - begin);
        begin = end + 1;
    }
    return longest;
}

ir::Function rows(const std::string& header) {
    return kernel_of(
        "kernel rows(%y: write f32) sizes(n, m) schedule(map) index(64) {\n  %c = constant 1 : f32\n  nest " +
        header + " {\n    store %y [0], %c\n  }\n}\n");
}

}  // namespace

TEST_CASE("a chain of ten thousand operations is printed in short lines and runs", "[cuda]") {
    const ir::Function kernel = chain(10000);
    const std::string text = emit_cuda(kernel, "fl", nullptr);
    CHECK(longest_line(text) <= 120);
    CHECK(text == emit_cuda(kernel, "fl", nullptr));
    HostCudaDevice device;
    CHECK(compare_on_host(device, chain(500), {70, 70}, {{"n", 70}}) == "");
}

TEST_CASE("long bodies roll their lanes", "[cuda]") {
    CHECK(contains(emit_cuda(chain(40), "fl", nullptr), "#pragma unroll\n    for (int lane"));
    CHECK(contains(emit_cuda(chain(41), "fl", nullptr), "#pragma unroll 1\n    for (int lane"));
    CHECK(contains(emit_cuda(chain(41), "fl", nullptr), "fl_turn(x4, y4);"));
}

TEST_CASE("launch geometry", "[cuda]") {
    const auto grid = [](const std::string& header, int64_t n, int64_t m) {
        const CudaGeometry g = cuda_geometry(rows(header), {n, m});
        return std::vector<uint32_t>{g.grid[0], g.grid[1], g.block[0]};
    };
    using Grid = std::vector<uint32_t>;
    CHECK(grid("(i: n) grid lanes(4)", 512, 1) == Grid{1, 1, 128});
    CHECK(grid("(i: n) grid lanes(4)", 513, 1) == Grid{2, 1, 128});
    // Rows of 5 take 2 threads each: 3 rows in 6 threads.
    CHECK(grid("(i: n, j: m) grid lanes(4)", 3, 5) == Grid{1, 1, 128});
    CHECK(grid("(i: n, j: m) grid lanes(4)", 65, 5) == Grid{2, 1, 128});
    CHECK(grid("(i: n, j: m) grid", 0, 5)[0] == 0);
    CHECK(grid("(i: n - m) grid", 3, 5)[0] == 0);
    CHECK(grid("() grid", 3, 5) == Grid{1, 1, 1});
    // 2^31 - 1 blocks stand in one row, one more block makes two rows.
    const int64_t most = int64_t{128} * INT32_MAX;
    CHECK(grid("(i: n) grid", most, 1) == Grid{2147483647u, 1, 128});
    CHECK(grid("(i: n) grid", most + 1, 1) == Grid{1073741824u, 2, 128});
    CHECK_THROWS_AS(grid("(i: n, j: m) grid", INT64_MAX, 3), UserError);
}

TEST_CASE("lines of the program stand above the code that they became", "[cuda]") {
    SourceMap sources;
    const std::string program =
        "kernel f(%x: read f32, %y: write f32) sizes(n) schedule(map) index(32) {\n"
        "  nest (i: n) grid {\n"
        "    %0 = load %x [i] : f32\n"
        "    %d = mul %0, %0 : f32 // trailing \\\n"
        "    %1 = add %d, %d : f32\n"
        "    store %y [i], %1\n  }\n}\n";
    const size_t file = sources.add("f.dsl", program);
    const std::string text = emit_cuda(ir::parse_functions(sources, file).at(0), "fl", &sources);
    CHECK(contains(text, "    // f.dsl:4: %d = mul %0, %0 : f32 // trailing\n    const float d = x * x;\n"));
    CHECK(contains(text, "    // f.dsl:5: %1 = add %d, %d : f32\n    return d + d;\n"));
}

TEST_CASE("parentheses are those that C++ needs", "[cuda]") {
    const std::string text = emit_cuda(kernel_of(R"(
kernel p(%x: read f64, %y: write f64, %a: f64, %b: f64) sizes(n) schedule(map) index(32) {
  nest (i: n) grid {
    %0 = load %x [i] : f64
    %1 = sub %a, %b : f64
    %2 = sub %0, %1 : f64
    %3 = neg %2 : f64
    %4 = mul %3, %a : f64
    %5 = neg %4 : f64
    %6 = div %a, %5 : f64
    %7 = sub %6, %b : f64
    %8 = mul %7, %7 : f64
    store %y [i], %8
  }
})"),
                                       "fl", nullptr);
    CHECK(contains(text, "const double v1 = a / -(-(x - (a - b)) * a) - b;"));
    CHECK(contains(text, "return v1 * v1;"));
}

TEST_CASE("geometry of reductions", "[cuda]") {
    const auto kernel = [](const std::string& nest, const std::string& mapping) {
        return kernel_of(
            "kernel k(%x: read f32, %y: write f32) sizes(n, m) schedule(reduce) index(64) {\n"
            "  %z = constant -0.0 : f32\n  nest (" +
            nest + ") grid {\n    %s = fold (k: m) " + mapping +
            " %z : f32 {\n      %e = load %x [k] : f32\n      yield %e\n    } combine (%a: f32, %b: f32) "
            "{\n      %c = add %a, %b : f32\n      yield %c\n    }\n    store %y [0], %s\n  }\n}\n");
    };
    const auto text = [](const ir::Function& f, int64_t n, int64_t m) {
        const CudaGeometry g = cuda_geometry(f, {n, m});
        CHECK(g.takes_workspace);
        CHECK((g.workspace_bytes != 0) == (g.grid[1] > 1));
        CHECK(g.block[0] * g.block[1] * g.block[2] <= 256);
        return fmt::format("{} x {} of {} x {} x {}", g.grid[0], g.grid[1], g.block[0], g.block[1],
                           g.block[2]);
    };
    const ir::Function rows = kernel("i: n", "team"), columns = kernel("i: n", "sequential"),
                       all = kernel("", "team");
    // Whole warps, as exchanges need all their threads.
    CHECK(text(rows, 1, 3) == "1 x 1 of 1 x 32 x 1");
    CHECK(text(rows, 1000000, 3) == "3907 x 1 of 1 x 256 x 1");
    CHECK(text(rows, 1000000, 33) == "62500 x 1 of 16 x 16 x 1");
    CHECK(text(rows, 100000, 1000) == "12500 x 1 of 32 x 8 x 1");
    CHECK(text(rows, 200, 1000) == "200 x 1 of 32 x 1 x 1");
    CHECK(text(rows, 4096, 8192) == "4096 x 1 of 32 x 1 x 2");
    CHECK(text(rows, 0, 8192).starts_with("0 x 1"));
    CHECK(text(rows, 5, 0) == "1 x 1 of 1 x 32 x 1");
    // 2^28 elements are 131072 chunks: 1024 blocks of 8 warps take 16 each.
    CHECK(text(all, 1, int64_t{1} << 28) == "1 x 1024 of 32 x 1 x 8");
    CHECK(text(all, 1, 1 << 20) == "1 x 128 of 32 x 1 x 4");
    CHECK(text(all, 1, 5000) == "1 x 1 of 32 x 1 x 4");
    CHECK(text(columns, 1000000, 1000) == "3907 x 1 of 256 x 1 x 1");
    CHECK(text(columns, 1000, 1000) == "63 x 1 of 16 x 16 x 1");
    CHECK(text(columns, 128, 1 << 20) == "4 x 128 of 32 x 8 x 1");
    CHECK(text(columns, 7, 3) == "1 x 1 of 8 x 1 x 1");
}
