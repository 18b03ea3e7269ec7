// A workload with its arrays on a machine: checks and timings of an entry function on them.
#pragma once

#include <memory>
#include <vector>

#include "bench/gpu/machine.h"
#include "bench/gpu/workload.h"
#include "fuseline/fuseline.h"

namespace fuseline::bench {

/// Median, least and 90th-percentile time of a series, in ms.
struct Times {
    double median = 0, least = 0, p90 = 0;
    int runs = 0;
};
Times times_of(std::vector<double> series);

/// Times of one small call, in us, on the host's clock.
struct PerCall {
    double given = 0;   ///< enqueued one after another, results in the caller's memory, one wait at the end
    double owned = 0;   ///< the same with results that the session owns
    double waited = 0;  ///< one call and a wait for it
};

class Prepared {
public:
    /// Allocates and fills the inputs with `fill` (bench/programs/fill.dsl on the same device). Throws Error.
    Prepared(const Workload& workload, Machine& machine, const Module& fill);

    /// Calls with the outputs in this object's memory, on the machine's stream. Does not wait on a GPU.
    void call(const Module& module) const;
    /// Distance from the f64 reference on samples, after a call into memory full of NaN: norm(out - ref) /
    /// norm(ref), or the share of unequal elements. An element that was not written makes it NaN.
    double error(const Module& module);
    Times time(const Module& module) const;
    PerCall time_per_call(const Session& session, const Module& module) const;
    /// Milliseconds of the first call of a program that was never compiled, from its text to its results. `k`
    /// salts it.
    double first_call(const Session& session, const std::string& text, int k) const;

private:
    void fill(const Module& module, Memory& memory, int64_t elements, const Input& input, int64_t seed) const;
    std::vector<std::vector<float>> sample(int64_t first, int64_t count) const;

    const Workload& workload_;
    Machine& machine_;
    const Module& fill_;
    std::vector<std::unique_ptr<Memory>> inputs_, outputs_;
    std::vector<Argument> arguments_;
    CallSettings settings_;
};

}  // namespace fuseline::bench
