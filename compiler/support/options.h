// The numeric and safety options of a program, from option_table.def.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fuseline {

struct OptionRow {
    std::string_view name;
    bool default_value;
    bool in_key;
    bool built;
    std::string_view doc;
};

inline constexpr OptionRow kOptionTable[] = {
#define OPTION(name, value, key, built, doc) {#name, value, key, built, doc},
#include "compiler/support/option_table.def"
#undef OPTION
};
inline constexpr size_t kOptionCount = sizeof(kOptionTable) / sizeof(kOptionTable[0]);

/// A setting of every option; starts at the defaults.
struct Options {
#define OPTION(name, value, key, built, doc) bool name = value;
#include "compiler/support/option_table.def"
#undef OPTION
    bool operator==(const Options&) const = default;
};

/// The row of a name, or null.
const OptionRow* find_option(std::string_view name);
/// Sets an option by name; false when there is none of that name.
bool set_option(Options& options, std::string_view name, bool value);
/// All option names, in table order.
std::vector<std::string> option_names();
/// "contract fast" : the names of key options that differ from their default, in table order.
std::string key_text(const Options& options);

}  // namespace fuseline
