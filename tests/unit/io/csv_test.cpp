// CSV: headers, quotes, line ends, missing values, and every way for a table to be wrong.
#include "runtime/io/csv.h"

#include <cmath>
#include <cstring>

#include "compiler/support/errors.h"
#include "tests/catch.h"
#include "tests/unit/user_errors.h"

using namespace fuseline;

namespace {

LoadRequest wanted(DType dtype, size_t rank, std::string key = {}, std::vector<std::string> columns = {}) {
    return {dtype, std::vector<std::optional<int64_t>>(rank), std::move(key), std::move(columns)};
}

template <class T>
std::vector<T> values_of(const LoadedArray& a) {
    size_t count = 1;
    for (const int64_t extent : a.shape) count *= static_cast<size_t>(extent);
    std::vector<T> values(count);
    if (count != 0) std::memcpy(values.data(), a.elements.get(), count * sizeof(T));
    return values;
}

using Doubles = std::vector<double>;
using Shape = std::vector<int64_t>;

Doubles column(const std::string& text, const std::string& key) {
    return values_of<double>(parse_csv(text, "x.csv", wanted(DType::f64_, 1, key)));
}

std::string message_of(const std::string& text, const LoadRequest& request) {
    return tests::message_and_help([&] { parse_csv(text, "x.csv", request); });
}

}  // namespace

TEST_CASE("csv: a header is the first row with a text", "[io]") {
    const std::string named = "Date,Open,Close\n2024-01-01,1,2.5\n2024-01-02,3,-4e-1\n";
    CHECK(column(named, "Close") == Doubles{2.5, -0.4});
    const auto two = parse_csv(named, "x", wanted(DType::f64_, 2, "", {"Close", "Open"}));
    CHECK(two.shape == Shape{2, 2});
    CHECK(values_of<double>(two) == Doubles{2.5, 1, -0.4, 3});
    const auto bare = parse_csv("1,2\n3,4\n5,6\n", "x", wanted(DType::i64_, 2));
    CHECK(bare.shape == Shape{3, 2});
    CHECK(values_of<int64_t>(bare) == std::vector<int64_t>{1, 2, 3, 4, 5, 6});
    // inf and nan are numbers, and an empty field is no text.
    CHECK(values_of<double>(parse_csv("inf,-inf\n,1\n", "x", wanted(DType::f64_, 2))).size() == 4);
    CHECK(parse_csv("a,b\n", "x", wanted(DType::f64_, 2)).shape == Shape{0, 2});
}

TEST_CASE("csv: one column without a name gives one axis or two, as declared", "[io]") {
    CHECK(parse_csv("1\n2\n", "x", wanted(DType::f64_, 1)).shape == Shape{2});
    CHECK(parse_csv("v\n1\n2\n", "x", wanted(DType::f64_, 1)).shape == Shape{2});
    CHECK(parse_csv("1\n2\n", "x", wanted(DType::f64_, 2)).shape == Shape{2, 1});
}

TEST_CASE("csv: line ends, comments, blanks, byte order mark", "[io]") {
    CHECK(column("\xef\xbb\xbf# note, with comma\r\na, b \r\n\r\n 1 ,\t2\r\n  # x\r\n3,4", "b") ==
          Doubles{2, 4});
    CHECK(column("a,b\r1,2\r3,4\r", "a") == Doubles{1, 3});
    CHECK(column("a\n1\n\n2\n", "a") == Doubles{1, 2});
}

TEST_CASE("csv: quotes", "[io]") {
    const std::string text = "\"a, first\",\"b \"\"quoted\"\"\",c\n\"1\",2,\"x\ny,z\"\n3,\"4\",\n";
    CHECK(column(text, "a, first") == Doubles{1, 3});
    CHECK(column(text, "b \"quoted\"") == Doubles{2, 4});
    CHECK(message_of("a\n\"1", wanted(DType::f64_, 1)) == "x.csv: line 2: a quote is not closed");
    CHECK(message_of("a\n\"1\"2", wanted(DType::f64_, 1)) == "x.csv: line 2: text follows a closing quote");
    // Lines are counted inside quotes too.
    CHECK(message_of("a,b\n\"x\n\ny\",1\nz,w\n", wanted(DType::f64_, 1, "b")) ==
          "x.csv: line 5, column 2 (`b`): `w` is not a value of f64");
}

