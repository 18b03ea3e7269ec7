// Splits a prelude file into blocks and picks from them.
#include "compiler/codegen/prelude_blocks.h"

#include <algorithm>
#include <cctype>

#include "compiler/support/errors.h"

namespace fuseline {
namespace {

std::string_view next_line(std::string_view& text) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    return line;
}

std::string_view next_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    return word;
}

/// Fills name and needs from "// fl_x: needs fl_y fl_z"; false for any other line.
bool read_heading(std::string_view line, PreludeBlock& block) {
    const std::string_view comment = next_word(line);
    if (comment != "//" && comment != ";") return false;
    const std::string_view name = next_word(line);
    if (!name.starts_with("fl") || !name.ends_with(':')) return false;
    block.name = name.substr(0, name.size() - 1);
    if (next_word(line) != "needs") return true;
    for (auto need = next_word(line); !need.empty(); need = next_word(line)) block.needs.push_back(need);
    return true;
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

}  // namespace

std::vector<PreludeBlock> prelude_blocks(std::string_view prelude_text) {
    std::vector<PreludeBlock> blocks;
    bool open = false;
    while (!prelude_text.empty()) {
        const std::string_view line = next_line(prelude_text);
        PreludeBlock heading;
        if (line == "\n") {
            open = false;
        } else if (!open && read_heading(line, heading)) {
            heading.text = std::string_view(line.data() + line.size(), 0);
            blocks.push_back(heading);
            open = true;
        } else if (open) {
            std::string_view& text = blocks.back().text;
            text = std::string_view(text.data(), text.size() + line.size());
        }
    }
    return blocks;
}

std::set<std::string> prelude_names(std::string_view prelude_text, std::string_view code) {
    std::set<std::string> known;
    for (const PreludeBlock& b : prelude_blocks(prelude_text)) known.emplace(b.name);
    std::set<std::string> found;
    for (size_t at = code.find("fl"); at != std::string_view::npos; at = code.find("fl", at + 1)) {
        if (at > 0 && in_name(code[at - 1])) continue;
        size_t end = at;
        while (end < code.size() && in_name(code[end])) ++end;
        std::string word(code.substr(at, end - at));
        if (known.contains(word)) found.insert(std::move(word));
    }
    return found;
}

std::set<std::string> with_needs(const std::vector<PreludeBlock>& blocks,
                                 const std::set<std::string>& names) {
    std::set<std::string> wanted;
    std::vector<std::string> pending(names.begin(), names.end());
    while (!pending.empty()) {
        const std::string name = std::move(pending.back());
        pending.pop_back();
        if (!wanted.insert(name).second || name.starts_with("sleef.")) continue;
        const auto block =
            std::find_if(blocks.begin(), blocks.end(), [&](auto& b) { return b.name == name; });
        if (block == blocks.end()) throw InternalError("the prelude has no block " + name);
        pending.insert(pending.end(), block->needs.begin(), block->needs.end());
    }
    return wanted;
}

std::string select_prelude(std::string_view prelude_text, const std::set<std::string>& names) {
    const auto blocks = prelude_blocks(prelude_text);
    const auto wanted = with_needs(blocks, names);
    std::string text;
    for (const PreludeBlock& b : blocks) {
        if (wanted.contains(std::string(b.name))) text.append(b.text).append("\n");
    }
    return text;
}

}  // namespace fuseline
