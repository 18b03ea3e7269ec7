// SourceMap: offsets of several files to lines and columns.
#include "compiler/support/source.h"
#include "tests/catch.h"

using namespace fuseline;

TEST_CASE("places in several files", "[support][source]") {
    SourceMap sources;
    const size_t a = sources.add("a.dsl", "x\nσy\n");
    const size_t empty = sources.add("empty.dsl", "");
    const size_t b = sources.add("b.dsl", "z");
    const Span first = sources.whole(a);
    CHECK(first.begin > 0);
    CHECK(sources.describe({first.begin, first.end}) == "a.dsl:1:1");
    CHECK(sources.describe({first.begin + 4, first.end}) == "a.dsl:2:2");
    CHECK(sources.describe({first.end, first.end}) == "a.dsl:3:1");
    CHECK(sources.describe(sources.whole(empty)) == "empty.dsl:1:1");
    CHECK(sources.describe(sources.whole(b)) == "b.dsl:1:1");
    CHECK(sources.text(sources.whole(b)) == "z");
    CHECK(sources.line_text(sources.locate(first.begin + 2)) == "σy");
    CHECK(sources.describe({}) == "");
    CHECK(sources.locate(sources.whole(b).end + 1).file == nullptr);
}

TEST_CASE("covering spans", "[support][source]") {
    CHECK(cover({3, 5}, {4, 9}) == Span{3, 9});
    CHECK(cover({}, {4, 9}) == Span{4, 9});
    CHECK(cover({3, 5}, {}) == Span{3, 5});
}
