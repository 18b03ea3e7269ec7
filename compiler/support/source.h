// Source texts and the 8-byte spans that point into them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fuseline {

/// A half-open range of bytes in the texts of one SourceMap. {0, 0} means "no place known".
struct Span {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool known() const { return end != 0; }
    auto operator<=>(const Span&) const = default;
};

/// The smallest span that covers both; an unknown one counts for nothing.
Span cover(Span a, Span b);

/// One source file (or in-memory text) and where its bytes lie in the map.
struct SourceFile {
    std::string name;
    std::string text;
    uint32_t base = 0;                  ///< offset of the first byte; never 0
    std::vector<uint32_t> line_starts;  ///< absolute offsets
};

/// A place for people: both numbers count from 1; the column counts code points.
struct Location {
    const SourceFile* file = nullptr;
    uint32_t line = 0;
    uint32_t column = 0;
};

/// All texts of a compilation, laid out one after the other so that a Span needs no file number.
class SourceMap {
public:
    /// Adds a text and returns its index. Throws UserError above 2^32 - 2 bytes in all.
    size_t add(std::string name, std::string text);

    const SourceFile& file(size_t index) const { return files_[index]; }
    size_t size() const { return files_.size(); }

    /// The span of the whole text of a file.
    Span whole(size_t index) const;

    /// Where an offset lies; `file` is null for offset 0 or one past all texts.
    Location locate(uint32_t offset) const;

    /// "name:line:column", or an empty text for an unknown span.
    std::string describe(Span span) const;

    std::string_view text(Span span) const;

    /// The line (without its newline) that holds the offset.
    std::string_view line_text(const Location& location) const;

private:
    std::vector<SourceFile> files_;
    uint32_t next_ = 1;
};

}  // namespace fuseline
