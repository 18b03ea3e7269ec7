// How the checker reports: with the chain of calls, and at the user's call where the fault lies in the
// prelude.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/checker.h"

namespace fuseline::dsl {

namespace {

constexpr int kMaxChain = 6;  ///< notes on calls that a message carries

void mark_faulty(Frame* frame) {
    for (; frame; frame = frame->caller) frame->faulty = true;
}

}  // namespace

Checker::Checker(Modules& modules_in, Diagnostics& diagnostics_in, std::string graph_name)
    : modules(modules_in), diagnostics(&diagnostics_in), builder(ir::Form::graph, std::move(graph_name)) {}

DiagnosticBuilder Checker::error(Span span, std::string message) {
    mark_faulty(frame);
    const Frame* at = frame;
    while (at && at->module->prelude && at->caller) {
        span = at->call;
        if (!at->caller->module->prelude) message = fmt::format("in `{}`: {}", at->function->name(), message);
        at = at->caller;
    }
    DiagnosticBuilder d = diagnostics->error(span, std::move(message));
    for (int depth = 0; at && at->caller && at->call.known() && depth < kMaxChain; at = at->caller, ++depth) {
        d.note(at->call, fmt::format("in this call of `{}`", at->function->name()));
    }
    return d;
}

DiagnosticBuilder Checker::not_yet(Span span, std::string_view feature) {
    mark_faulty(frame);
    const Frame* at = frame;
    for (; at && at->module->prelude && at->caller; at = at->caller) span = at->call;
    return diagnostics->not_yet(span, feature);
}

std::string Checker::text(const Value& value) {
    return describe(value, builder.function(), [this](ExtentId e) { return text(e); });
}

std::string Checker::text(ExtentId e) {
    return extents().text(spoken.empty() ? e : extents().substitute(e, spoken));
}

std::string Checker::text(const ir::Type& type) {
    return type_text(type, [this](ExtentId e) { return text(e); });
}

void Checker::note_sizes(DiagnosticBuilder& d, std::initializer_list<ExtentId> sizes) {
    std::set<std::pair<Span, std::string>> places;
    for (ExtentId e : sizes) {
        for (const std::string& name : extents().symbols(e)) {
            const auto at = symbol_spans.find(name);
            if (at != symbol_spans.end()) places.emplace(at->second, name);
        }
    }
    for (const auto& [span, name] : places) d.note(span, fmt::format("`{}` is bound here", name));
}

}  // namespace fuseline::dsl
