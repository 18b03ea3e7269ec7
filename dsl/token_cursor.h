// A place in the tokens of a file, and how the parser reports what it finds there.
#pragma once

#include <string>
#include <string_view>

#include "compiler/support/diagnostics.h"
#include "dsl/token.h"

namespace fuseline {

class TokenCursor {
public:
    TokenCursor(const TokenList& list, const SourceFile& file, Diagnostics& diagnostics)
        : list_(list), file_(file), diagnostics_(diagnostics) {}

    /// Brackets `( [` that are open here; the parser's parts keep it up to date.
    int depth = 0;

    const Token& peek(size_t ahead = 0) const;
    /// The token before the current one; the current one at the start of the file.
    const Token& previous() const { return list_.tokens[at_ == 0 ? 0 : at_ - 1]; }
    /// Gives the current token and steps past it; the end is never passed.
    const Token& take();
    bool accept(std::string_view symbol_or_keyword);
    bool is(std::string_view symbol_or_keyword, size_t ahead = 0) const {
        return peek(ahead).is(symbol_or_keyword);
    }
    bool at_end() const { return peek().kind == TokenKind::end; }
    size_t position() const { return at_; }
    const std::string& string_value(const Token& t) const { return list_.strings[t.string]; }

    /// Does a newline (or the end) stand before the current token, outside all brackets?
    bool line_ended() const { return at_end() || (depth == 0 && peek().starts_line); }
    /// Is there a newline between two places?
    bool on_other_line(Span a, Span b) const;
    /// Where to report what is wrong at the current token: the token, or the end of the line before it.
    Span here() const;
    /// The current token in words: "'+'", "the end of the line".
    std::string found() const;

    /// Reports at a place, unless the lexer has reported the current token already.
    DiagnosticBuilder fail(Span span, std::string message);
    DiagnosticBuilder fail(std::string message) { return fail(here(), std::move(message)); }
    /// Reports what does not stop the parser.
    DiagnosticBuilder report(Span span, std::string message) {
        return diagnostics_.error(span, std::move(message));
    }

    /// Takes the name that must stand here. Null, and reported, if none does.
    const Token* name(std::string_view what);

private:
    const TokenList& list_;
    const SourceFile& file_;
    Diagnostics& diagnostics_;
    Diagnostic dropped_;
    size_t at_ = 0;
};

/// May the keyword only start a statement or a definition?
bool starts_statement(const Token& t);

}  // namespace fuseline
