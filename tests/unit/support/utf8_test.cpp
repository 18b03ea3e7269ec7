// UTF-8: every code point decodes, nothing else does.
#include "compiler/support/utf8.h"
#include "tests/catch.h"

using namespace fuseline;

TEST_CASE("code points of each length, and the ends of their ranges", "[support][utf8]") {
    const struct {
        const char* text;
        char32_t value;
        int length;
    } rows[] = {{"\x7F", 0x7F, 1},
                {"\xC2\x80", 0x80, 2},
                {"\xDF\xBF", 0x7FF, 2},
                {"\xE0\xA0\x80", 0x800, 3},
                {"\xED\x9F\xBF", 0xD7FF, 3},
                {"\xEF\xBF\xBF", 0xFFFF, 3},
                {"\xF0\x90\x80\x80", 0x10000, 4},
                {"\xF4\x8F\xBF\xBF", 0x10FFFF, 4}};
    for (const auto& r : rows) {
        const CodePoint c = decode_utf8(r.text, 0);
        CHECK(c.value == r.value);
        CHECK(c.length == r.length);
        CHECK(c.valid);
    }
}

TEST_CASE("overlong forms, surrogates and cut sequences are one invalid byte", "[support][utf8]") {
    for (const char* text :
         {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82", "\xE2(\xA1"}) {
        const CodePoint c = decode_utf8(text, 0);
        CHECK_FALSE(c.valid);
        CHECK(c.length == 1);
    }
    CHECK(decode_utf8("", 0).length == 0);
}

TEST_CASE("printable text keeps tabs and letters only", "[support][utf8]") {
    CHECK(printable("a\tb\n\x01\x7F\xFFσ") == "a\tb\\u{a}\\u{1}\\u{7f}\xEF\xBF\xBDσ");
    CHECK(printable("\u2028\u202e\u0085\u200d") == "\\u{2028}\\u{202e}\\u{85}\u200d");
    CHECK(shown_width(decode_utf8("\u202e", 0)) == 8);
}
