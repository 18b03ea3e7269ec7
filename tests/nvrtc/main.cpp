// Compiles emitted kernels with NVRTC, which needs no GPU, and reports registers and spills.
// Usage: fl_nvrtc_tests [--all-architectures PATH ...] [--usual PATH ...]
// A PATH is a .dsl file, a .test file or a folder of .test files. Every distinct kernel is compiled for sm_90
// with 32- and 64-bit indices, those of the first list for every other supported architecture with 64-bit
// ones.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <thread>

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
constexpr int kWidths[] = {32, 64};

struct Job {
    const FoundKernel* kernel;
    int arch;
    int index_bits;
};

struct Outcome {
    std::string title;
    std::string figures;               ///< registers and spills
    std::optional<std::string> fault;  ///< what is wrong
};

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

Outcome compile(const Job& job) {
    ir::Function kernel = job.kernel->kernel;
    kernel.index_bits = job.index_bits;
    Outcome outcome;
    outcome.title = fmt::format("{} sm_{} {}-bit", job.kernel->place, job.arch, job.index_bits);
    try {
        const CudaImage image = nvrtc_compile(emit_cuda(kernel, "fl_kernel", nullptr), "kernel",
                                              fmt::format("sm_{}", job.arch), CudaOutput::cubin, true);
        outcome.figures =
            fmt::format("{} registers, {} bytes spilled", number_before(image.log, " registers"),
                        std::max(number_before(image.log, " bytes spill stores"), 0));
        if (image.log.find("warning") != std::string::npos) outcome.fault = image.log;
    } catch (const ToolchainError& e) {
        outcome.fault = fmt::format("{}\n{}", e.what(), e.log());
    } catch (const std::exception& e) {
        outcome.fault = e.what();
    }
    return outcome;
}

/// On all cores; the outcomes in the order of the jobs.
std::vector<Outcome> compile_all(const std::vector<Job>& jobs) {
    std::vector<Outcome> outcomes(jobs.size());
    std::atomic<size_t> next = 0;
    const auto work = [&] {
        for (size_t i; (i = next++) < jobs.size();) outcomes[i] = compile(jobs[i]);
    };
    std::vector<std::jthread> helpers;
    for (unsigned k = 1; k < std::thread::hardware_concurrency(); ++k) helpers.emplace_back(work);
    work();
    helpers.clear();
    return outcomes;
}

/// Kernels by canonical text, the width of their indices left aside; the first place of each stays.
class Kernels {
public:
    /// The kernels of the paths that were not found before.
    std::vector<FoundKernel> added(const std::vector<std::string>& paths) {
        std::vector<FoundKernel> kernels;
        for (const std::string& path : paths) {
            for (const std::string& file : path.ends_with(".dsl") ? std::vector{path} : test_files({path})) {
                for (FoundKernel& found : kernels_in(file)) {
                    found.kernel.index_bits = kWidths[0];
                    const std::string text = ir::print(found.kernel, {.canonical = true, .sources = nullptr});
                    if (texts_.insert(text).second) kernels.push_back(std::move(found));
                }
            }
        }
        return kernels;
    }

private:
    std::set<std::string> texts_;
};

/// The jobs of kernels for those architectures that this NVRTC knows; the others count as skipped.
void add_jobs(const std::vector<FoundKernel>& kernels, std::span<const int> architectures,
              std::vector<Job>& jobs, Tally& tally) {
    if (kernels.empty()) return;
    const std::vector<int> known = nvrtc_architectures();
    for (int arch : architectures) {
        // What the width changes does not depend on the architecture.
        const std::span<const int> widths = std::span(kWidths).subspan(arch == kUsual ? 0 : 1);
        if (std::ranges::find(known, arch) == known.end()) {
            tally.skip(fmt::format("sm_{}", arch), fmt::format("NVRTC {} does not know it", nvrtc_version()),
                       widths.size() * kernels.size());
            continue;
        }
        for (const FoundKernel& kernel : kernels)
            for (int bits : widths) jobs.push_back({&kernel, arch, bits});
    }
}

struct Paths {
    std::vector<std::string> everywhere, usual;
};

int run(const Paths& paths) {
    Tally tally;
    try {
        nvrtc_version();
    } catch (const ToolchainError& e) {
        fmt::print("not run: no NVRTC ({})\n", e.what());
        tally.skip("nvrtc", "no NVRTC", paths.everywhere.size() + paths.usual.size());
        return tally.close();
    }
    Kernels all;
    const std::vector<FoundKernel> everywhere = all.added(paths.everywhere), usual = all.added(paths.usual);
    fmt::print("{} kernels for each architecture, {} more for sm_{}\n", everywhere.size(), usual.size(),
               kUsual);
    std::vector<Job> jobs;
    add_jobs(everywhere, kArchitectures, jobs, tally);
    add_jobs(usual, std::span(&kUsual, 1), jobs, tally);
    for (const Outcome& o : compile_all(jobs)) {
        if (o.fault) {
            tally.fail(o.title, *o.fault);
        } else {
            fmt::print("{}: {}\n", o.title, o.figures);
            tally.pass();
        }
    }
    return tally.close();
}

}  // namespace
}  // namespace fuseline::testing

int main(int count, char** words) {
    fuseline::testing::Paths paths;
    std::vector<std::string>* list = &paths.usual;
    for (const std::string word : std::span(words + 1, words + count)) {
        if (word == "--all-architectures")
            list = &paths.everywhere;
        else if (word == "--usual")
            list = &paths.usual;
        else
            list->push_back(word);
    }
    try {
        return fuseline::testing::run(paths);
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 1;
    }
}
