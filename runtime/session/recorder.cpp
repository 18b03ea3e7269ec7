// Recorder: counters under one lock.
#include "runtime/session/recorder.h"

namespace fuseline {

void Recorder::compiled(double ms) {
    const std::lock_guard lock(mutex_);
    ++report_.kernels_compiled;
    report_.compile_ms += ms;
}

void Recorder::memory_hit() {
    const std::lock_guard lock(mutex_);
    ++report_.memory_hits;
}

void Recorder::launched(const std::string& name, const std::string& schedule, const std::string& lines,
                        int64_t count, int64_t bytes, double ms) {
    const std::lock_guard lock(mutex_);
    const auto [it, fresh] = positions_.try_emplace({name, lines}, report_.kernels.size());
    if (fresh) report_.kernels.push_back({name, schedule, lines, 0, 0, 0});
    KernelReport& kernel = report_.kernels[it->second];
    kernel.bytes += bytes;
    kernel.launches += count;
    kernel.ms += ms;
    report_.kernels_launched += count;
}

Report Recorder::report() const {
    const std::lock_guard lock(mutex_);
    return report_;
}

void Recorder::reset() {
    const std::lock_guard lock(mutex_);
    report_ = {};
    report_.device = device_;
    positions_.clear();
}

}  // namespace fuseline
