// The meaning of operators on one element: the table of numbers in docs/language.md, row by row.
#include <cmath>
#include <limits>
#include <vector>

#include "compiler/ops/op_table.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

Scalar apply(std::string_view op, DType operation, DType result, std::vector<Scalar> operands) {
    return evaluate(*op_named(op), operation, result, operands.data());
}

int64_t ints(std::string_view op, int64_t x, int64_t y = 0) {
    return apply(op, DType::i64_, DType::i64_, {Scalar::of_i64(x), Scalar::of_i64(y)}).as_i64();
}

bool bools(std::string_view op, bool x, bool y = false) {
    return apply(op, DType::bool_, DType::bool_, {Scalar::of_bool(x), Scalar::of_bool(y)}).as_bool();
}

bool compared(std::string_view op, double x, double y) {
    return apply(op, DType::f64_, DType::bool_, {Scalar::of_f64(x), Scalar::of_f64(y)}).as_bool();
}

/// In f64, and the same in f32 where the operands fit it; shown as text, so that -0.0 and NaN can be
/// compared.
std::string floats(std::string_view op, double x, double y = 0, double z = 0) {
    const auto f = [](double v) { return Scalar::of_f32(static_cast<float>(v)); };
    const auto d = [](double v) { return Scalar::of_f64(v); };
    const Scalar wide = apply(op, DType::f64_, DType::f64_, {d(x), d(y), d(z)});
    const Scalar narrow = apply(op, DType::f32_, DType::f32_, {f(x), f(y), f(z)});
    const std::string text = scalar_text(DType::f64_, wide);
    CHECK(scalar_text(DType::f32_, narrow) == text);
    return text;
}

int64_t to_i64(double x) { return apply("cast", DType::f64_, DType::i64_, {Scalar::of_f64(x)}).as_i64(); }

}  // namespace

TEST_CASE("integers wrap", "[ops][semantics]") {
    CHECK(ints("add", kMax, 1) == kMin);
    CHECK(ints("sub", kMin, 1) == kMax);
    CHECK(ints("mul", kMax, 2) == -2);
    CHECK(ints("neg", kMin) == kMin);
    CHECK(ints("abs", kMin) == kMin);
    CHECK(ints("abs", -5) == 5);
    const Scalar narrow[] = {Scalar::of_i64(127), Scalar::of_i64(1)};
    CHECK(evaluate(*op_named("add"), DType::i8_, DType::i8_, narrow).as_i64() == -128);
    const Scalar small[] = {Scalar{0}, Scalar{1}};
    CHECK(evaluate(*op_named("sub"), DType::u16_, DType::u16_, small).bits == 65535);
    const Scalar square[] = {Scalar{65535}, Scalar{65535}};
    CHECK(evaluate(*op_named("mul"), DType::u16_, DType::u16_, square).bits == 1);
}

TEST_CASE("integer floor division and remainder", "[ops][semantics]") {
    CHECK(ints("floordiv", 7, 2) == 3);
    CHECK(ints("floordiv", -7, 2) == -4);
    CHECK(ints("floordiv", 7, -2) == -4);
    CHECK(ints("floordiv", -7, -2) == 3);
    CHECK(ints("floordiv", -8, 2) == -4);
    CHECK(ints("mod", 7, 2) == 1);
    CHECK(ints("mod", -7, 2) == 1);
    CHECK(ints("mod", 7, -2) == -1);
    CHECK(ints("mod", -7, -2) == -1);
    CHECK(ints("floordiv", 5, 0) == 0);
    CHECK(ints("mod", 5, 0) == 0);
    CHECK(ints("floordiv", kMin, -1) == kMin);
    CHECK(ints("mod", kMin, -1) == 0);
    CHECK(ints("floordiv", kMin, kMax) == -2);
    CHECK(ints("mod", kMin, kMax) == kMax - 1);
}

