// Diagnostics: collecting, rendering as text with carets, rendering as JSON, suggestions.
#include "compiler/support/diagnostics.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/support/utf8.h"

namespace fuseline {
namespace {

constexpr size_t kWidestLine = 160;  ///< bytes of a source line that are shown whole
constexpr size_t kBeforeSpan = 60;   ///< bytes shown before the span of a longer line
constexpr size_t kMostDiagnostics = 50;

const char* word(Severity severity) {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::note: return "note";
    }
    return "";
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The part of a source line that is shown, with the underlined bytes [from, to) counted in it.
struct Excerpt {
    std::string_view text;
    size_t from = 0;
    size_t to = 0;
    bool cut_before = false;
    bool cut_after = false;
};

Excerpt excerpt(std::string_view line, size_t from, size_t to) {
    Excerpt e{line, std::min(from, line.size()), std::min(to, line.size()), false, false};
    if (line.size() <= kWidestLine) return e;
    size_t first = e.from > kBeforeSpan ? e.from - kBeforeSpan : 0;
    while (first > 0 && continues(line[first])) --first;
    size_t last = std::min(line.size(), first + kWidestLine);
    while (last < line.size() && continues(line[last])) ++last;
    e.text = line.substr(first, last - first);
    e.cut_before = first > 0;
    e.cut_after = last < line.size();
    e.from -= first;
    e.to = std::min(e.to, last) - first;
    return e;
}

/// Spaces (tabs kept) under the bytes before the span, then carets under the span.
std::string underline(const Excerpt& e) {
    std::string out(e.cut_before ? 3 : 0, ' ');
    size_t carets = 0;
    for (size_t at = 0; at < e.to || at < e.from;) {
        const CodePoint c = decode_utf8(e.text, at);
        if (c.length == 0) break;
        const int width = shown_width(c);
        if (at >= e.from) {
            carets += c.value == '\t' ? 1 : width;
        } else if (c.value == '\t') {
            out += '\t';
        } else {
            out.append(width, ' ');
        }
        at += c.length;
    }
    return out.append(std::max<size_t>(carets, 1), '^');
}

void render_place(std::string& out, const SourceMap& sources, Span span, std::string_view severity,
                  std::string_view message) {
    const Location at = span.known() ? sources.locate(span.begin) : Location{};
    if (at.file == nullptr) {
        out += fmt::format("{}: {}\n", severity, printable(message));
        return;
    }
    out += fmt::format("{}:{}:{}: {}: {}\n", at.file->name, at.line, at.column, severity, printable(message));
    const uint32_t start = at.file->line_starts[at.line - 1];
    const Excerpt e = excerpt(sources.line_text(at), span.begin - start, span.end - start);
    out += fmt::format("  {}{}{}\n", e.cut_before ? "..." : "", printable(e.text), e.cut_after ? "..." : "");
    out += fmt::format("  {}\n", underline(e));
}

nlohmann::ordered_json place_json(const SourceMap& sources, Span span) {
    const Location from = span.known() ? sources.locate(span.begin) : Location{};
    const Location to = span.known() ? sources.locate(std::max(span.begin, span.end)) : Location{};
    nlohmann::ordered_json out;
    out["file"] = from.file != nullptr ? from.file->name : "";
    out["line"] = from.line;
    out["column"] = from.column;
    out["end_line"] = to.line;
    out["end_column"] = to.column;
    return out;
}

/// Optimal string alignment distance: insert, delete, replace, swap of neighbours.
size_t alignment_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

}  // namespace

DiagnosticBuilder& DiagnosticBuilder::note(Span span, std::string text) {
    d_->notes.push_back({span, std::move(text)});
    return *this;
}

DiagnosticBuilder& DiagnosticBuilder::help(std::string text) {
    d_->help.push_back(std::move(text));
    return *this;
}

DiagnosticBuilder Diagnostics::report(Severity severity, Span span, std::string message) {
    if (!seen_.emplace(span, message).second) {
        repeated_ = {};
        return DiagnosticBuilder(repeated_);
    }
    if (severity == Severity::error) ++errors_;
    Diagnostic d;
    d.severity = severity;
    d.span = span;
    d.message = std::move(message);
    all_.push_back(std::move(d));
    return DiagnosticBuilder(all_.back());
}

DiagnosticBuilder Diagnostics::error(Span span, std::string message) {
    return report(Severity::error, span, std::move(message));
}

DiagnosticBuilder Diagnostics::warning(Span span, std::string message) {
    return report(Severity::warning, span, std::move(message));
}

DiagnosticBuilder Diagnostics::not_yet(Span span, std::string_view feature) {
    return error(span, fmt::format("{} is not supported yet", feature));
}

std::vector<Diagnostic> Diagnostics::sorted() const {
    std::vector<size_t> order(all_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [this](size_t a, size_t b) {
        return std::pair(all_[a].span.begin, a) < std::pair(all_[b].span.begin, b);
    });
    std::vector<Diagnostic> out;
    for (size_t i : order) out.push_back(all_[i]);
    return out;
}

void Diagnostics::throw_if_errors() const {
    if (has_errors()) throw UserError(sorted());
}

std::string render(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources) {
    std::string out;
    for (size_t i = 0; i < diagnostics.size() && i < kMostDiagnostics; ++i) {
        const Diagnostic& d = diagnostics[i];
        render_place(out, sources, d.span, word(d.severity), d.message);
        for (const Note& n : d.notes) render_place(out, sources, n.span, "note", n.text);
        for (const std::string& h : d.help) out += fmt::format("help: {}\n", printable(h));
    }
    if (diagnostics.size() > kMostDiagnostics) {
        out += fmt::format("note: {} more messages are not shown\n", diagnostics.size() - kMostDiagnostics);
    }
    return out;
}

std::string render_json(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const Diagnostic& d : diagnostics) {
        nlohmann::ordered_json one;
        one["severity"] = word(d.severity);
        one.update(place_json(sources, d.span));
        one["message"] = d.message;
        one["notes"] = nlohmann::ordered_json::array();
        for (const Note& n : d.notes) {
            nlohmann::ordered_json note = place_json(sources, n.span);
            note["message"] = n.text;
            one["notes"].push_back(std::move(note));
        }
        one["help"] = d.help;
        out.push_back(std::move(one));
    }
    return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    const auto same = [&](char a, char b) { return lower(a) == lower(b); };
    for (const std::string& candidate : candidates) {
        if (std::ranges::equal(name, candidate, same)) return candidate;
    }
    std::string best;
    size_t best_distance = name.size() / 3 + 1;
    for (const std::string& candidate : candidates) {
        const size_t shorter = std::min(name.size(), candidate.size());
        if (std::max(name.size(), candidate.size()) - shorter >= best_distance) continue;
        const size_t distance = alignment_distance(name, candidate);
        if (distance >= best_distance) continue;
        best = candidate;
        best_distance = distance;
    }
    return best;
}

}  // namespace fuseline
