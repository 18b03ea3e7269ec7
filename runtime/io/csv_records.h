// The records of a CSV text, after RFC 4180.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace fuseline {

/// Fields are separated by commas, records by newlines (LF, CRLF or CR). A field in double quotes may hold
/// both, and a quote as two. Lines that are blank or begin with `#` are skipped, as is a byte order mark.
class CsvRecords {
public:
    /// `path` stands in messages; both must stay.
    CsvRecords(std::string_view text, const std::string& path);

    /// Reads the next record; false at the end. Blanks around a field are no part of it. Throws UserError for
    /// a quote that is not closed and for text after one.
    bool next();
    /// Valid until the next call.
    const std::vector<std::string_view>& fields() const { return fields_; }
    /// Of the record's first character, from 1.
    size_t line() const { return record_line_; }

private:
    bool at_end() const { return at_ >= text_.size(); }
    bool at_newline() const { return text_[at_] == '\n' || text_[at_] == '\r'; }
    void skip_blanks();
    void skip_newline();
    void skip_empty_lines();
    std::string_view plain_field();
    std::string_view quoted_field();

    std::string_view text_;
    const std::string& path_;
    size_t at_ = 0;
    size_t line_ = 1;
    size_t record_line_ = 0;
    std::vector<std::string_view> fields_;
    std::deque<std::string> unquoted_;  ///< fields of the record that hold doubled quotes
};

}  // namespace fuseline
