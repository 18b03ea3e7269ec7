// Normal forms, equalities and proofs of symbolic sizes, from algebra and from NumPy's rules for slices.
#include "compiler/ir/extent.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/catch.h"

using fuseline::AtomKind;
using fuseline::ExtentId;
using fuseline::ExtentPool;

namespace {

struct Row {
    const char* expression;
    const char* expected;
};

const Row kTexts[] = {
    // Sums and products.
    {"0", "0"},
    {"1", "1"},
    {"-3", "-3"},
    {"n", "n"},
    {"-n", "-n"},
    {"n + n", "2*n"},
    {"n - n", "0"},
    {"0*n", "0"},
    {"n + 0", "n"},
    {"2*n - 1", "2*n - 1"},
    {"-1 + 2*n", "2*n - 1"},
    {"1 - n", "1 - n"},
    {"m - n", "m - n"},
    {"n - m", "n - m"},
    {"-n - m", "-m - n"},
    {"n + m", "m + n"},
    {"n*m", "m*n"},
    {"n*n", "n*n"},
    {"n + n*m + 3", "m*n + n + 3"},
    {"(n + 1)*(n - 1)", "n*n - 1"},
    {"(n + m)*(n + m)", "m*m + 2*m*n + n*n"},
    {"(n + 2)*3 - 6", "3*n"},
    {"2*(n - (m - 3))", "2*n - 2*m + 6"},
    {"((((n))))", "n"},
    {"- - n", "n"},
    {"batch*n2 + n10", "batch*n2 + n10"},
    // Floor quotients.
    {"7//2", "3"},
    {"-7//2", "-4"},
    {"7//-2", "-4"},
    {"7%3", "1"},
    {"-7%3", "2"},
    {"7%-3", "-2"},
    {"n//1", "n"},
    {"n//-1", "-n"},
    {"n//2", "n//2"},
    {"2*n//2", "n"},
    {"6*n//4", "n + n//2"},
    {"(4*n + 6)//4", "n + 1"},
    {"(4*n + 2)//6", "(2*n + 1)//3"},
    {"(2*n + 1)//2", "n"},
    {"(2*n - 1)//2", "n - 1"},
    {"(n + 4)//2", "n//2 + 2"},
    {"(n - 2)//2", "n//2 - 1"},
    {"(n + 1)//2", "(n + 1)//2"},
    {"-(-n//2)", "(n + 1)//2"},
    {"-(-n//3)", "(n + 2)//3"},
    {"2*n//3", "2*n//3"},
    {"-(n//2)", "-(n//2)"},
    {"m - n//2", "m - n//2"},
    {"3*(n//2)", "3*(n//2)"},
    {"m*(n//2)", "m*(n//2)"},
    {"(3*m*n + 2)//3", "m*n"},
    {"n//2//3", "n//6"},
    {"(n//2 + 1)//3", "(n + 2)//6"},
    {"n%2", "n - 2*(n//2)"},
    {"2*n%2", "0"},
    {"n*m//m", "n"},
    {"(n*m + k)//m", "n + k//m"},
    {"n//n", "1"},
    {"m*n//(m*k)", "n//k"},
    {"2*n//(2*m)", "n//m"},
    {"n//m//k", "n//(k*m)"},
    {"(n*m + n)//(m + 1)", "n"},
    {"n//(n + 1)", "0"},
    {"0//n", "0"},
    {"n%m", "n - m*(n//m)"},
    {"n*m%m", "0"},
    {"n//0", "n//0"},
    // Maxima with 0: literal slice bounds.
    {"max(0, n)", "n"},
    {"max(0, -n)", "0"},
    {"max(0, 3)", "3"},
    {"max(0, -3)", "0"},
    {"max(0, n - 2)", "max(0, n - 2)"},
    {"max(0, 2 - n)", "max(0, 2 - n)"},
    {"max(0, n + 2)", "n + 2"},
    {"max(0, 2*n - 4)", "2*max(0, n - 2)"},
    {"max(0, 2*n - 3)", "max(0, 2*n - 3)"},
    {"max(0, n*m - 2*m)", "m*max(0, n - 2)"},
    {"max(0, n - m)", "max(0, n - m)"},
    {"max(0, m - n)", "max(0, m - n)"},
    {"max(0, max(0, n - 1) - 1)", "max(0, n - 2)"},
    {"max(0, max(0, n - 2) + 2)", "max(0, n - 2) + 2"},
    {"max(0, n//2 - 3)", "max(0, n - 6)//2"},
    {"(max(0, n - 1) + 1)//2", "n//2"},
    {"max(0, n - 1)//2 + 1", "max(0, n - 1)//2 + 1"},
    {"max(0, n*n - n)", "n*n - n"},
    {"max(0, n - n//2)", "(n + 1)//2"},
    {"max(0, n - 1)*3", "3*max(0, n - 1)"},
    // Minima and maxima.
    {"min(n, m)", "min(m, n)"},
    {"min(n, n)", "n"},
    {"min(n, 0)", "0"},
    {"min(n, 5)", "min(n, 5)"},
    {"min(3, 5)", "3"},
    {"max(3, 5)", "5"},
    {"min(n, n + 1)", "n"},
    {"max(n, n + 1)", "n + 1"},
    {"min(n, 2*n)", "n"},
    {"min(n + 1, m + 1)", "min(m, n) + 1"},
    {"min(2*n, 2*m)", "2*min(m, n)"},
    {"min(n*k, m*k)", "k*min(m, n)"},
    {"max(n, m)", "max(m, n)"},
    {"max(n, m, k)", "max(k, m, n)"},
    {"min(m, min(n, k))", "min(k, m, n)"},
    {"min(min(n, 5), 3)", "min(n, 3)"},
    {"max(0, min(n, 5))", "min(n, 5)"},
    {"max(0, min(n, m) - 1)", "max(0, min(m, n) - 1)"},
    {"min(n, n//2)", "n//2"},
    {"min(n, max(0, n - 2))", "max(0, n - 2)"},
    {"n + m - min(n, m)", "max(m, n)"},
    {"n - max(0, n - 5)", "min(n, 5)"},
    {"n - min(n, m)", "max(0, n - m)"},
};

const Row kEqual[] = {
    {"a + b", "b + a"},
    {"a*(b + c)", "a*b + a*c"},
    {"min(a, b)", "min(b, a)"},
    {"min(a, b) + max(a, b)", "a + b"},
    {"max(a, b)", "-min(-a, -b)"},
    {"min(n, 5) + max(0, n - 5)", "n"},
    {"n//2 + (n + 1)//2", "n"},
    {"(n + 2)//3", "-(-n//3)"},
    {"(n + b - 1)//b", "-(-n//b)"},
    {"n%m + m*(n//m)", "n"},
    {"max(0, n - 2) - max(0, 2 - n)", "n - 2"},
    {"max(0, max(0, n - 2) - 2)", "max(0, n - 4)"},
    {"max(0, max(0, min(n, 5) - 2) - 1)", "max(0, min(n, 5) - 3)"},
    {"max(0, min(n, 5) - 2)", "min(n, 5) - min(n, 2)"},
    {"max(0, n//2 - 1)", "max(0, n - 2)//2"},
    {"max(1, n)//2", "n//2"},
    {"(n*m + m)//m", "n + 1"},
    {"min(min(a, 4), b)", "min(a, b, 4)"},
    {"max(max(a, b), c)", "max(a, max(b, c))"},
    {"(a//b)//c", "a//(b*c)"},
    {"n*(n + 1)//2", "(n*n + n)//2"},
};

const Row kDifferent[] = {
    {"n", "m"},         {"n", "n + 1"}, {"max(0, n - 2)", "n - 2"},         {"n//2", "(n + 1)//2"},
    {"min(n, m)", "n"}, {"n*n", "n"},   {"max(0, n - 1)", "max(0, n - 2)"}, {"n//m", "m//n"},
    {"2*(n//2)", "n"},  {"n%2", "0"},   {"max(n, m)", "min(n, m)"},
};

ExtentId read(ExtentPool& pool, const std::string& text) {
    const auto e = pool.parse(text);
    INFO("expression " << text);
    REQUIRE(e.has_value());
    return *e;
}

/// len(range(n)[start:stop:step]) by the rules of Python for the literal bounds, "" for an absent one.
std::string slice_length(int64_t start, int64_t stop, int64_t step) {
    const auto clipped = [](int64_t bound) {
        return bound < 0 ? "max(0, n - " + std::to_string(-bound) + ")"
                         : "min(n, " + std::to_string(bound) + ")";
    };
    const std::string span = "max(0, " + clipped(stop) + " - " + clipped(start) + ")";
    return "(" + span + " + " + std::to_string(step - 1) + ")//" + std::to_string(step);
}

int64_t count_slice(int64_t n, int64_t start, int64_t stop, int64_t step) {
    const auto clipped = [n](int64_t bound) {
        if (bound < 0) return bound + n < 0 ? int64_t{0} : bound + n;
        return bound < n ? bound : n;
    };
    int64_t count = 0;
    for (int64_t i = clipped(start); i < clipped(stop); i += step) ++count;
    return count;
}

}  // namespace

