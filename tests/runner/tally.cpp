// The tally of a run, and differences of texts.
#include "tests/runner/tally.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

#include <fmt/format.h>

namespace fuseline::testing {
namespace {

constexpr int kSkippedExit = 77;
constexpr size_t kContext = 3;
/// Above this many pairs of lines the whole middle counts as changed.
constexpr size_t kMostPairs = 16'000'000;

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

struct Line {
    char mark;  ///< ' ', '-' or '+'
    std::string_view text;
};

/// Lines of both texts in one list by their longest common subsequence.
std::vector<Line> merged(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    std::vector<Line> lines;
    const size_t width = b.size() + 1;
    std::vector<uint32_t> longest((a.size() + 1) * width);
    for (size_t i = a.size(); i-- > 0;) {
        for (size_t j = b.size(); j-- > 0;) {
            longest[i * width + j] = a[i] == b[j]
                                         ? longest[(i + 1) * width + j + 1] + 1
                                         : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
        }
    }
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            lines.push_back({' ', a[i++]});
            ++j;
        } else if (j == b.size() ||
                   (i < a.size() && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) {
            lines.push_back({'-', a[i++]});
        } else {
            lines.push_back({'+', b[j++]});
        }
    }
    return lines;
}

}  // namespace

void Tally::fail(const std::string& title, const std::string& detail) {
    ++failed_;
    std::cout << "failed: " << title << '\n' << detail;
    if (!detail.empty() && detail.back() != '\n') std::cout << '\n';
    std::cout.flush();
}

void Tally::skip(const std::string& what, const std::string& reason, size_t count) {
    skipped_ += count;
    std::cout << what << ": not run: " << reason << '\n';
}

int Tally::close() const {
    std::cout << passed_ << " passed, " << failed_ << " failed";
    if (skipped_ != 0) std::cout << ", " << skipped_ << " skipped";
    std::cout << '\n';
    if (failed_ != 0) return 1;
    if (passed_ == 0) return skipped_ != 0 ? kSkippedExit : 1;
    return 0;
}

std::string unified_diff(std::string_view expected, std::string_view actual) {
    if (expected == actual) return {};
    const auto a = split_lines(expected), b = split_lines(actual);
    if (a.size() * b.size() > kMostPairs) return fmt::format("expected:\n{}\nfound:\n{}\n", expected, actual);
    const std::vector<Line> lines = merged(a, b);
    std::vector<bool> shown(lines.size());
    for (size_t k = 0; k < lines.size(); ++k) {
        if (lines[k].mark == ' ') continue;
        for (size_t n = k - std::min(k, kContext); n < std::min(lines.size(), k + kContext + 1); ++n)
            shown[n] = true;
    }
    std::string text = "--- expected\n+++ found\n";
    for (size_t k = 0; k < lines.size(); ++k) {
        if (!shown[k]) continue;
        if (k != 0 && !shown[k - 1]) text += "@@\n";
        text += fmt::format("{}{}\n", lines[k].mark, lines[k].text);
    }
    return text;
}

}  // namespace fuseline::testing
