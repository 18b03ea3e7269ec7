// `fuseline --version`: every component; what cannot be had says why.
#include <fmt/format.h>

#include "cli/commands.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/support/errors.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/device/device.h"

namespace fuseline::cli {
namespace {

template <class Ask>
std::string or_reason(Ask ask) {
    try {
        return ask();
    } catch (const ToolchainError& e) {
        return fmt::format("not available: {}", e.what());
    }
}

}  // namespace

std::string version_text() {
    std::string text = fmt::format("fuseline {}\n", kGeneratorVersion);
    text += fmt::format("cpu       {}\n", or_reason([] {
                            const auto cpu = make_cpu_device(0);
                            return cpu->description() + ", " + cpu->compiler();
                        }));
    text += fmt::format("nvrtc     {}\n", or_reason([] { return nvrtc_version(); }));
    text += fmt::format("cuda      {}\n", or_reason([] {
                            const std::string reason = cuda_unavailable_reason();
                            return reason.empty() ? make_cuda_device(0)->description()
                                                  : "not available: " + reason;
                        }));
    text +=
        fmt::format("fmt       {}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
    return text;
}

}  // namespace fuseline::cli
