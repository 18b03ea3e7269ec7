// Arrays as text: every expected text was printed by NumPy 2 with floatmode="unique".
#include "runtime/io/print_array.h"

#include <cstring>
#include <limits>

#include "tests/catch.h"

using namespace fuseline;

namespace {

constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr double Inf = std::numeric_limits<double>::infinity();

template <class T>
HostArray array(std::vector<int64_t> shape, const std::vector<double>& values) {
    const DType dtype = std::is_same_v<T, float>    ? DType::f32_
                        : std::is_same_v<T, double> ? DType::f64_
                                                    : DType::i64_;
    HostArray a{dtype, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T))};
    for (size_t i = 0; i < values.size(); ++i) {
        const T v = static_cast<T>(values[i]);
        std::memcpy(a.bytes.data() + i * sizeof(T), &v, sizeof v);
    }
    return a;
}

HostArray iota(std::vector<int64_t> shape) {
    std::vector<double> values;
    int64_t count = 1;
    for (int64_t e : shape) count *= e;
    for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i));
    return array<int64_t>(std::move(shape), values);
}

struct Case {
    HostArray value;
    const char* text;
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {array<float>({5}, {1.0, 2.5, 3.25, -4.0, 0.10000000149011612}),
         R"([ 1.    2.5   3.25 -4.    0.1 ])"},
        {array<double>({4}, {1e-05, 25000000000.0, 3.0, 4.0}), R"([1.0e-05 2.5e+10 3.0e+00 4.0e+00])"},
        {array<double>({5}, {1.0, NaN, -Inf, Inf, 0.5}), R"([ 1.   nan -inf  inf  0.5])"},
        {array<float>({2, 3}, {1.0, 2.0, 3.0, 4.0, 5.0, 6.5}),
         R"([[1.  2.  3. ]
 [4.  5.  6.5]])"},
        {array<int64_t>({2, 2, 3}, {-30, -23, -16, -9, -2, 5, 12, 19, 26, 33, 40, 47}),
         R"([[[-30 -23 -16]
  [ -9  -2   5]]

 [[ 12  19  26]
  [ 33  40  47]]])"},
        {array<double>(
             {30}, {0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 3.75,
                    4.0, 4.25, 4.5, 4.75, 5.0, 5.25, 5.5, 5.75, 6.0, 6.25, 6.5, 6.75, 7.0, 7.25}),
         R"([0.   0.25 0.5  0.75 1.   1.25 1.5  1.75 2.   2.25 2.5  2.75 3.   3.25
 3.5  3.75 4.   4.25 4.5  4.75 5.   5.25 5.5  5.75 6.   6.25 6.5  6.75
 7.   7.25])"},
        {iota({1001}), R"([   0    1    2 ...  998  999 1000])"},
        {iota({7, 200}),
         R"([[   0    1    2 ...  197  198  199]
 [ 200  201  202 ...  397  398  399]
 [ 400  401  402 ...  597  598  599]
 ...
 [ 800  801  802 ...  997  998  999]
 [1000 1001 1002 ... 1197 1198 1199]
 [1200 1201 1202 ... 1397 1398 1399]])"},
        {array<double>({3}, {0.0, -0.0, 123456.789}), R"([     0.        -0.    123456.789])"},
        {array<double>({3}, {1e-300, 1e+300, 0.0}), R"([1.e-300 1.e+300 0.e+000])"},
        {array<float>({2}, {NaN, NaN}), R"([nan nan])"},
        {array<float>({4}, {9.999999974752427e-07, 1.0000000116860974e-07, 3.0, 0.0}),
         R"([1.e-06 1.e-07 3.e+00 0.e+00])"},
        {array<double>({1, 1, 1}, {3.5}), R"([[[3.5]]])"},
    };
    return all;
}

}  // namespace

TEST_CASE("arrays print as NumPy prints them", "[io]") {
    for (const Case& c : cases()) CHECK(array_text(c.value) == c.text);
}

TEST_CASE("scalars, bools and empty arrays print in the language's spelling", "[io]") {
    CHECK(array_text(array<float>({}, {0.1})) == "0.1");
    CHECK(array_text(array<double>({}, {-0.0})) == "-0.0");
    CHECK(array_text(array<double>({0}, {})) == "[]");
    CHECK(array_text(array<double>({3, 0}, {})) == "[]");
    HostArray bools{DType::bool_, {2}, {std::byte{1}, std::byte{0}}};
    CHECK(array_text(bools) == "[ true false]");
}