TEST_CASE("float floor division and remainder", "[ops][semantics]") {
    CHECK(floats("floordiv", 7, 2) == "3.0");
    CHECK(floats("floordiv", -7, 2) == "-4.0");
    CHECK(floats("mod", -7, 2) == "1.0");
    CHECK(floats("mod", 7, -2) == "-1.0");
    CHECK(floats("mod", 6, -2) == "-0.0");
    CHECK(floats("mod", -6, 2) == "0.0");
    CHECK(floats("mod", -0.0, 2) == "0.0");
    CHECK(floats("floordiv", 1, 0.0) == "inf");
    CHECK(floats("floordiv", -1, 0.0) == "-inf");
    CHECK(floats("floordiv", 0, 0.0) == "nan");
    CHECK(floats("mod", 1, 0.0) == "nan");
    CHECK(floats("floordiv", -1, kInf) == "-1.0");
    CHECK(floats("mod", -1, kInf) == "inf");
    CHECK(floats("mod", 1, kInf) == "1.0");
    CHECK(floats("floordiv", kInf, 2) == "nan");
    CHECK(floats("fmod", -7, 2) == "-1.0");
    CHECK(floats("fmod", 5.5, 2) == "1.5");
    const Scalar tenths[] = {Scalar::of_f64(1), Scalar::of_f64(0.1)};
    CHECK(evaluate(*op_named("floordiv"), DType::f64_, DType::f64_, tenths).as_f64() == 9);
}

TEST_CASE("shift counts outside the width", "[ops][semantics]") {
    CHECK(ints("shl", 1, 63) == kMin);
    CHECK(ints("shl", 1, 64) == 0);
    CHECK(ints("shl", -1, -1) == 0);
    CHECK(ints("shl", 3, kMin) == 0);
    CHECK(ints("shr", -8, 1) == -4);
    CHECK(ints("shr", -8, 64) == -1);
    CHECK(ints("shr", 8, 64) == 0);
    CHECK(ints("shr", -8, -1) == -1);
    CHECK(ints("shr", 8, -1) == 0);
}

TEST_CASE("integer powers", "[ops][semantics]") {
    CHECK(ints("pow", 2, 10) == 1024);
    CHECK(ints("pow", -3, 3) == -27);
    CHECK(ints("pow", 0, 0) == 1);
    CHECK(ints("pow", 0, 5) == 0);
    CHECK(ints("pow", 2, 63) == kMin);
    CHECK(ints("pow", 2, 64) == 0);
    CHECK(ints("pow", 3, 41) == -420491770248316829);
    CHECK(ints("pow", 2, -1) == 0);
    CHECK(ints("pow", 0, -1) == 0);
    CHECK(ints("pow", 1, -5) == 1);
    CHECK(ints("pow", -1, -5) == -1);
    CHECK(ints("pow", -1, -4) == 1);
    CHECK(ints("pow", -1, kMin) == 1);
}

TEST_CASE("float powers are C's", "[ops][semantics]") {
    CHECK(floats("pow", kNan, 0) == "1.0");
    CHECK(floats("pow", 1, kNan) == "1.0");
    CHECK(floats("pow", -8, 3) == "-512.0");
    CHECK(floats("pow", -8, 1.5) == "nan");
    CHECK(floats("pow", 0.0, -1) == "inf");
    CHECK(floats("pow", -0.0, -3) == "-inf");
    CHECK(floats("pow", -1, kInf) == "1.0");
}

TEST_CASE("min and max: NaN wins and zeros are ordered", "[ops][semantics]") {
    CHECK(floats("min", kNan, 1) == "nan");
    CHECK(floats("min", 1, kNan) == "nan");
    CHECK(floats("max", kNan, kInf) == "nan");
    CHECK(floats("min", 0.0, -0.0) == "-0.0");
    CHECK(floats("min", -0.0, 0.0) == "-0.0");
    CHECK(floats("max", -0.0, 0.0) == "0.0");
    CHECK(floats("max", 0.0, -0.0) == "0.0");
    CHECK(floats("fmin", kNan, 1) == "1.0");
    CHECK(floats("fmax", 1, kNan) == "1.0");
    CHECK(floats("fmax", kNan, kNan) == "nan");
    CHECK(floats("fmin", 0.0, -0.0) == "-0.0");
    CHECK(ints("min", -3, 2) == -3);
    CHECK(ints("max", -3, 2) == 2);
    CHECK_FALSE(bools("min", true, false));
    CHECK(bools("max", true, false));
}

