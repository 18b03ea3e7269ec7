// explanation_text: one block for each step of the plan, then the reasons.
#include <fmt/format.h>

#include <utility>

#include "compiler/pipeline/explain.h"

namespace fuseline {
namespace {

/// "16.8 MB"; decimal, as bandwidths are.
std::string readable(int64_t bytes) {
    constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB"};
    constexpr double kNext = 1000;
    double value = static_cast<double>(bytes);
    size_t unit = 0;
    for (; value >= kNext && unit + 1 < std::size(kUnits); ++unit) value /= kNext;
    return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.4g} {}", value, kUnits[unit]);
}

/// "20*n bytes", and the number behind it where it says more.
std::string bytes_text(const Amount& a) {
    if (!a.value) return a.formula + " bytes";
    if (a.formula == std::to_string(*a.value)) return readable(*a.value);
    return fmt::format("{} bytes = {}", a.formula, readable(*a.value));
}

std::string count_text(const Amount& a) {
    if (!a.value || a.formula == std::to_string(*a.value)) return a.formula;
    return fmt::format("{} = {}", a.formula, *a.value);
}

bool nothing(const Amount& a) { return a.formula == "0" || a.formula.empty(); }

void line(std::string& text, std::string_view label, std::string_view content) {
    text += fmt::format("    {:<11}{}\n", label, content);
}

void arrays(std::string& text, const ExplainedStep& step, bool written) {
    std::string list;
    for (const ExplainedStep::Array& a : step.arrays) {
        if (a.written != written) continue;
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", a.name, a.bytes.formula);
    }
    if (!list.empty()) line(text, written ? "writes" : "reads", list);
}

std::string operations_text(const ExplainedStep& step) {
    constexpr const char* kNames[kOpClassCount] = {"simple", "in helpers", "functions"};
    std::string list;
    for (size_t k = 0; k < kOpClassCount; ++k) {
        if (nothing(step.operations[k])) continue;
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count_text(step.operations[k]), kNames[k]);
    }
    return list + (step.loops ? "; loops count for one step" : "");
}

std::string operators_text(const ExplainedStep& step) {
    std::string list;
    for (const auto& [name, count] : step.operators)
        list +=
            fmt::format("{}{}{}", list.empty() ? "" : ", ", name, count > 1 ? fmt::format(" {}", count) : "");
    return list;
}

void kernel_lines(std::string& text, const ExplainedStep& step) {
    const std::string operations = operations_text(step);
    if (!operations.empty()) line(text, "operations", operations);
    if (!step.operators.empty()) line(text, "operators", operators_text(step));
    line(text, "runs",
         fmt::format("{} in parallel{}; live values: {}", count_text(step.outputs),
                     step.lanes > 1 ? fmt::format(", {} a thread", step.lanes) : "", step.live));
    if (!nothing(step.held)) line(text, "holds", bytes_text(step.held) + " a row");
    line(text, "code", step.code);
}

void step_lines(std::string& text, const ExplainedStep& step) {
    text += fmt::format("\n  {} {}", step.kind, step.name);
    if (!step.schedule.empty()) text += fmt::format(" ({})", step.schedule);
    if (!step.lines.empty()) text += "  " + step.lines;
    if (step.otherwise) text += "  (second side of a branch)";
    text += '\n';
    arrays(text, step, false);
    arrays(text, step, true);
    line(text, "moves", bytes_text(step.moved));
    if (step.times.formula != "1") line(text, "times", count_text(step.times));
    if (step.kind == "library") line(text, "flops", count_text(step.flops));
    if (step.kind == "kernel") kernel_lines(text, step);
}

std::string counted(size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string summary(const Explanation& e) {
    std::map<std::string, size_t> kinds;
    for (const ExplainedStep& s : e.steps) ++kinds[s.kind];
    std::string text = counted(kinds["kernel"], "kernel", "kernels");
    if (kinds["library"] != 0) text += ", " + counted(kinds["library"], "library call", "library calls");
    if (kinds["copy"] != 0) text += ", " + counted(kinds["copy"], "copy", "copies");
    text += fmt::format("; {} moved, ", bytes_text(e.moved));
    if (e.moved.formula == e.least.formula) {
        text += "the least possible";
    } else {
        text +=
            e.ratio ? fmt::format("{:.2f} times the least possible ", *e.ratio) : "the least possible is ";
        text += bytes_text(e.least);
    }
    return text + (e.exact ? "" : "; of branches the first side counts, a loop that data ends as one step");
}

void reasons(std::string& text, const Explanation& e, std::string_view title, bool of_fuse) {
    bool first = true;
    for (const Explanation::Reason& r : e.reasons) {
        if ((r.pass == "fuse") != of_fuse) continue;
        if (std::exchange(first, false)) text += fmt::format("\n  {}\n", title);
        text +=
            fmt::format("    {}{}\n      {}\n", r.subject, r.lines.empty() ? "" : "  " + r.lines, r.reason);
    }
}

}  // namespace

std::string explanation_text(const Explanation& e) {
    std::string text = fmt::format("{}\n  {}\n", e.signature, summary(e));
    for (const ExplainedStep& step : e.steps) step_lines(text, step);
    reasons(text, e, "not fused", true);
    reasons(text, e, "chosen", false);
    return text;
}

}  // namespace fuseline
