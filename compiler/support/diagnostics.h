// Collects diagnostics and renders them as text with carets or as JSON.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/support/errors.h"
#include "compiler/support/source.h"

namespace fuseline {

/// Adds notes and help to the diagnostic that was just reported.
class DiagnosticBuilder {
public:
    explicit DiagnosticBuilder(Diagnostic& d) : d_(&d) {}
    DiagnosticBuilder& note(Span span, std::string text);
    DiagnosticBuilder& help(std::string text);

private:
    Diagnostic* d_;
};

/// The diagnostics of one compilation, in the order of their places; a repeated (span, message) is dropped.
class Diagnostics {
public:
    /// The builder is valid until the next report.
    DiagnosticBuilder error(Span span, std::string message);
    DiagnosticBuilder warning(Span span, std::string message);
    /// "X is not supported yet": one spelling for all that the language has and this version lacks.
    DiagnosticBuilder not_yet(Span span, std::string_view feature);

    bool has_errors() const { return errors_ != 0; }
    size_t error_count() const { return errors_; }
    /// All so far, sorted by place (stable).
    std::vector<Diagnostic> sorted() const;
    /// Throws UserError with all diagnostics if there is an error among them.
    void throw_if_errors() const;

private:
    DiagnosticBuilder report(Severity severity, Span span, std::string message);
    std::vector<Diagnostic> all_;
    std::set<std::pair<Span, std::string>> seen_;
    Diagnostic repeated_;
    size_t errors_ = 0;
};

/// `file:line:column: error: text`, the source line, carets under the whole span, `note:` and `help:` lines.
/// Ends with a newline. A span over several lines is underlined to the end of its first line.
std::string render(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources);

/// A JSON array of {severity, file, line, column, end_line, end_column, message, notes: [...], help: [...]}.
std::string render_json(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources);

/// A candidate equal but for case, else the nearest (alignment distance of a third of its length), or "".
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace fuseline
