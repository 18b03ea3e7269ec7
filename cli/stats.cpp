// A session's report as a table and as one JSON object.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/common.h"

namespace fuseline::cli {

std::string stats_table(const Report& r) {
    std::string text = fmt::format(
        "device            {}\nkernels launched  {}\nkernels compiled  {} ({:.1f} ms)\nmemory hits       "
        "{}\ndisk hits         {}\n",
        r.device, r.kernels_launched, r.kernels_compiled, r.compile_ms, r.memory_hits, r.disk_hits);
    if (r.kernels.empty()) return text;
    text += fmt::format("{:<28} {:<9} {:>8} {:>15} {:>10} {:>8}  {}\n", "kernel", "schedule", "launches",
                        "bytes", "ms", "GB/s", "lines");
    for (const KernelReport& k : r.kernels) {
        const double rate = k.ms > 0 ? static_cast<double>(k.bytes) / k.ms / 1e6 : 0;
        text += fmt::format("{:<28} {:<9} {:>8} {:>15} {:>10.4f} {:>8.1f}  {}\n", k.name, k.schedule,
                            k.launches, k.bytes, k.ms, rate, k.lines);
    }
    return text;
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
    const nlohmann::ordered_json object = {{"device", r.device},
                                           {"kernels_launched", r.kernels_launched},
                                           {"kernels_compiled", r.kernels_compiled},
                                           {"memory_hits", r.memory_hits},
                                           {"disk_hits", r.disk_hits},
                                           {"compile_ms", r.compile_ms},
                                           {"kernels", kernels}};
    return object.dump() + "\n";
}

}  // namespace fuseline::cli
