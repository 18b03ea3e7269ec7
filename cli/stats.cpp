// A session's report as a table and as one JSON object.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/common.h"

namespace fuseline::cli {

namespace {

/// `amount` a millisecond in thousands of millions a second.
double rate(int64_t amount, double ms) { return ms > 0 ? static_cast<double>(amount) / ms / 1e6 : 0; }

std::string kernel_table(const std::vector<KernelReport>& kernels) {
    if (kernels.empty()) return {};
    std::string text = fmt::format("{:<28} {:<9} {:>8} {:>15} {:>10} {:>8}  {}\n", "kernel", "schedule",
                                   "launches", "bytes", "ms", "GB/s", "lines");
    for (const KernelReport& k : kernels) {
        text += fmt::format("{:<28} {:<9} {:>8} {:>15} {:>10.4f} {:>8.1f}  {}\n", k.name, k.schedule,
                            k.launches, k.bytes, k.ms, rate(k.bytes, k.ms), k.lines);
    }
    return text;
}

std::string library_table(const std::vector<LibraryReport>& libraries) {
    if (libraries.empty()) return {};
    std::string text = fmt::format("{:<19} {:>8} {:>15} {:>17} {:>10} {:>8} {:>8}  {}\n", "library", "calls",
                                   "bytes", "flops", "ms", "GB/s", "GFLOP/s", "lines");
    for (const LibraryReport& l : libraries) {
        text += fmt::format("{:<19} {:>8} {:>15} {:>17} {:>10.4f} {:>8.1f} {:>8.1f}  {}\n", l.name, l.calls,
                            l.bytes, l.flops, l.ms, rate(l.bytes, l.ms), rate(l.flops, l.ms), l.lines);
    }
    return text;
}

}  // namespace

std::string stats_table(const Report& r) {
    std::string text = fmt::format(
        "device            {}\nkernels launched  {}\nkernels compiled  {} ({:.1f} ms)\nmemory hits       "
        "{}\ndisk hits         {}\n",
        r.device, r.kernels_launched, r.kernels_compiled, r.compile_ms, r.memory_hits, r.disk_hits);
    if (r.library_calls != 0) text += fmt::format("library calls     {}\n", r.library_calls);
    return text + kernel_table(r.kernels) + library_table(r.libraries);
}

std::string stats_json(const Report& r) {
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const KernelReport& k : r.kernels) {
        kernels.push_back({{"name", k.name},
                           {"schedule", k.schedule},
                           {"lines", k.lines},
                           {"bytes", k.bytes},
                           {"launches", k.launches},
                           {"ms", k.ms}});
    }
    nlohmann::ordered_json libraries = nlohmann::ordered_json::array();
    for (const LibraryReport& l : r.libraries) {
        libraries.push_back({{"name", l.name},
                             {"lines", l.lines},
                             {"bytes", l.bytes},
                             {"flops", l.flops},
                             {"calls", l.calls},
                             {"ms", l.ms}});
    }
    const nlohmann::ordered_json object = {{"device", r.device},
                                           {"kernels_launched", r.kernels_launched},
                                           {"kernels_compiled", r.kernels_compiled},
                                           {"memory_hits", r.memory_hits},
                                           {"disk_hits", r.disk_hits},
                                           {"compile_ms", r.compile_ms},
                                           {"kernels", kernels},
                                           {"library_calls", r.library_calls},
                                           {"libraries", libraries}};
    return object.dump() + "\n";
}

}  // namespace fuseline::cli