TEST_CASE("rounding and signs", "[ops][semantics]") {
    CHECK(floats("round", 0.5) == "0.0");
    CHECK(floats("round", 1.5) == "2.0");
    CHECK(floats("round", 2.5) == "2.0");
    CHECK(floats("round", -0.5) == "-0.0");
    CHECK(floats("floor", -1.5) == "-2.0");
    CHECK(floats("ceil", -0.5) == "-0.0");
    CHECK(floats("trunc", -1.5) == "-1.0");
    CHECK(floats("sign", kNan) == "nan");
    CHECK(floats("sign", -0.0) == "-0.0");
    CHECK(floats("sign", -kInf) == "-1.0");
    CHECK(ints("sign", -9) == -1);
    CHECK(ints("floor", -9) == -9);
    CHECK(floats("copysign", 3, -0.0) == "-3.0");
    const std::vector<Scalar> up = {Scalar::of_f32(-0.0f), Scalar::of_f32(1)};
    CHECK(apply("nextafter", DType::f32_, DType::f32_, up).bits == 1);
}

TEST_CASE("casts", "[ops][semantics]") {
    CHECK(to_i64(-1.9) == -1);
    CHECK(to_i64(1e300) == kMax);
    CHECK(to_i64(9223372036854775808.0) == kMax);
    CHECK(to_i64(-9223372036854775808.0) == kMin);
    CHECK(to_i64(-kInf) == kMin);
    CHECK(to_i64(kNan) == 0);
    CHECK(apply("cast", DType::f64_, DType::i8_, {Scalar::of_f64(300)}).as_i64() == 127);
    CHECK(apply("cast", DType::f64_, DType::u8_, {Scalar::of_f64(-3)}).bits == 0);
    CHECK(apply("cast", DType::f64_, DType::u64_, {Scalar::of_f64(1e30)}).bits == ~uint64_t{0});
    CHECK(apply("cast", DType::i64_, DType::i8_, {Scalar::of_i64(200)}).as_i64() == -56);
    CHECK(apply("cast", DType::f64_, DType::bool_, {Scalar::of_f64(kNan)}).as_bool());
    CHECK_FALSE(apply("cast", DType::f64_, DType::bool_, {Scalar::of_f64(-0.0)}).as_bool());
    CHECK(apply("cast", DType::f64_, DType::f32_, {Scalar::of_f64(1e300)}).as_f32() == float(kInf));
    CHECK(apply("cast", DType::f64_, DType::f32_, {Scalar::of_f64(1 + 0x1p-24)}).as_f32() == 1);
    CHECK(apply("cast", DType::i64_, DType::f32_, {Scalar::of_i64(16777219)}).as_f32() == 16777220);
    CHECK(apply("cast", DType::bool_, DType::f32_, {Scalar::of_bool(true)}).as_f32() == 1);
}

TEST_CASE("comparisons with NaN", "[ops][semantics]") {
    for (const char* op : {"lt", "le", "gt", "ge", "eq"}) CHECK_FALSE(compared(op, kNan, kNan));
    CHECK(compared("ne", kNan, kNan));
    CHECK(compared("eq", 0.0, -0.0));
    CHECK(compared("le", 1, 1));
    CHECK(compared("isnan", kNan, 0));
    CHECK(compared("isinf", -kInf, 0));
    CHECK_FALSE(compared("isfinite", kNan, 0));
}

TEST_CASE("bits, logic and choice", "[ops][semantics]") {
    CHECK(ints("bitand", 12, 10) == 8);
    CHECK(ints("bitor", 12, 10) == 14);
    CHECK(ints("bitxor", 12, 10) == 6);
    CHECK(ints("popcount", -1) == 64);
    CHECK(ints("popcount", 255) == 8);
    CHECK(ints("clz", 0) == 64);
    CHECK(ints("clz", 1) == 63);
    CHECK(ints("clz", -1) == 0);
    CHECK(bools("and", true, true));
    CHECK_FALSE(bools("and", true, false));
    CHECK(bools("or", false, true));
    CHECK(bools("not", false));
    CHECK(bools("bitxor", true, false));
    const std::vector<Scalar> choice = {Scalar::of_bool(false), Scalar::of_i64(1), Scalar::of_i64(2)};
    CHECK(apply("where", DType::i64_, DType::i64_, choice).as_i64() == 2);
}

TEST_CASE("fma rounds once", "[ops][semantics]") {
    const double a = 1 + 0x1p-30;
    const std::vector<Scalar> x = {Scalar::of_f64(a), Scalar::of_f64(a), Scalar::of_f64(-1)};
    CHECK(apply("fma", DType::f64_, DType::f64_, x).as_f64() == 0x1p-29 + 0x1p-60);
}