TEST_CASE("csv: values of each type", "[io]") {
    const Doubles v = column("a\n+1.5\n1e3\n-0\n1e999\n-1e999\n1e-999\nNaN\nInfinity\n0.1\n", "a");
    CHECK(v[0] == 1.5);
    CHECK(v[1] == 1000);
    CHECK((v[2] == 0 && std::signbit(v[2])));
    CHECK(v[3] == INFINITY);
    CHECK(v[4] == -INFINITY);
    CHECK(v[5] == 0);
    CHECK(std::isnan(v[6]));
    CHECK(v[7] == INFINITY);
    CHECK(v[8] == 0.1);
    // Read as f32 at once: rounded once.
    CHECK(values_of<float>(parse_csv("a\n0.1\n16777217\n", "x", wanted(DType::f32_, 1)))[0] == 0.1f);
    CHECK(values_of<uint8_t>(parse_csv("a\ntrue\nFalse\n1\n0\n", "x", wanted(DType::bool_, 1))) ==
          std::vector<uint8_t>{1, 0, 1, 0});
    CHECK(values_of<int64_t>(parse_csv("a\n-9223372036854775808\n+7\n", "x", wanted(DType::i64_, 1)))[0] ==
          INT64_MIN);
}

TEST_CASE("csv: an empty field is NaN of a float type alone", "[io]") {
    const Doubles v = column("a,b\n1,\n,4\n", "b");
    CHECK(std::isnan(v[0]));
    CHECK(v[1] == 4);
    CHECK(message_of("a,b\n1,\n", wanted(DType::i64_, 1, "b")) ==
          "x.csv: line 2, column 2 (`b`): the field is empty, and i64 has no NaN | declare a float type");
}

TEST_CASE("csv: faults have line and column", "[io]") {
    CHECK(message_of("1,2\n3,x\n", wanted(DType::f32_, 2)) ==
          "x.csv: line 2, column 2: `x` is not a value of f32");
    CHECK(
        message_of("a\n1.5\n", wanted(DType::i64_, 1)) ==
        "x.csv: line 2, column 1 (`a`): `1.5` is not a value of i64 | declare a type that holds it, as f64");
    CHECK(message_of("a,b\n1,2\n3\n", wanted(DType::f64_, 2)) ==
          "x.csv: line 3 has 1 fields; the first row has 2");
    CHECK(message_of("Open,Close\n1,2\n", wanted(DType::f64_, 1, "Clos")) ==
          "x.csv: there is no column `Clos` | did you mean `Close`?");
    CHECK(message_of("Open,Close\n1,2\n", wanted(DType::f64_, 1, "Volume")) ==
          "x.csv: there is no column `Volume` | columns are `Open`, `Close`");
    CHECK(message_of("1,2\n", wanted(DType::f64_, 1, "Close")) ==
          "x.csv: there is no column `Close`: the table has no header | without a name, load gives the whole "
          "table");
    CHECK(message_of("a,b,a\n1,2,3\n", wanted(DType::f64_, 1, "a")) == "x.csv: two columns are called `a`");
    CHECK(message_of("a,b\n1,2\n", wanted(DType::f64_, 1)) ==
          "x.csv: the table has 2 columns, and one axis is declared | name a column, as in load(\"x.csv\", "
          "\"b\")");
    CHECK(message_of(" \n# only this\n", wanted(DType::f64_, 2)) == "x.csv: the table is empty");
}

TEST_CASE("csv: written with the shortest digits", "[io]") {
    const double values[6] = {0.1, -0.0, 1e300, NAN, INFINITY, 3};
    HostArray a{DType::f64_, {3, 2}, std::vector<std::byte>(48)};
    std::memcpy(a.bytes.data(), values, 48);
    CHECK(csv_file(a, "x.csv") == "0.1,-0.0\n1e+300,nan\ninf,3.0\n");
    a.shape = {6};
    CHECK(csv_file(a, "x.csv") == "0.1\n-0.0\n1e+300\nnan\ninf\n3.0\n");
    a.shape = {1, 2, 3};
    CHECK_THROWS_AS(csv_file(a, "x.csv"), UserError);
    CHECK(csv_file(HostArray{DType::bool_, {}, {std::byte{1}}}, "x.csv") == "true\n");
    CHECK(csv_file(HostArray{DType::f32_, {0, 3}, {}}, "x.csv").empty());
}
