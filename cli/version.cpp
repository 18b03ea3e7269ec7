// `fuseline --version`: every component; what cannot be had says why.
#include <gmp.h>
#include <png.h>
#include <xxhash.h>
#include <zlib.h>

#include <fmt/format.h>
#include <CLI/Version.hpp>
#include <nlohmann/json.hpp>
#ifndef FUSELINE_PLAIN_THREADS
#include <tbb/version.h>
#endif

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

std::string dotted(int major, int minor, int patch) { return fmt::format("{}.{}.{}", major, minor, patch); }

std::string line(std::string_view name, std::string_view version) {
    return fmt::format("{:<13} {}\n", name, version);
}

std::string tbb_version() {
#ifdef FUSELINE_PLAIN_THREADS
    return "not used: this build runs kernels on plain threads";
#else
    return dotted(TBB_VERSION_MAJOR, TBB_VERSION_MINOR, TBB_VERSION_PATCH);
#endif
}

/// What it was compiled with, by the headers.
std::string libraries() {
    return line("oneTBB", tbb_version()) +
           line("fmt", dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)) +
           line("CLI11", CLI11_VERSION) +
           line("nlohmann-json", dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                        NLOHMANN_JSON_VERSION_PATCH)) +
           line("xxHash", dotted(XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE)) +
           line("GMP", dotted(__GNU_MP_VERSION, __GNU_MP_VERSION_MINOR, __GNU_MP_VERSION_PATCHLEVEL)) +
           line("libpng", PNG_LIBPNG_VER_STRING) + line("zlib", ZLIB_VERSION);
}

}  // namespace

std::string version_text() {
    std::string text = line("fuseline", kGeneratorVersion);
    text += line("cpu", or_reason([] {
                     const auto cpu = make_cpu_device(0);
                     return cpu->description() + ", " + cpu->compiler();
                 }));
    text += line("nvrtc", or_reason([] { return nvrtc_version(); }));
    text += line("cuda", or_reason([] {
                     const std::string reason = cuda_unavailable_reason();
                     return reason.empty() ? make_cuda_device(0)->description() : "not available: " + reason;
                 }));
    text += libraries();
    text.pop_back();
    return text;
}

}  // namespace fuseline::cli