TEST_CASE("extent: normal forms") {
    for (const Row& row : kTexts) {
        ExtentPool pool;
        const ExtentId e = read(pool, row.expression);
        INFO("expression " << row.expression);
        CHECK(pool.text(e) == row.expected);
        CHECK(pool.parse(pool.text(e)) == e);
    }
}

TEST_CASE("extent: equal sizes have equal ids") {
    for (const Row& row : kEqual) {
        ExtentPool pool;
        const ExtentId a = read(pool, row.expression);
        const ExtentId b = read(pool, row.expected);
        INFO(row.expression << " = " << row.expected << " as " << pool.text(a) << " and " << pool.text(b));
        CHECK(a == b);
        CHECK(pool.provably_equal(a, b));
    }
    for (const Row& row : kDifferent) {
        ExtentPool pool;
        INFO(row.expression << " and " << row.expected);
        const ExtentId a = read(pool, row.expression);
        const ExtentId b = read(pool, row.expected);
        CHECK(a != b);
        CHECK_FALSE(pool.provably_equal(a, b));
    }
}

TEST_CASE("extent: slices have the lengths that NumPy gives them") {
    ExtentPool pool;
    CHECK(read(pool, slice_length(1, -1, 1)) == read(pool, "max(0, n - 2)"));
    CHECK(read(pool, slice_length(2, -2, 1)) == read(pool, "max(0, max(0, n - 2) - 2)"));
    CHECK(read(pool, "(n + 1)//2") == read(pool, "(max(0, n) + 1)//2"));
    const std::vector<int64_t> bounds = {-4, -2, -1, 0, 1, 2, 5};
    for (const int64_t start : bounds) {
        for (const int64_t stop : bounds) {
            for (const int64_t step : {1, 2, 3}) {
                const ExtentId e = read(pool, slice_length(start, stop, step));
                INFO("[" << start << ":" << stop << ":" << step << "] is " << pool.text(e));
                CHECK(pool.provably_nonnegative(e));
                for (int64_t n = 0; n < 12; ++n)
                    CHECK(pool.evaluate(e, {{"n", n}}) == count_slice(n, start, stop, step));
            }
        }
    }
}

