// The top level of a file: imports, options, params and functions; all else is a script statement.
#include "dsl/parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "dsl/expression_parser.h"
#include "dsl/lexer.h"
#include "dsl/parser_hints.h"
#include "dsl/statement_parser.h"
#include "dsl/token_cursor.h"

namespace fuseline {
namespace {

using namespace ast;

class ProgramParser {
public:
    ProgramParser(TokenCursor& cursor, Tree& tree)
        : cursor_(cursor), tree_(tree), expressions_(cursor, tree), statements_(cursor, expressions_, tree) {}

    void run() {
        while (!cursor_.at_end()) top();
    }

private:
    void top();
    bool definition(const Token& t);
    bool import();
    bool option();
    bool param();
    bool function(const Token& first, FunctionKind kind);
    bool header(Function& f);
    bool parameters(Function& f);
    bool parameter(Function& f);
    bool results(Function& f);
    bool result(Function& f);
    bool named_result(Function& f);
    bool body(Function& f);
    bool extern_items(Function& f);
    bool extern_item(Function& f);
    bool list_goes_on(Span open, bool& more);

    TokenCursor& cursor_;
    Tree& tree_;
    ExpressionParser expressions_;
    StatementParser statements_;
    uint32_t column_ = 0;
};

void ProgramParser::top() {
    const Token& t = cursor_.peek();
    const size_t start = cursor_.position();
    column_ = t.column;
    if (t.is("}")) {
        if (!statements_.braces_lost()) cursor_.fail(t.span, "`}` has no opening `{`");
        cursor_.take();
        return;
    }
    const bool word = t.kind == TokenKind::name && !hints::definition_word(t.text).empty() &&
                      cursor_.peek(1).kind == TokenKind::name && !cursor_.peek(1).starts_line;
    const bool defines = t.is("fn") || t.is("elemental") || t.is("extern") || t.is("import") ||
                         t.is("option") || t.is("param");
    if (!word && !defines) return statements_.script_statement();
    if (!definition(t)) statements_.recover(start, column_);
}

bool ProgramParser::definition(const Token& t) {
    if (t.is("import")) return import();
    if (t.is("option")) return option();
    if (t.is("param")) return param();
    if (t.is("fn")) return function(t, FunctionKind::array);
    if (t.kind == TokenKind::name) {
        cursor_.report(t.span, fmt::format("`{}` is not a keyword", t.text))
            .help("a function is defined with `fn`");
        return function(t, FunctionKind::array);
    }
    cursor_.take();
    if (!cursor_.is("fn")) {
        cursor_.fail(fmt::format("expected `fn` after `{}`, but {}", t.text, cursor_.found()));
        return false;
    }
    return function(t, t.is("elemental") ? FunctionKind::elemental : FunctionKind::external);
}

bool ProgramParser::import() {
    Import out;
    out.span = cursor_.take().span;
    const Token& path = cursor_.peek();
    if (cursor_.line_ended() || path.kind != TokenKind::string) {
        cursor_.fail(fmt::format("expected the path of a file in double quotes, but {}", cursor_.found()))
            .help("write `import \"path.dsl\"`");
        return false;
    }
    out.path = cursor_.string_value(path);
    out.path_span = path.span;
    out.span = cover(out.span, cursor_.take().span);
    if (!statements_.end_statement()) return false;
    tree_.imports.push_back(std::move(out));
    return true;
}

bool ProgramParser::option() {
    OptionStatement out;
    out.span = cursor_.take().span;
    const Token* name = cursor_.name("the name of an option");
    if (name == nullptr) return false;
    out.name = name->text;
    out.name_span = name->span;
    out.span = cover(out.span, name->span);
    if (cursor_.is(",")) {
        cursor_.fail("one option a statement").help("write the next option on a line of its own");
        return false;
    }
    if (!statements_.end_statement()) return false;
    tree_.options.push_back(std::move(out));
    return true;
}

bool ProgramParser::param() {
    Param out;
    out.span = cursor_.take().span;
    const Token* name = cursor_.name("the name of a param");
    if (name == nullptr) return false;
    out.name = name->text;
    out.name_span = name->span;
    if (cursor_.line_ended() || !cursor_.accept(":")) {
        cursor_.fail(fmt::format("expected `:` and a type, but {}", cursor_.found()))
            .help(fmt::format("write `param {}: f32 = value`", out.name));
        return false;
    }
    auto type = statements_.type();
    if (!type) return false;
    out.type = std::move(*type);
    if (cursor_.line_ended() || !cursor_.accept("=")) {
        cursor_.fail(fmt::format("expected `=` and a default value, but {}", cursor_.found()))
            .help(fmt::format("write `param {}: {} = value`", out.name, out.type.name));
        return false;
    }
    out.default_value = expressions_.expression(true);
    if (!out.default_value || !statements_.end_statement(out.default_value)) return false;
    out.span = cover(out.span, cursor_.previous().span);
    tree_.params.push_back(std::move(out));
    return true;
}

bool ProgramParser::function(const Token& first, FunctionKind kind) {
    Function f;
    f.kind = kind;
    f.span = first.span;
    cursor_.take();
    if (!header(f)) {
        if (!statements_.find_block(column_)) return false;
        statements_.discarded_block(column_);
        return true;
    }
    if (!body(f)) return false;
    f.span = cover(f.span, cursor_.previous().span);
    tree_.functions.push_back(std::move(f));
    return true;
}

bool ProgramParser::header(Function& f) {
    const Token* name = cursor_.name("the name of a function");
    if (name == nullptr) return false;
    f.name = name->text;
    f.name_span = name->span;
    if (cursor_.line_ended() || !cursor_.is("(")) {
        cursor_.fail(fmt::format("expected `(` and parameters, but {}", cursor_.found()));
        return false;
    }
    return parameters(f) && (!cursor_.accept("->") || results(f));
}

/// After an element of a list in parentheses: steps past `,` (more to come) or `)`.
bool ProgramParser::list_goes_on(Span open, bool& more) {
    if (cursor_.accept(",")) {
        more = !cursor_.is(")");
    } else {
        more = false;
    }
    if (more) return true;
    if (cursor_.is(")")) {
        --cursor_.depth;
        cursor_.take();
        return true;
    }
    const Token& t = cursor_.peek();
    if (t.kind == TokenKind::end || t.is("{") || t.is("}") || t.is("->") || t.starts_line) {
        expressions_.report_unclosed(open, ")");
    } else {
        cursor_.fail(fmt::format("expected `,` or `)`, but {}", cursor_.found()));
    }
    return false;
}

bool ProgramParser::parameters(Function& f) {
    const Span open = cursor_.take().span;
    ++cursor_.depth;
    if (cursor_.is(")")) {
        --cursor_.depth;
        cursor_.take();
        return true;
    }
    for (bool more = true; more;) {
        if (!parameter(f) || !list_goes_on(open, more)) return false;
    }
    return true;
}

bool ProgramParser::parameter(Function& f) {
    Parameter p;
    p.span = cursor_.peek().span;
    p.is_const = cursor_.accept("const");
    const Token* name = cursor_.name("the name of a parameter");
    if (name == nullptr) return false;
    p.name = name->text;
    p.name_span = name->span;
    if (cursor_.accept(":")) {
        p.type = statements_.type();
        if (!p.type) return false;
    }
    if (cursor_.accept("=")) {
        p.default_value = expressions_.expression(true);
        if (!p.default_value) return false;
    }
    p.span = cover(p.span, cursor_.previous().span);
    if (!p.default_value && !f.parameters.empty() && f.parameters.back().default_value) {
        cursor_
            .report(p.name_span,
                    fmt::format("`{}` has no default, but the parameter before it has one", p.name))
            .help("parameters with defaults stand last");
    }
    f.parameters.push_back(std::move(p));
    return true;
}

bool ProgramParser::results(Function& f) {
    if (!cursor_.is("(")) {
        Result only;
        auto type = statements_.type();
        if (!type) return false;
        if (cursor_.is(":") && !cursor_.peek(1).starts_line) {
            cursor_.fail(type->span, "named results stand in parentheses")
                .help(fmt::format("write `-> ({}: ...)`", type->name));
            return false;
        }
        only.type = std::move(*type);
        f.results.push_back(std::move(only));
        return true;
    }
    const Span open = cursor_.take().span;
    ++cursor_.depth;
    for (bool more = true; more;) {
        if (!result(f) || !list_goes_on(open, more)) return false;
    }
    f.results_named = !f.results.front().name.empty();
    return true;
}

bool ProgramParser::result(Function& f) {
    Result r;
    const Token& first = cursor_.peek();
    if (first.kind == TokenKind::name && cursor_.is(":", 1)) {
        r.name = first.text;
        r.name_span = first.span;
        cursor_.take();
        cursor_.take();
        const bool taken = r.name == "T" || r.name == "shape" || r.name == "dtype" || r.name == "rank";
        if (taken) {
            cursor_.report(r.name_span, fmt::format("a result cannot be named `{}`", r.name))
                .help(fmt::format("`x.{}` is a property of every array", r.name));
        }
    }
    auto type = statements_.type();
    if (!type) return false;
    r.type = std::move(*type);
    if (!f.results.empty() && f.results.front().name.empty() != r.name.empty()) {
        cursor_.report(r.type.span, "either all results have names or none has");
    }
    f.results.push_back(std::move(r));
    return true;
}

bool ProgramParser::body(Function& f) {
    if (f.kind == FunctionKind::external) return extern_items(f);
    if (cursor_.is("=")) {
        const Token& t = cursor_.take();
        if (t.starts_line) cursor_.report(t.span, "`=` stands on the line of the header");
        f.body = statements_.expression_body();
        return !f.body.empty();
    }
    const Token& t = cursor_.peek();
    if (!t.is("{") && !t.is(":")) {
        cursor_.fail(fmt::format("expected `{{` or `= expression`, but {}", cursor_.found()));
        if (!statements_.find_block(column_)) return false;
    }
    f.body = statements_.body(column_);
    return true;
}

bool ProgramParser::extern_items(Function& f) {
    if (!cursor_.is("{")) {
        cursor_.fail(fmt::format("expected `{{`, but {}", cursor_.found()))
            .help("an extern function lists its code: `{ cuda: \"...\" cpu: \"...\" }`");
        return false;
    }
    const Span open = cursor_.take().span;
    while (!cursor_.is("}")) {
        if (cursor_.at_end()) {
            cursor_.fail(open, "`{` is never closed");
            return false;
        }
        if (extern_item(f)) continue;
        while (!cursor_.at_end() && !cursor_.is("}")) cursor_.take();
    }
    cursor_.take();
    return statements_.end_statement();
}

bool ProgramParser::extern_item(Function& f) {
    Function::ExternItem item;
    if (cursor_.is(",") || cursor_.is(";")) {
        cursor_.fail(fmt::format("the items of an extern function stand one a line, without `{}`",
                                 cursor_.peek().text));
        return false;
    }
    // Items may start a line or follow on one; both are plain here.
    const Token& key = cursor_.peek();
    if (key.kind != TokenKind::name || !cursor_.is(":", 1)) {
        cursor_.fail(
            key.span,
            fmt::format("expected the code for a back end, as `cuda: \"...\"`, but found `{}`", key.text));
        return false;
    }
    item.key = key.text;
    item.key_span = key.span;
    cursor_.take();
    cursor_.take();
    const Token& code = cursor_.peek();
    if (code.kind != TokenKind::string) {
        cursor_.fail(code.span,
                     fmt::format("expected the code for `{}` as a text in double quotes", item.key));
        return false;
    }
    item.code = cursor_.string_value(cursor_.take());
    f.extern_items.push_back(std::move(item));
    return true;
}

}  // namespace

Tree parse(const SourceMap& sources, size_t file, Diagnostics& diagnostics) {
    Tree tree;
    tree.file = file;
    const TokenList tokens = lex(sources, file, diagnostics);
    TokenCursor cursor(tokens, sources.file(file), diagnostics);
    ProgramParser(cursor, tree).run();
    return tree;
}

}  // namespace fuseline
