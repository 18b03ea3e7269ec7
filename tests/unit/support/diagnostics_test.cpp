// Diagnostics: order, carets, JSON, suggestions.
#include <nlohmann/json.hpp>

#include "compiler/support/diagnostics.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

/// Renders one error over the first occurrence of `part`.
std::string rendered(const std::string& text, const std::string& part) {
    SourceMap sources;
    const uint32_t base = sources.file(sources.add("t.dsl", text)).base;
    const auto from = static_cast<uint32_t>(base + text.find(part));
    Diagnostics d;
    d.error({from, static_cast<uint32_t>(from + part.size())}, "bad");
    return render(d.sorted(), sources);
}

}  // namespace

TEST_CASE("carets cover the whole span", "[support][diagnostics]") {
    CHECK(rendered("a\nx = foo + 1\n", "foo + 1") == "t.dsl:2:5: error: bad\n  x = foo + 1\n      ^^^^^^^\n");
}

TEST_CASE("tabs before the span are kept", "[support][diagnostics]") {
    CHECK(rendered("\tx\t= y", "y") == "t.dsl:1:6: error: bad\n  \tx\t= y\n  \t \t  ^\n");
}

TEST_CASE("columns count code points, carets count columns of the terminal", "[support][diagnostics]") {
    CHECK(rendered("σ = µ + x", "x") == "t.dsl:1:9: error: bad\n  σ = µ + x\n          ^\n");
    CHECK(rendered("高 = 幅", "幅") == "t.dsl:1:5: error: bad\n  高 = 幅\n       ^^\n");
    CHECK(rendered("e\xCC\x81 = x", "x") == "t.dsl:1:6: error: bad\n  e\xCC\x81 = x\n      ^\n");
}

TEST_CASE("a span over several lines is underlined to the end of its first", "[support][diagnostics]") {
    CHECK(rendered("ab(\n  c)\n", "b(\n  c)") == "t.dsl:1:2: error: bad\n  ab(\n   ^^\n");
    CHECK(rendered("ab(\r\n  c)\n", "b(\r\n  c)") == "t.dsl:1:2: error: bad\n  ab(\n   ^^\n");
}

TEST_CASE("bytes that a terminal should not see are replaced", "[support][diagnostics]") {
    CHECK(rendered("a \xFF\x1B x", "x") ==
          "t.dsl:1:6: error: bad\n  a \xEF\xBF\xBD\\u{1b} x\n            ^\n");
}

TEST_CASE("a long line is cut around the span", "[support][diagnostics]") {
    const std::string text = std::string(400, 'a') + "xyz" + std::string(400, 'b');
    const std::string shown = std::string(60, 'a') + "xyz" + std::string(97, 'b');
    CHECK(rendered(text, "xyz") ==
          "t.dsl:1:401: error: bad\n  ..." + shown + "...\n  " + std::string(63, ' ') + "^^^\n");
}

TEST_CASE("notes, help, and errors without a place", "[support][diagnostics]") {
    SourceMap sources;
    const uint32_t base = sources.file(sources.add("t.dsl", "ab")).base;
    Diagnostics d;
    d.error({base + 1, base + 2}, "second").note({base, base + 1}, "here").help("do this").help("or this");
    d.warning({base, base + 1}, "first");
    d.error({}, "no place");
    CHECK(render(d.sorted(), sources) ==
          "error: no place\n"
          "t.dsl:1:1: warning: first\n  ab\n  ^\n"
          "t.dsl:1:2: error: second\n  ab\n   ^\n"
          "t.dsl:1:1: note: here\n  ab\n  ^\nhelp: do this\nhelp: or this\n");
    CHECK(d.error_count() == 2);
    CHECK_THROWS_AS(d.throw_if_errors(), UserError);
}

TEST_CASE("the end of a file is a place", "[support][diagnostics]") {
    SourceMap sources;
    const Span whole = sources.whole(sources.add("t.dsl", "ab\n"));
    Diagnostics d;
    d.error({whole.end, whole.end}, "bad");
    CHECK(render(d.sorted(), sources) == "t.dsl:2:1: error: bad\n  \n  ^\n");
}

TEST_CASE("a repeated message is dropped with what hangs on it", "[support][diagnostics]") {
    Diagnostics d;
    d.error({1, 2}, "bad").help("one");
    d.error({1, 2}, "bad").help("two");
    REQUIRE(d.sorted().size() == 1);
    CHECK(d.sorted()[0].help == std::vector<std::string>{"one"});
    CHECK(d.error_count() == 1);
}

TEST_CASE("JSON has places of both ends and never throws", "[support][diagnostics]") {
    SourceMap sources;
    const uint32_t base = sources.file(sources.add("t.dsl", "a\nbcd\n")).base;
    Diagnostics d;
    d.error({base + 3, base + 5}, "bad \xFF").note({base, base + 1}, "n").help("h");
    const auto all = nlohmann::json::parse(render_json(d.sorted(), sources));
    REQUIRE(all.size() == 1);
    CHECK(all[0]["severity"] == "error");
    CHECK(all[0]["file"] == "t.dsl");
    CHECK(all[0]["line"] == 2);
    CHECK(all[0]["column"] == 2);
    CHECK(all[0]["end_line"] == 2);
    CHECK(all[0]["end_column"] == 4);
    CHECK(all[0]["message"] == "bad \xEF\xBF\xBD");
    CHECK(all[0]["notes"][0]["line"] == 1);
    CHECK(all[0]["help"][0] == "h");
    CHECK(nlohmann::json::parse(render_json({}, sources)).empty());
}

TEST_CASE("the nearest name", "[support][diagnostics]") {
    const std::vector<std::string> names{"f32", "f64", "softmax", "sum", "cumsum", "x"};
    CHECK(nearest_name("f23", names) == "f32");
    CHECK(nearest_name("sofmtax", names) == "softmax");
    CHECK(nearest_name("sotfmx", names) == "softmax");
    CHECK(nearest_name("summ", names) == "sum");
    CHECK(nearest_name("SoftMax", names) == "softmax");
    CHECK(nearest_name("X", names) == "x");
    CHECK(nearest_name("y", names) == "");
    CHECK(nearest_name("ab", names) == "");
    CHECK(nearest_name("completely", names) == "");
    CHECK(nearest_name("", names) == "");
}

TEST_CASE("after fifty messages their number is told", "[support][diagnostics]") {
    SourceMap sources;
    const uint32_t base = sources.file(sources.add("t.dsl", std::string(60, 'x'))).base;
    Diagnostics d;
    for (uint32_t i = 0; i < 60; ++i) d.error({base + i, base + i + 1}, "bad");
    const std::string text = render(d.sorted(), sources);
    CHECK(text.find("t.dsl:1:50: error") != std::string::npos);
    CHECK(text.find("t.dsl:1:51: error") == std::string::npos);
    CHECK(text.find("note: 10 more messages are not shown\n") != std::string::npos);
}
