// Types of operations and the words for those that have none.
#include <vector>

#include "compiler/ops/op_table.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

/// "f32 -> bool": type of the operation and of the result; or "reason | help".
std::string typed(std::string_view op, const std::vector<std::string_view>& operands) {
    std::vector<DType> types;
    for (std::string_view o : operands) types.push_back(*dtype_named(o));
    std::string why;
    std::string help;
    const auto t = op_typing(*op_named(op), types.data(), types.size(), &why, &help);
    if (!t) return help.empty() ? why : why + " | " + help;
    return std::string(name(t->operation)) + " -> " + std::string(name(t->result));
}

}  // namespace

TEST_CASE("arithmetic promotes", "[ops][typing]") {
    CHECK(typed("add", {"f32", "i64"}) == "f32 -> f32");
    CHECK(typed("mul", {"bool", "i64"}) == "i64 -> i64");
    CHECK(typed("div", {"i64", "i64"}) == "f64 -> f64");
    CHECK(typed("div", {"f32", "f32"}) == "f32 -> f32");
    CHECK(typed("floordiv", {"i64", "f64"}) == "f64 -> f64");
    CHECK(typed("pow", {"f32", "i64"}) == "f32 -> f32");
    CHECK(typed("neg", {"f64"}) == "f64 -> f64");
}

TEST_CASE("bools are no numbers", "[ops][typing]") {
    CHECK(typed("add", {"bool", "bool"}) == "`+` needs numbers: found bool and bool | use `or`");
    CHECK(typed("mul", {"bool", "bool"}) == "`*` needs numbers: found bool and bool | use `and`");
    CHECK(typed("neg", {"bool"}) == "`-` needs a number: found bool | use `not`");
    CHECK(typed("abs", {"bool"}) == "`abs` needs a number: found bool | cast to a number first: `i64(x)`");
    CHECK(typed("max", {"bool", "bool"}) == "bool -> bool");
    CHECK(typed("max", {"bool", "f32"}) == "f32 -> f32");
}

TEST_CASE("u64 with a signed type asks for a cast", "[ops][typing]") {
    CHECK(typed("add", {"u64", "i64"}) ==
          "`+`: no integer type holds both u64 and i64 | cast one side: `i64(x)` or `u64(x)`");
    CHECK(typed("lt", {"i8", "u64"}) ==
          "`<`: no integer type holds both i8 and u64 | cast one side: `i64(x)` or `u64(x)`");
    CHECK(typed("add", {"u64", "f32"}) == "f32 -> f32");
}

TEST_CASE("comparisons, bits and logic", "[ops][typing]") {
    CHECK(typed("lt", {"i64", "f32"}) == "f32 -> bool");
    CHECK(typed("eq", {"bool", "bool"}) == "bool -> bool");
    CHECK(typed("lt", {"c64", "f32"}) ==
          "`<`: complex numbers have no order: found c64 and f32 | compare `abs(x)` or `real(x)`");
    CHECK(typed("bitand", {"bool", "bool"}) == "bool -> bool");
    CHECK(typed("bitor", {"f32", "i64"}) ==
          "`|` needs integers or bools: found f32 and i64 | cast to an integer first: `i64(x)`");
    CHECK(typed("shl", {"i64", "i64"}) == "i64 -> i64");
    CHECK(typed("shr", {"f64", "i64"}) ==
          "`>>` needs integers: found f64 and i64 | cast to an integer first: `i64(x)`");
    CHECK(typed("popcount", {"bool"}) == "`popcount` needs an integer: found bool");
    CHECK(typed("and", {"bool", "bool"}) == "bool -> bool");
    CHECK(typed("and", {"f32", "bool"}) == "`and` needs bools: found f32 and bool | compare first: `x != 0`");
    CHECK(typed("not", {"i64"}) == "`not` needs a bool: found i64 | compare first: `x != 0`");
}

TEST_CASE("functions", "[ops][typing]") {
    CHECK(typed("exp", {"f32"}) == "f32 -> f32");
    CHECK(typed("exp", {"i64"}) == "f64 -> f64");
    CHECK(typed("sqrt", {"bool"}) == "f64 -> f64");
    CHECK(typed("hypot", {"i64", "f32"}) == "f32 -> f32");
    CHECK(typed("floor", {"i64"}) == "i64 -> i64");
    CHECK(typed("isnan", {"i64"}) == "f64 -> bool");
    CHECK(typed("where", {"bool", "i64", "f32"}) == "f32 -> f32");
    CHECK(typed("where", {"f32", "i64", "f32"}) ==
          "`where` needs a bool condition: found f32 | compare first: `x != 0`");
    CHECK(typed("atan2", {"f32"}) == "`atan2` takes 2 arguments: found 1");
    CHECK(typed("exp", {}) == "`exp` takes 1 argument: found 0");
}
