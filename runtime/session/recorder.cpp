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

void Recorder::called(const LibraryReport& calls) {
    const std::lock_guard lock(mutex_);
    const auto [it, fresh] = libraries_.try_emplace({calls.name, calls.lines}, report_.libraries.size());
    if (fresh) report_.libraries.push_back({calls.name, calls.lines});
    LibraryReport& library = report_.libraries[it->second];
    library.bytes += calls.bytes;
    library.flops += calls.flops;
    library.calls += calls.calls;
    library.ms += calls.ms;
    report_.library_calls += calls.calls;
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
    libraries_.clear();
}

}  // namespace fuseline
