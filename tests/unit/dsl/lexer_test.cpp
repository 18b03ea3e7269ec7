// The lexer: kinds and places of tokens, values of texts, what it refuses and how it goes on.
#include "dsl/lexer.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

struct Lexed {
    SourceMap sources;
    Diagnostics diagnostics;
    TokenList list;

    explicit Lexed(const std::string& text) {
        list = lex(sources, sources.add("test.dsl", text), diagnostics);
    }
    std::string words() const {
        std::string out;
        for (const Token& t : list.tokens) {
            if (t.starts_line && !out.empty()) out += "/ ";
            out += std::string(t.text) + " ";
        }
        return out;
    }
};

}  // namespace

TEST_CASE("the lexer takes the longest symbol", "[dsl][lexer]") {
    const Lexed l("x **= y ** 2 // 3 <<= 1 .. ... . -> -= >> >= == = !=");
    CHECK(l.words() == "x **= y ** 2 // 3 <<= 1 .. ... . -> -= >> >= == = !=  ");
    CHECK_FALSE(l.diagnostics.has_errors());
}

TEST_CASE("a range after a number is no decimal point", "[dsl][lexer]") {
    const Lexed l("0..n 1.5..2.5");
    CHECK(l.words() == "0 .. n 1.5 .. 2.5  ");
    CHECK(l.list.tokens[0].kind == TokenKind::integer);
    CHECK(l.list.tokens[3].kind == TokenKind::floating);
}

TEST_CASE("newlines are marks on tokens, comments and blank lines leave none", "[dsl][lexer]") {
    const Lexed l("a # one\n\n  # two\r\n  b\tc\n");
    CHECK(l.words() == "a / b c /  ");
    CHECK(l.list.tokens[1].column == 2);
    CHECK(l.sources.describe(l.list.tokens[2].span) == "test.dsl:4:5");
}

TEST_CASE("kinds of literals and words", "[dsl][lexer]") {
    const Lexed l("12 0xff 1.5 1e3 2i \"a\" for by");
    const TokenKind expected[] = {TokenKind::integer,  TokenKind::integer,   TokenKind::floating,
                                  TokenKind::floating, TokenKind::imaginary, TokenKind::string,
                                  TokenKind::keyword,  TokenKind::name,      TokenKind::end};
    REQUIRE(l.list.tokens.size() == 9);
    for (size_t i = 0; i < 9; ++i) CHECK(l.list.tokens[i].kind == expected[i]);
}

TEST_CASE("escapes and long texts", "[dsl][lexer]") {
    const Lexed l("\"a\\n\\t\\\"\\\\\" \"\"\"x\n\"y\" \\\nz\"\"\" b");
    REQUIRE(l.list.strings.size() == 2);
    CHECK(l.list.strings[0] == "a\n\t\"\\");
    CHECK(l.list.strings[1] == "x\n\"y\" z");
    CHECK(l.list.tokens[2].text == "b");
    CHECK_FALSE(l.list.tokens[2].starts_line);
    CHECK_FALSE(l.diagnostics.has_errors());
}

TEST_CASE("an empty file and a byte order mark", "[dsl][lexer]") {
    CHECK(Lexed("").list.tokens.size() == 1);
    const Lexed marked("\xEF\xBB\xBFx = 1");
    CHECK(marked.words() == "x = 1  ");
    CHECK_FALSE(marked.diagnostics.has_errors());
}

TEST_CASE("the first byte that is not UTF-8 is told with its place", "[dsl][lexer]") {
    for (const char* bad : {"\xE9", "\xC3(", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xC0\x80"}) {
        const Lexed l(std::string("x = 1\ny = # ") + bad + " \xFF");
        const auto all = l.diagnostics.sorted();
        REQUIRE(all.size() == 1);
        CHECK(l.sources.describe(all[0].span) == "test.dsl:2:7");
        CHECK(all[0].message.find("is not valid UTF-8") != std::string::npos);
    }
}