TEST_CASE("extent: proofs of order") {
    ExtentPool pool;
    const Row below[] = {
        {"0", "n"},
        {"n", "n + m"},
        {"max(0, n - 2)", "n"},
        {"min(n, m)", "m"},
        {"n//2", "n"},
        {"n%5", "4"},
        {"0", "n%5"},
        {"n%m", "n"},
        {"0", "n%m"},
        {"n%m", "m - 1"},
        {"n", "max(n, m)"},
        {"n", "n*n"},
        {"m*(n//m)", "n"},
        {"n//m", "n"},
        {"max(0, n - 3)", "max(0, n - 2)"},
        {"n", "2*((n + 1)//2)"},
        {"min(n, 3)", "3"},
        {"n - 2", "max(0, n - 2)"},
        {"min(n, m)", "max(n, m)"},
    };
    for (const Row& row : below) {
        INFO(row.expression << " <= " << row.expected);
        CHECK(pool.provably_le(read(pool, row.expression), read(pool, row.expected)));
    }
    for (const char* unproved : {"n - 1", "n - m", "m*n - n", "max(0, n - 2) - 1", "min(n, m) - 1", "-n",
                                 "-1", "n//2 - 1", "n - 2*m + m*m"}) {
        INFO(unproved);
        CHECK_FALSE(pool.provably_nonnegative(read(pool, unproved)));
    }
}

TEST_CASE("extent: handles, names and structure") {
    ExtentPool pool;
    CHECK(pool.constant(0) == ExtentId{0});
    CHECK(pool.constant(1) == ExtentId{1});
    CHECK(pool.is_one(pool.constant(1)));
    const ExtentId n = pool.symbol("n");
    CHECK(pool.symbol("n") == n);
    CHECK(pool.symbol_name(n) == "n");
    CHECK_FALSE(pool.symbol_name(pool.add(n, n)).has_value());
    CHECK(pool.constant_value(pool.sub(n, n)) == 0);
    CHECK_FALSE(pool.constant_value(n).has_value());
    const ExtentId e = read(pool, "max(0, n - 2)*m + n//k");
    CHECK(pool.symbols(e) == std::vector<std::string>{"k", "m", "n"});
    CHECK(pool.terms(e).size() == 2);
    size_t seen = 0;
    for (const uint32_t index : pool.atoms_of(e)) {
        for (const ExtentId operand : pool.atom(index).operands)
            for (const auto& term : pool.terms(operand))
                for (const uint32_t factor : term.factors) CHECK(factor < index);
        seen += pool.atom(index).kind == AtomKind::symbol;
    }
    CHECK(seen == 3);
}

