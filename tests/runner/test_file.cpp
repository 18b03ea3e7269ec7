// Text tests: reading, writing and finding the files.
#include "tests/runner/test_file.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "runtime/io/files.h"

namespace fuseline::testing {
namespace {

constexpr std::string_view kCaseMark = "=== ";
constexpr std::string_view kSectionMark = "--- ";

/// The lines of a text, newlines included.
std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

std::string title(std::string_view line, std::string_view mark) {
    line.remove_prefix(mark.size());
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.remove_suffix(1);
    return std::string(line);
}

/// Blank lines before the next header belong to the layout, not to the section.
void trim(std::string& text) {
    while (text.ends_with("\n\n")) text.pop_back();
    if (text == "\n") text.clear();
    if (!text.empty() && text.back() != '\n') text += '\n';
}

}  // namespace

const Section* TestCase::section(std::string_view wanted) const {
    const auto it =
        std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.name == wanted; });
    return it == sections.end() ? nullptr : &*it;
}

std::string_view TestCase::text(std::string_view wanted) const {
    const Section* found = section(wanted);
    return found == nullptr ? std::string_view() : std::string_view(found->text);
}

std::string TestFile::place(size_t line) const { return fmt::format("{}:{}", path, line); }

TestFile read_test_file(const std::string& path) {
    TestFile file{path, {}, {}};
    const std::string whole = read_file(path);
    size_t number = 0;
    for (std::string_view line : lines_of(whole)) {
        ++number;
        if (line.starts_with(kCaseMark)) {
            file.cases.push_back({title(line, kCaseMark), number, {}});
        } else if (file.cases.empty()) {
            file.head += line;
        } else if (line.starts_with(kSectionMark)) {
            file.cases.back().sections.push_back({title(line, kSectionMark), {}, number});
        } else if (!file.cases.back().sections.empty()) {
            file.cases.back().sections.back().text += line;
        } else if (line != "\n") {
            throw UserError(fmt::format("{}: text before the first section of a case", file.place(number)));
        }
    }
    for (TestCase& c : file.cases) {
        for (Section& s : c.sections) trim(s.text);
    }
    return file;
}

std::string test_file_text(const TestFile& file) {
    std::string text = file.head;
    trim(text);
    for (const TestCase& c : file.cases) {
        text += fmt::format("\n{}{}\n", kCaseMark, c.name);
        for (const Section& s : c.sections) text += fmt::format("{}{}\n{}", kSectionMark, s.name, s.text);
    }
    return text;
}

std::vector<std::string> test_files(const std::vector<std::string>& paths) {
    std::vector<std::string> files;
    for (const std::string& path : paths) {
        if (!std::filesystem::exists(path))
            throw UserError(fmt::format("there is no file or folder {}", path));
        if (!std::filesystem::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
            if (entry.path().extension() == ".test") files.push_back(entry.path().string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> all;
    constexpr std::string_view kBlanks = " \t\n";
    for (size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
        const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
        all.emplace_back(text.substr(at, end - at));
        at = text.find_first_not_of(kBlanks, end);
    }
    return all;
}

}  // namespace fuseline::testing
