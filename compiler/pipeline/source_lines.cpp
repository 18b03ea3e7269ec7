// span_lines and kernel_lines: the least and the largest line number of one file.
#include "compiler/pipeline/source_lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/ir/walk.h"

namespace fuseline {
namespace {

/// Lines of the first file that was seen.
struct Lines {
    const SourceFile* file = nullptr;
    uint32_t first = 0, last = 0;

    void add(Location at) {
        if (at.file == nullptr || (file != nullptr && at.file != file)) return;
        file = at.file;
        first = first == 0 ? at.line : std::min(first, at.line);
        last = std::max(last, at.line);
    }
    std::string text() const {
        if (file == nullptr) return {};
        return first == last ? fmt::format("{}:{}", file->name, first)
                             : fmt::format("{}:{}-{}", file->name, first, last);
    }
};

}  // namespace

std::string span_lines(Span span, const SourceMap& sources) {
    Lines lines;
    if (!span.known()) return {};
    lines.add(sources.locate(span.begin));
    lines.add(sources.locate(span.end > span.begin ? span.end - 1 : span.begin));
    return lines.text();
}

std::string kernel_lines(const ir::Function& kernel, const SourceMap& sources) {
    Lines lines;
    for (ir::NodeId id : ir::nodes_in_order(kernel, kernel.body())) {
        if (kernel.span(id).known()) lines.add(sources.locate(kernel.span(id).begin));
    }
    return lines.text();
}

}  // namespace fuseline
