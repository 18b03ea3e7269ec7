// What people from other languages write, and what it is here.
#pragma once

#include <string_view>

namespace fuseline::hints {

/// The operator that a foreign spelling in infix position means (`&&`: `and`), or "".
std::string_view infix_spelling(std::string_view written);
/// The same before an operand (`!`: `not`).
std::string_view prefix_spelling(std::string_view written);
/// The literal that a name means (`True`: `true`), or "".
std::string_view literal_spelling(std::string_view written);
/// `and` for `&`, `or` for `|`, else "".
std::string_view logical_for_bit(std::string_view written);
/// The keyword that a name at the start of a definition means (`def`: `fn`), or "".
std::string_view definition_word(std::string_view written);
/// Does the word only announce a binding elsewhere (`let`, `var`)?
bool is_binding_word(std::string_view written);
/// Advice for a word that starts a statement of another language (`try`, `switch` ...), or "".
std::string_view foreign_statement(std::string_view written);

}  // namespace fuseline::hints
