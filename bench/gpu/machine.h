// Where a benchmark's arrays lie and how its calls are timed: on the GPU with events, or on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fuseline/fuseline.h"

namespace fuseline::bench {

/// f32 memory that the benchmark owns.
class Memory {
public:
    virtual ~Memory() = default;
    virtual Argument argument(std::vector<int64_t> shape) const = 0;
    virtual Output output(std::vector<int64_t> shape) = 0;
    /// Elements [first, first + count) on the host.
    virtual std::vector<float> read(int64_t first, int64_t count) const = 0;
};

class Machine {
public:
    virtual ~Machine() = default;
    virtual std::unique_ptr<Memory> allocate(int64_t elements) = 0;
    /// The stream for calls that `time` measures; null on the host.
    virtual void* stream() const = 0;
    /// Waits for all work on `stream`.
    virtual void wait() = 0;
    /// Milliseconds of each of `runs` calls, enqueued one after another.
    virtual std::vector<double> time(int runs, const std::function<void()>& call) = 0;
    /// How `time` measures: "events" or "host".
    virtual std::string clock() const = 0;
};

/// The machine of a session's device ("cuda:0", "cpu", "interpreter"). Throws Error.
std::unique_ptr<Machine> make_machine(const std::string& device);

}  // namespace fuseline::bench
