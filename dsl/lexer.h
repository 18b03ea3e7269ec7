// Text to tokens. Newlines are marks on tokens; the parser decides where they end a statement.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/diagnostics.h"
#include "compiler/support/source.h"
#include "dsl/token.h"

namespace fuseline {

/// Splits file `file` into tokens. Reports what is no token; the texts stay in `sources`.
TokenList lex(const SourceMap& sources, size_t file, Diagnostics& diagnostics);

/// Is the word reserved by the language?
bool is_keyword(std::string_view word);

/// All words that are reserved, in the order of docs/language.md.
std::vector<std::string> keywords();

}  // namespace fuseline
