// PTX and SASS of a kernel without a GPU: which architecture is asked for, and what nvdisasm says.
#include "runtime/cuda/cuda_stages.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/unit/cuda/fake_cuda.h"

using namespace fuseline;
using namespace fuseline::testing;
using Catch::Matchers::Contains;

namespace {

/// A folder that alone is on the PATH beside the shell's, with a program called nvdisasm in it where a script
/// is given.
class Toolkit {
public:
    explicit Toolkit(const std::string& script) : path_(std::getenv("PATH")) {
        folder_ = (std::filesystem::temp_directory_path() / "fuseline-test-XXXXXX").string();
        REQUIRE(::mkdtemp(folder_.data()) != nullptr);
        if (!script.empty()) {
            const std::string file = folder_ + "/nvdisasm";
            std::ofstream(file) << "#!/bin/sh\n" << script;
            REQUIRE(::chmod(file.c_str(), 0755) == 0);
        }
        ::setenv("PATH", (folder_ + ":/bin:/usr/bin").c_str(), 1);
    }
    ~Toolkit() {
        ::setenv("PATH", path_.c_str(), 1);
        std::filesystem::remove_all(folder_);
    }
    Toolkit(const Toolkit&) = delete;
    Toolkit& operator=(const Toolkit&) = delete;

private:
    std::string path_, folder_;
};

std::string sass(const char* arch) { return cuda_stage_text(kFakeCompiler, "source", "fl_k", arch, "sass"); }

}  // namespace

TEST_CASE("a stage asks for the GPU's architecture, or the newest older one as PTX", "[cuda]") {
    const auto ptx = [](const char* arch) {
        return cuda_stage_text(kFakeCompiler, "source", "fl_k", arch, "ptx");
    };
    CHECK(cuda_stage_text(kFakeCompiler, "source", "fl_k", "sm_90", "cuda") == "source");
    CHECK(ptx("sm_90") == "PTX of fl_k for sm_90");
    CHECK(ptx("sm_103") == "PTX of fl_k for sm_100");
    CHECK_THAT(refusal([&] { ptx("sm_50"); }), Contains("install an older CUDA toolkit"));
    CHECK_THAT(refusal([&] { sass("sm_103"); }), Contains("install a newer CUDA toolkit"));
}

TEST_CASE("nvdisasm gets the cubin, and its words are shown", "[cuda]") {
    {
        const Toolkit works("cat \"$1\"; echo; echo EXIT");
        CHECK(sass("sm_90") == "cubin of fl_k for sm_90\nEXIT\n");
    }
    {
        const Toolkit fails("echo 'nvdisasm fatal: unknown SM' >&2; exit 3");
        try {
            sass("sm_90");
            FAIL("nothing is thrown");
        } catch (const ToolchainError& e) {
            CHECK_THAT(e.what(), Contains("nvdisasm failed with exit code 3"));
            CHECK(e.log() == "nvdisasm fatal: unknown SM\n");
        }
    }
    if (!std::filesystem::exists("/usr/local/cuda/bin/nvdisasm") &&
        !std::filesystem::exists("/usr/bin/nvdisasm")) {
        const Toolkit none("");
        CHECK_THAT(refusal([] { sass("sm_90"); }),
                   Contains("SASS needs nvdisasm") && Contains("install the CUDA"));
    }
}
