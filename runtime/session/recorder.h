// Counts what a session does, for Report; thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "fuseline/fuseline.h"

namespace fuseline {

class Recorder {
public:
    explicit Recorder(std::string device) : device_(std::move(device)) { reset(); }

    void compiled(double ms);
    void memory_hit();
    /// `count` launches of a kernel; `ms` is 0 where kernels are not timed.
    void launched(const std::string& name, const std::string& schedule, const std::string& lines,
                  int64_t count, int64_t bytes, double ms);
    /// Calls of a library function at one place.
    void called(const LibraryReport& calls);

    Report report() const;
    void reset();

private:
    std::string device_;
    mutable std::mutex mutex_;
    Report report_;
    std::map<std::pair<std::string, std::string>, size_t> positions_;  ///< (name, lines) -> report_.kernels
    std::map<std::pair<std::string, std::string>, size_t> libraries_;  ///< -> report_.libraries
};

}  // namespace fuseline
