// Counts what passed, failed and was not run, and prints what failed.
#pragma once

#include <string>
#include <string_view>

namespace fuseline::testing {

class Tally {
public:
    void pass() { ++passed_; }
    /// Prints the failure at once, so that a crash later does not lose it.
    void fail(const std::string& title, const std::string& detail);
    /// `count` cases that something missing on this machine left out.
    void skip(const std::string& what, const std::string& reason, size_t count);

    size_t passed() const { return passed_; }
    size_t failed() const { return failed_; }
    /// Prints "N passed, N failed[, N skipped]". Exit code: 1 with a failure, 77 when nothing ran but
    /// something was skipped, 1 when there was nothing at all.
    int close() const;

private:
    size_t passed_ = 0, failed_ = 0, skipped_ = 0;
};

/// Both texts as one unified diff with three lines of context; "" where they are equal.
std::string unified_diff(std::string_view expected, std::string_view actual);

}  // namespace fuseline::testing
