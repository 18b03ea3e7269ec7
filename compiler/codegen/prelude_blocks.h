// Chooses from a prelude file the functions that one kernel uses.
//
// A prelude file is a row of blocks parted by blank lines. A block begins with a comment line that names it
// and the blocks that it calls, "// fl_mod: needs fl_rem" or "; fl.mod: needs fl.rem", and holds the rest up
// to the next blank line. Text before the first such line belongs to no block.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fuseline {

struct PreludeBlock {
    std::string_view name;
    std::vector<std::string_view> needs;
    std::string_view text;  ///< without the heading line, ends with a newline
};

/// All blocks in file order; the views point into `prelude_text`.
std::vector<PreludeBlock> prelude_blocks(std::string_view prelude_text);

/// Names of blocks that occur in a piece of code as whole words.
std::set<std::string> prelude_names(std::string_view prelude_text, std::string_view code);

/// The names with all that they need. Names of SLEEF's functions ("sleef.exp_u10") need nothing.
/// Throws InternalError for any other name that is no block.
std::set<std::string> with_needs(const std::vector<PreludeBlock>& blocks, const std::set<std::string>& names);

/// The text of the named blocks and of those they need, in file order, a blank line after each.
std::string select_prelude(std::string_view prelude_text, const std::set<std::string>& names);

}  // namespace fuseline