TEST_CASE("extent: order of creation does not show") {
    ExtentPool first;
    ExtentPool second;
    for (const char* name : {"z", "b", "a"}) second.symbol(name);
    const char* expression = "b*a + min(z, a, b//2)*3 - max(0, z - 2)";
    const ExtentId e = read(first, expression);
    const ExtentId f = read(second, expression);
    CHECK(first.text(e) == second.text(f));
    CHECK(second.import(first, e) == f);
    CHECK(first.import(second, f) == e);
    const ExtentPool copy = first;
    CHECK(copy.text(e) == first.text(e));
}

TEST_CASE("extent: substitution") {
    ExtentPool pool;
    const ExtentId e = read(pool, "max(0, n - 2)*m + n//2");
    CHECK(pool.substitute(e, {{"n", pool.constant(6)}}) == read(pool, "4*m + 3"));
    CHECK(pool.substitute(e, {{"n", read(pool, "2*m + 2")}}) == read(pool, "2*m*m + m + 1"));
    CHECK(pool.substitute(e, {{"n", pool.symbol("m")}, {"m", pool.symbol("n")}}) ==
          read(pool, "max(0, m - 2)*n + m//2"));
    CHECK(pool.substitute(e, {}) == e);
}

TEST_CASE("extent: evaluation says what is missing") {
    ExtentPool pool;
    std::string why;
    CHECK(pool.evaluate(read(pool, "n*m - 1"), {{"n", 3}, {"m", 4}}) == 11);
    CHECK_FALSE(pool.evaluate(read(pool, "n*m"), {{"n", 3}}, &why).has_value());
    CHECK(why == "the size `m` is not known");
    CHECK_FALSE(pool.evaluate(read(pool, "n//m"), {{"n", 3}, {"m", 0}}, &why).has_value());
    CHECK(why == "division by zero");
    CHECK_FALSE(pool.evaluate(read(pool, "n%0"), {{"n", 3}}, &why).has_value());
    CHECK_FALSE(pool.evaluate(read(pool, "n*n*n"), {{"n", INT64_MAX}}, &why).has_value());
    CHECK(why == "the size does not fit 64 bits");
}

TEST_CASE("extent: numbers at the end of int64") {
    ExtentPool pool;
    const ExtentId largest = pool.constant(INT64_MAX);
    const ExtentId least = pool.constant(INT64_MIN);
    CHECK(pool.add(pool.add(least, largest), pool.constant(1)) == ExtentId{0});
    const ExtentId over = pool.add(largest, pool.constant(1));
    CHECK_FALSE(pool.constant_value(over).has_value());
    CHECK_FALSE(pool.evaluate(over, {}).has_value());
    CHECK(pool.evaluate(pool.sub(over, pool.constant(1)), {}) == INT64_MAX);
    const ExtentId scaled = pool.mul(pool.mul(largest, pool.symbol("n")), pool.constant(3));
    CHECK(pool.evaluate(scaled, {{"n", 0}}) == 0);
    CHECK_FALSE(pool.evaluate(scaled, {{"n", 1}}).has_value());
    const ExtentId lower = pool.min(least, pool.mul(least, pool.symbol("n")));
    CHECK(pool.evaluate(lower, {{"n", 0}}) == INT64_MIN);
    CHECK(pool.evaluate(lower, {{"n", 1}}) == INT64_MIN);
    for (const ExtentId e : {over, scaled, least, pool.negate(least), pool.mul(least, pool.symbol("n")),
                             pool.floordiv(least, pool.constant(-1)),
                             pool.max0(pool.sub(pool.symbol("n"), least)), pool.mod(largest, least)}) {
        INFO(pool.text(e));
        CHECK(pool.parse(pool.text(e)) == e);
    }
}

