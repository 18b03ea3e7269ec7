// The real NVRTC, which needs no GPU; without it these cases say that they did not run.
#include "runtime/cuda/nvrtc.h"

#include <algorithm>

#include "compiler/support/errors.h"
#include "tests/catch.h"

using namespace fuseline;
using Catch::Matchers::Contains;

namespace {

const char* const kDouble = R"(extern "C" __global__ void twice(float* x) {
    x[threadIdx.x] *= 2.0f;
}
)";

bool nvrtc_is_here() {
    try {
        nvrtc_version();
        return true;
    } catch (const ToolchainError& e) {
        CHECK_THAT(e.what(), Contains("install"));
        WARN("not run: no NVRTC");
        return false;
    }
}

}  // namespace

TEST_CASE("NVRTC tells its version and architectures", "[cuda]") {
    if (!nvrtc_is_here()) return;
    CHECK(std::stod(nvrtc_version()) >= 11.2);
    const std::vector<int> known = nvrtc_architectures();
    CHECK(std::is_sorted(known.begin(), known.end()));
    CHECK(std::find(known.begin(), known.end(), 90) != known.end());
}

TEST_CASE("NVRTC makes PTX and cubins", "[cuda]") {
    if (!nvrtc_is_here()) return;
    const std::string ptx = nvrtc_compile(kDouble, "twice", "sm_90", CudaOutput::ptx).bytes;
    CHECK_THAT(ptx, Contains(".target sm_90") && Contains(".visible .entry twice("));
    CHECK(ptx.back() != '\0');
    const CudaImage cubin = nvrtc_compile(kDouble, "twice", "sm_90", CudaOutput::cubin, true);
    CHECK(cubin.bytes.substr(0, 4) ==
          "\x7f"
          "ELF");
    CHECK_THAT(cubin.log, Contains("registers"));
}

TEST_CASE("multiplication and addition are not contracted", "[cuda]") {
    if (!nvrtc_is_here()) return;
    const char* const source = R"(extern "C" __global__ void f(float* x) { x[0] = x[1] * x[2] + x[3]; })";
    const std::string ptx = nvrtc_compile(source, "f", "sm_90", CudaOutput::ptx).bytes;
    CHECK_THAT(ptx, Contains("mul.") && Contains("add.") && !Contains("fma."));
}

TEST_CASE("a text that NVRTC refuses comes back with its log and line numbers", "[cuda]") {
    if (!nvrtc_is_here()) return;
    try {
        nvrtc_compile("extern \"C\" __global__ void f() {\n    missing();\n}\n", "fl_wrong", "sm_90",
                      CudaOutput::cubin);
        FAIL("compiled");
    } catch (const ToolchainError& e) {
        CHECK_THAT(e.what(), Contains("cannot compile kernel fl_wrong for sm_90"));
        CHECK_THAT(e.log(), Contains("fl_wrong.cu(2): error") && Contains("\"missing\" is undefined"));
        CHECK_THAT(e.log(), Contains("    2 |     missing();\n    3 | }\n"));
    }
}

TEST_CASE("an architecture that NVRTC does not have", "[cuda]") {
    if (!nvrtc_is_here()) return;
    CHECK_THROWS_AS(nvrtc_compile(kDouble, "twice", "sm_12", CudaOutput::cubin), ToolchainError);
}
