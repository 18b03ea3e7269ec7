// Text tests: a .test file holds cases, a case holds named sections.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fuseline::testing {

/// `--- name` and the lines up to the next header; `text` ends with a newline unless it is empty.
struct Section {
    std::string name;
    std::string text;
    size_t line = 0;  ///< of the header, from 1
};

/// `=== name` and its sections.
struct TestCase {
    std::string name;
    size_t line = 0;
    std::vector<Section> sections;

    const Section* section(std::string_view name) const;
    /// The text of a section; "" where there is none.
    std::string_view text(std::string_view name) const;
};

struct TestFile {
    std::string path;
    std::string head;  ///< what stands before the first case
    std::vector<TestCase> cases;

    /// "tests/golden/x.test:12".
    std::string place(size_t line) const;
};

/// Throws UserError for a file that cannot be read or has text outside sections.
TestFile read_test_file(const std::string& path);
/// The file in its usual layout: what `--update` writes.
std::string test_file_text(const TestFile& file);

/// All .test files of the folders and files named, sorted. Throws UserError for a path that is not there.
std::vector<std::string> test_files(const std::vector<std::string>& paths);

/// The words of a text, between blanks.
std::vector<std::string> words(std::string_view text);

}  // namespace fuseline::testing