TEST_CASE("extent: solving for one name") {
    ExtentPool pool;
    CHECK(pool.solve(read(pool, "n"), "n", 7, {}) == 7);
    CHECK(pool.solve(read(pool, "2*n + 1"), "n", 7, {}) == 3);
    CHECK_FALSE(pool.solve(read(pool, "2*n + 1"), "n", 8, {}).has_value());
    CHECK_FALSE(pool.solve(read(pool, "n + 3"), "n", 2, {}).has_value());
    CHECK(pool.solve(read(pool, "n*m + k//2"), "n", 13, {{"m", 4}, {"k", 3}}) == 3);
    CHECK_FALSE(pool.solve(read(pool, "n*m"), "n", 0, {{"m", 0}}).has_value());
    CHECK_FALSE(pool.solve(read(pool, "n*m"), "n", 4, {}).has_value());
    CHECK(pool.solve(read(pool, "10 - n"), "n", 4, {}) == 6);
    CHECK_FALSE(pool.solve(read(pool, "n//2"), "n", 4, {}).has_value());
    CHECK_FALSE(pool.solve(read(pool, "n*n"), "n", 4, {{"n", 2}}).has_value());
    CHECK_FALSE(pool.solve(read(pool, "m"), "n", 4, {{"m", 4}}).has_value());
}

TEST_CASE("extent: what is no expression is refused") {
    ExtentPool pool;
    for (const char* text : {"", "n +", "* n", "(n", "n)", "n m", "2n", "f(n)", "max()", "max(n,)", "(n, m)",
                             "n / 2", "min(n", "n,m", "1.5", "9223372036854775808", "n ++ m", ","}) {
        INFO(text);
        CHECK_FALSE(pool.parse(text).has_value());
    }
}

TEST_CASE("extent: long chains") {
    ExtentPool pool;
    ExtentId numbers;
    ExtentId names;
    ExtentId shrunk = pool.symbol("n");
    ExtentId product{1};
    ExtentId nested = pool.symbol("n");
    for (int i = 0; i < 10'000; ++i) {
        numbers = pool.add(numbers, pool.constant(i));
        names = pool.add(names, pool.symbol("s" + std::to_string(i)));
        shrunk = pool.max0(pool.sub(shrunk, ExtentId{1}));
        product = pool.mul(product, pool.symbol("n"));
        if (i < 1'000) nested = pool.floordiv(pool.add(nested, ExtentId{1}), pool.symbol("m"));
    }
    CHECK(pool.constant_value(numbers) == 49'995'000);
    CHECK(pool.text(shrunk) == "max(0, n - 10000)");
    CHECK(pool.evaluate(product, {{"n", 1}}) == 1);
    CHECK(pool.evaluate(nested, {{"n", 7}, {"m", 2}}) == 1);
    std::map<std::string, int64_t> ones;
    for (const std::string& name : pool.symbols(names)) ones[name] = 1;
    CHECK(pool.evaluate(names, ones) == 10'000);
    ExtentPool other;
    CHECK(other.symbols(other.import(pool, names)).size() == 10'000);
    const std::string deep = std::string(10'000, '(') + "n" + std::string(10'000, ')');
    CHECK(pool.parse(deep) == pool.symbol("n"));
}

TEST_CASE("extent: what doubles with each step is refused before it fills the memory") {
    // n % d = n - d*(n//d) writes both sides twice.
    const auto chain = [](int count) {
        std::string text = "n";
        for (int i = 0; i < count; ++i) text += " % d" + std::to_string(i);
        return text;
    };
    ExtentPool pool;
    const auto short_one = pool.parse(chain(5));
    REQUIRE(short_one.has_value());
    CHECK(pool.evaluate(*short_one,
                        {{"n", 1000}, {"d0", 700}, {"d1", 200}, {"d2", 70}, {"d3", 19}, {"d4", 7}}) ==
          1000 % 700 % 200 % 70 % 19 % 7);
    CHECK(pool.leaves(*short_one) <= ExtentPool::kMaxLeaves);
    CHECK_FALSE(pool.parse(chain(40)).has_value());
    CHECK_FALSE(pool.parse(chain(10'000)).has_value());

    // Through the pool's own operations it is the caller who asks; counting goes on.
    ExtentId e = pool.symbol("n");
    for (int i = 0; i < 20; ++i) e = pool.mod(e, pool.symbol("d" + std::to_string(i)));
    CHECK(pool.leaves(e) > ExtentPool::kMaxLeaves);
    CHECK(pool.leaves(pool.add(pool.symbol("n"), pool.symbol("m"))) <= 4);
    CHECK(pool.leaves(pool.symbol(std::string(100'000, 'n'))) > 1'000);
}
