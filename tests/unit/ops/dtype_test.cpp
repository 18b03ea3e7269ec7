// Element types: promotion, storage, text.
#include <clocale>
#include <cmath>
#include <limits>

#include "compiler/ops/dtype.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

/// "i64" for a pair, or "error".
std::string promoted(std::string_view a, std::string_view b) {
    const auto left = promote(*dtype_named(a), *dtype_named(b));
    CHECK(left == promote(*dtype_named(b), *dtype_named(a)));
    return left ? std::string(name(*left)) : "error";
}

std::string text32(float v) { return scalar_text(DType::f32_, Scalar::of_f32(v)); }
std::string text64(double v) { return scalar_text(DType::f64_, Scalar::of_f64(v)); }

void reads_back(DType dtype, Scalar value) {
    const std::string text = scalar_text(dtype, value);
    INFO(name(dtype) << " " << text);
    REQUIRE(parse_scalar(dtype, text).has_value());
    CHECK(*parse_scalar(dtype, text) == value);
}

}  // namespace

TEST_CASE("promotion within a kind", "[ops][promotion]") {
    CHECK(promoted("bool", "bool") == "bool");
    CHECK(promoted("i8", "i64") == "i64");
    CHECK(promoted("u8", "u16") == "u16");
    CHECK(promoted("i32", "u32") == "i64");
    CHECK(promoted("i8", "u8") == "i16");
    CHECK(promoted("i32", "u8") == "i32");
    CHECK(promoted("i64", "u32") == "i64");
    CHECK(promoted("u64", "u8") == "u64");
    CHECK(promoted("u64", "i8") == "error");
    CHECK(promoted("u64", "i64") == "error");
    CHECK(promoted("f16", "bf16") == "f32");
    CHECK(promoted("f16", "f32") == "f32");
    CHECK(promoted("f32", "f64") == "f64");
    CHECK(promoted("c64", "c128") == "c128");
}

TEST_CASE("promotion across kinds: the higher kind decides the width", "[ops][promotion]") {
    CHECK(promoted("bool", "i8") == "i8");
    CHECK(promoted("bool", "f32") == "f32");
    CHECK(promoted("i64", "f32") == "f32");
    CHECK(promoted("u64", "bf16") == "bf16");
    CHECK(promoted("i64", "c64") == "c64");
    CHECK(promoted("f64", "c64") == "c128");
    CHECK(promoted("f32", "c64") == "c64");
    CHECK(promoted("f16", "c128") == "c128");
}

TEST_CASE("the type table is consistent", "[ops][dtype]") {
    for (const DTypeRow& r : kDTypeTable) {
        CHECK(dtype_named(r.name) == r.dtype);
        CHECK(byte_size(r.dtype) * 8 == r.bits);
        CHECK(r.npy.substr(1).find_first_of("biufc") == 0);
        CHECK(r.npy.substr(2) == std::to_string(byte_size(r.dtype)));
    }
    CHECK_FALSE(dtype_named("f23").has_value());
}

TEST_CASE("values are stored in their width", "[ops][dtype]") {
    unsigned char memory[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    store_scalar(DType::i16_, Scalar::of_i64(-2), memory);
    CHECK(memory[0] == 0xfe);
    CHECK(memory[2] == 0xff);
    CHECK(load_scalar(DType::i16_, memory).as_i64() == -2);
    CHECK(load_scalar(DType::u16_, memory).as_i64() == 0xfffe);
    store_scalar(DType::f32_, Scalar::of_f32(-0.0f), memory);
    CHECK(std::signbit(load_scalar(DType::f32_, memory).as_f32()));
    memory[0] = 7;
    CHECK(load_scalar(DType::bool_, memory) == Scalar::of_bool(true));
}

TEST_CASE("text of values is that of the language", "[ops][text]") {
    CHECK(text64(1.5) == "1.5");
    CHECK(text64(-0.0) == "-0.0");
    CHECK(text64(3) == "3.0");
    CHECK(text64(0.1) == "0.1");
    CHECK(text64(123456.789) == "123456.789");
    CHECK(text64(0.0001) == "0.0001");
    CHECK(text64(0.00001) == "1e-05");
    CHECK(text64(1e15) == "1000000000000000.0");
    CHECK(text64(1e16) == "1e+16");
    CHECK(text64(-1.25e-7) == "-1.25e-07");
    CHECK(text64(5e-324) == "5e-324");
    CHECK(text64(1.7976931348623157e308) == "1.7976931348623157e+308");
    CHECK(text64(INFINITY) == "inf");
    CHECK(text64(-INFINITY) == "-inf");
    CHECK(text64(NAN) == "nan");
    CHECK(text32(0.1f) == "0.1");
    CHECK(text32(3.4028235e38f) == "3.4028235e+38");
    CHECK(text32(1e-45f) == "1e-45");
    CHECK(scalar_text(DType::i64_, Scalar::of_i64(std::numeric_limits<int64_t>::min())) ==
          "-9223372036854775808");
    CHECK(scalar_text(DType::u64_, Scalar{~uint64_t{0}}) == "18446744073709551615");
    CHECK(scalar_text(DType::bool_, Scalar::of_bool(true)) == "true");
}

TEST_CASE("text reads back to the same bits", "[ops][text]") {
    for (double v : {0.0, -0.0, 1.0, -1.5, 1.0 / 3, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
                     9007199254740993.0, 1e22, 123456789.125, double(INFINITY), -double(INFINITY)}) {
        reads_back(DType::f64_, Scalar::of_f64(v));
        reads_back(DType::f32_, Scalar::of_f32(static_cast<float>(v)));
    }
    for (uint32_t bits = 1; bits < 0x7f800000u; bits += 7654321u) reads_back(DType::f32_, Scalar{bits});
    for (int64_t v : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min(),
                      std::numeric_limits<int64_t>::max()}) {
        reads_back(DType::i64_, Scalar::of_i64(v));
    }
    CHECK(std::isnan(parse_scalar(DType::f32_, "nan")->as_f32()));
}

TEST_CASE("other text is no value", "[ops][text]") {
    CHECK_FALSE(parse_scalar(DType::i8_, "128").has_value());
    CHECK(parse_scalar(DType::i8_, "-128").has_value());
    CHECK_FALSE(parse_scalar(DType::u8_, "-1").has_value());
    CHECK_FALSE(parse_scalar(DType::i64_, "9223372036854775808").has_value());
    CHECK_FALSE(parse_scalar(DType::i64_, "1.0").has_value());
    CHECK_FALSE(parse_scalar(DType::f64_, "1,5").has_value());
    CHECK_FALSE(parse_scalar(DType::f64_, "").has_value());
    CHECK_FALSE(parse_scalar(DType::f64_, " 1").has_value());
    CHECK_FALSE(parse_scalar(DType::bool_, "True").has_value());
}

TEST_CASE("a comma locale changes no text", "[ops][text]") {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* candidate : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
        if (std::setlocale(LC_ALL, candidate) != nullptr) break;
    }
    CHECK(text64(1.5) == "1.5");
    CHECK(parse_scalar(DType::f64_, "1.5")->as_f64() == 1.5);
    std::setlocale(LC_ALL, before.c_str());
}
