// Compiles emitted kernels with NVRTC, which needs no GPU, and reports registers and spills.
// Usage: fl_nvrtc_tests [--all-architectures] PATH ...   (.dsl and .test files, folders of .test files)
// Every distinct kernel is compiled for sm_90, with 32- and 64-bit indices; with --all-architectures for each
// supported one.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "compiler/codegen/emitters.h"
#include "compiler/support/errors.h"
#include "runtime/cuda/nvrtc.h"
#include "tests/nvrtc/kernels.h"
#include "tests/runner/tally.h"
#include "tests/runner/test_file.h"

namespace fuseline::testing {
namespace {

constexpr int kUsual = 90;
constexpr int kArchitectures[] = {75, 80, 86, 89, 90, 100, 120};

/// The number before a phrase of ptxas's log, or -1.
int number_before(const std::string& log, std::string_view phrase) {
    const size_t at = log.find(phrase);
    if (at == std::string::npos) return -1;
    size_t begin = at;
    while (begin > 0 && log[begin - 1] >= '0' && log[begin - 1] <= '9') --begin;
    int value = -1;
    std::from_chars(log.data() + begin, log.data() + at, value);
    return value;
}

/// Those of the list that this NVRTC knows; the others are counted as skipped.
std::vector<int> architectures(bool all, size_t kernels, Tally& tally) {
    const std::vector<int> known = nvrtc_architectures();
    std::vector<int> list;
    for (int arch : kArchitectures) {
        if (arch != kUsual && !all) continue;
        if (std::ranges::find(known, arch) != known.end()) {
            list.push_back(arch);
        } else {
            tally.skip(fmt::format("sm_{}", arch), fmt::format("NVRTC {} does not know it", nvrtc_version()),
                       kernels);
        }
    }
    return list;
}

void compile_one(const FoundKernel& found, int arch, int bits, Tally& tally) {
    ir::Function kernel = found.kernel;
    kernel.index_bits = bits;
    const std::string title = fmt::format("{} sm_{} {}-bit", found.place, arch, bits);
    try {
        const CudaImage image = nvrtc_compile(emit_cuda(kernel, "fl_kernel", nullptr), "kernel.cu",
                                              fmt::format("sm_{}", arch), CudaOutput::cubin, true);
        const int registers = number_before(image.log, " registers"),
                  spills = number_before(image.log, " bytes spill stores");
        fmt::print("{}: {} registers, {} bytes spilled\n", title, registers, std::max(spills, 0));
        if (image.log.find("warning") != std::string::npos) return tally.fail(title, image.log);
        tally.pass();
    } catch (const std::exception& e) {
        tally.fail(title, e.what());
    }
}

int run(bool all, const std::vector<std::string>& paths) {
    Tally tally;
    try {
        nvrtc_version();
    } catch (const ToolchainError& e) {
        fmt::print("not run: no NVRTC ({})\n", e.what());
        tally.skip("nvrtc", "no NVRTC", paths.size());
        return tally.close();
    }
    std::vector<FoundKernel> kernels;
    std::set<std::string> texts;
    for (const std::string& path : paths) {
        for (const std::string& file : path.ends_with(".dsl") ? std::vector{path} : test_files({path})) {
            for (FoundKernel& found : kernels_in(file)) {
                const std::string text = ir::print(found.kernel, {.canonical = true, .sources = nullptr});
                if (texts.insert(text).second) kernels.push_back(std::move(found));
            }
        }
    }
    for (int arch : architectures(all, 2 * kernels.size(), tally)) {
        for (const FoundKernel& found : kernels) {
            for (int bits : {32, 64}) compile_one(found, arch, bits, tally);
        }
    }
    return tally.close();
}

}  // namespace
}  // namespace fuseline::testing

int main(int count, char** words) {
    std::vector<std::string> paths(words + 1, words + count);
    const bool all = std::erase(paths, "--all-architectures") != 0;
    try {
        return fuseline::testing::run(all, paths);
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 1;
    }
}
