// SourceMap: offsets to files, lines and columns.
#include "compiler/support/source.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/support/errors.h"

namespace fuseline {

Span cover(Span a, Span b) {
    if (!a.known()) return b;
    if (!b.known()) return a;
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

size_t SourceMap::add(std::string name, std::string text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
    if (text.size() >= UINT32_MAX - next_ - 1)
        throw UserError(fmt::format("{}: the source text is too large", name));
    SourceFile file{std::move(name), std::move(text), next_, {next_}};
    for (size_t i = 0; i < file.text.size(); ++i) {
        if (file.text[i] == '\n') file.line_starts.push_back(next_ + static_cast<uint32_t>(i) + 1);
    }
    // One spare byte keeps a file's end apart from the next one's start.
    next_ += static_cast<uint32_t>(file.text.size()) + 1;
    files_.push_back(std::move(file));
    return files_.size() - 1;
}

Span SourceMap::whole(size_t index) const {
    const SourceFile& f = files_[index];
    return {f.base, f.base + static_cast<uint32_t>(f.text.size())};
}

Location SourceMap::locate(uint32_t offset) const {
    if (offset == 0 || offset >= next_) return {};
    auto after = std::upper_bound(files_.begin(), files_.end(), offset,
                                  [](uint32_t o, const SourceFile& f) { return o < f.base; });
    const SourceFile& file = *(after - 1);
    auto line = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), offset) - 1;
    uint32_t column = 1;
    for (uint32_t o = *line; o < offset; ++o) {
        const auto byte = static_cast<unsigned char>(file.text[o - file.base]);
        if ((byte & 0xC0) != 0x80) ++column;
    }
    return {&file, static_cast<uint32_t>(line - file.line_starts.begin()) + 1, column};
}

std::string SourceMap::describe(Span span) const {
    const Location at = locate(span.begin);
    if (at.file == nullptr) return {};
    return fmt::format("{}:{}:{}", at.file->name, at.line, at.column);
}

std::string_view SourceMap::text(Span span) const {
    const Location at = locate(span.begin);
    if (at.file == nullptr) return {};
    return std::string_view(at.file->text).substr(span.begin - at.file->base, span.end - span.begin);
}

std::string_view SourceMap::line_text(const Location& location) const {
    const SourceFile& f = *location.file;
    const uint32_t start = f.line_starts[location.line - 1] - f.base;
    std::string_view rest = std::string_view(f.text).substr(start);
    rest = rest.substr(0, rest.find('\n'));
    if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
    return rest;
}

}  // namespace fuseline
