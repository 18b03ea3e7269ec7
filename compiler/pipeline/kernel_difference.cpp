// kernel_difference: compares two canonical texts line by line and word by word.
#include "compiler/pipeline/kernel_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

namespace fuseline {
namespace {

/// Words that may differ in kernels that are near.
constexpr size_t kFewWords = 3;

using Words = std::vector<std::string_view>;

Words split(std::string_view text, auto ends) {
    Words parts;
    size_t begin = 0;
    for (size_t k = 0; k <= text.size(); ++k) {
        if (k < text.size() && !ends(text[k])) continue;
        if (k > begin) parts.push_back(text.substr(begin, k - begin));
        begin = k + 1;
    }
    return parts;
}

Words lines_of(std::string_view text) {
    return split(text, [](char c) { return c == '\n'; });
}

/// Names, numbers and operations; what stands between is layout.
Words words_of(std::string_view line) {
    return split(line, [](char c) {
        return !std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '%';
    });
}

/// "mul" of "%3 = mul %1, %2 : f32".
std::string_view operation(std::string_view line) {
    const size_t equals = line.find(" = ");
    const Words words = words_of(equals == std::string_view::npos ? line : line.substr(equals + 3));
    return words.empty() ? std::string_view() : words[0];
}

/// Collects the pairs of words that differ; false where a line has other words than its counterpart.
bool compare(std::string_view from, std::string_view to,
             std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
    const Words a = words_of(from), b = words_of(to);
    if (a.size() != b.size()) return false;
    for (size_t k = 0; k < a.size(); ++k) {
        const std::pair pair(a[k], b[k]);
        if (a[k] != b[k] && std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
    }
    return true;
}

}  // namespace

std::string kernel_difference(const std::string& from, const std::string& to) {
    const Words a = lines_of(from), b = lines_of(to);
    if (a.size() != b.size()) return {};
    std::vector<std::pair<std::string_view, std::string_view>> pairs;
    bool same_words = true, same_operations = true;
    for (size_t k = 0; k < a.size(); ++k) {
        same_words = compare(a[k], b[k], pairs) && same_words;
        same_operations = same_operations && operation(a[k]) == operation(b[k]);
    }
    if (same_words && pairs.size() <= kFewWords) {
        std::string text;
        for (const auto& [x, y] : pairs) text += fmt::format("{}{} -> {}", text.empty() ? "" : ", ", x, y);
        return text;
    }
    return same_operations ? "axes and strides" : "";
}

}  // namespace fuseline
