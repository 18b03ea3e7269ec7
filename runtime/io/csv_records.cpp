// The records of a CSV text: one pass, fields are parts of the text.
#include "runtime/io/csv_records.h"

#include <fmt/format.h>

#include "runtime/io/fault.h"

namespace fuseline {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

CsvRecords::CsvRecords(std::string_view text, const std::string& path) : text_(text), path_(path) {
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

void CsvRecords::skip_blanks() {
    while (!at_end() && blank(text_[at_])) ++at_;
}

void CsvRecords::skip_newline() {
    if (at_end()) return;
    const bool pair = text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
    at_ += pair ? 2 : 1;
    ++line_;
}

void CsvRecords::skip_empty_lines() {
    while (!at_end()) {
        const size_t start = at_;
        skip_blanks();
        if (!at_end() && text_[at_] == '#') {
            while (!at_end() && !at_newline()) ++at_;
        }
        if (!at_end() && !at_newline()) {
            at_ = start;
            return;
        }
        skip_newline();
    }
}

bool CsvRecords::next() {
    fields_.clear();
    unquoted_.clear();
    skip_empty_lines();
    if (at_end()) return false;
    record_line_ = line_;
    while (true) {
        skip_blanks();
        fields_.push_back(!at_end() && text_[at_] == '"' ? quoted_field() : plain_field());
        if (at_end()) return true;
        if (at_newline()) break;
        ++at_;
    }
    skip_newline();
    return true;
}

std::string_view CsvRecords::plain_field() {
    const size_t start = at_;
    while (!at_end() && text_[at_] != ',' && !at_newline()) ++at_;
    size_t end = at_;
    while (end > start && blank(text_[end - 1])) --end;
    return text_.substr(start, end - start);
}

std::string_view CsvRecords::quoted_field() {
    const size_t line = line_, start = ++at_;
    bool doubled = false;
    for (;; ++at_) {
        if (at_end()) file_fault(path_, fmt::format("line {}: a quote is not closed", line));
        if (text_[at_] == '\n') ++line_;
        if (text_[at_] != '"') continue;
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
        doubled = true;
        ++at_;
    }
    std::string_view field = text_.substr(start, at_ - start);
    ++at_;
    skip_blanks();
    if (!at_end() && text_[at_] != ',' && !at_newline())
        file_fault(path_, fmt::format("line {}: text follows a closing quote", line_));
    if (!doubled) return field;
    std::string& own = unquoted_.emplace_back();
    for (size_t k = 0; k < field.size(); ++k) {
        own += field[k];
        if (field[k] == '"') ++k;
    }
    return own;
}

}  // namespace fuseline
