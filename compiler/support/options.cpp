// Options by name.
#include "compiler/support/options.h"

#include <algorithm>

namespace fuseline {
namespace {

using Member = bool Options::*;
constexpr Member kMembers[] = {
#define OPTION(name, value, key, built, doc) &Options::name,
#include "compiler/support/option_table.def"
#undef OPTION
};

}  // namespace

const OptionRow* find_option(std::string_view name) {
    const auto* row = std::ranges::find(kOptionTable, name, &OptionRow::name);
    return row == std::end(kOptionTable) ? nullptr : row;
}

bool set_option(Options& options, std::string_view name, bool value) {
    const OptionRow* row = find_option(name);
    if (row == nullptr) return false;
    options.*kMembers[row - kOptionTable] = value;
    return true;
}

std::vector<std::string> option_names() {
    std::vector<std::string> names;
    for (const OptionRow& row : kOptionTable) names.emplace_back(row.name);
    return names;
}

std::string key_text(const Options& options) {
    std::string text;
    for (size_t i = 0; i < kOptionCount; ++i) {
        const OptionRow& row = kOptionTable[i];
        if (!row.in_key || options.*kMembers[i] == row.default_value) continue;
        if (!text.empty()) text += ' ';
        text += row.name;
    }
    return text;
}

}  // namespace fuseline
