// The three kinds of error: the user's, the toolchain's or device's, and ours.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "compiler/support/source.h"

namespace fuseline {

enum class Severity : uint8_t { error, warning, note };

/// A place and a sentence that belong to a diagnostic ("n is bound here").
struct Note {
    Span span;
    std::string text;
};

/// One message for the user: what was found, where, and where known the fix.
struct Diagnostic {
    Severity severity = Severity::error;
    Span span;
    std::string message;
    std::vector<Note> notes;
    std::vector<std::string> help;
};

/// A fault in the user's program, input or call. Exit code 1.
/// `what()` is the messages without source lines; `diagnostics()` has the spans.
class UserError : public std::runtime_error {
public:
    explicit UserError(const std::string& message) : UserError(one(message)) {}
    explicit UserError(std::vector<Diagnostic> diagnostics);
    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

private:
    static std::vector<Diagnostic> one(const std::string& message);
    std::vector<Diagnostic> diagnostics_;
};

/// A missing or failing compiler, library, driver or device. Exit code 3.
/// `log` holds the tool's own words; the message says what to do.
class ToolchainError : public std::runtime_error {
public:
    explicit ToolchainError(const std::string& message, std::string log = {})
        : std::runtime_error(message), log_(std::move(log)) {}
    const std::string& log() const { return log_; }

private:
    std::string log_;
};

/// A broken invariant of Fuseline itself. Exit code 4.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Throws InternalError with the text unless the condition holds.
inline void require(bool condition, const char* what) {
    if (!condition) throw InternalError(what);
}

}  // namespace fuseline
