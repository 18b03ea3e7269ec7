// Every element type as a file and as text. Expected texts were printed by NumPy.
#include <cmath>
#include <cstring>

#include "runtime/io/npy.h"
#include "runtime/io/print_array.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

HostArray array_of(DType dtype, std::vector<int64_t> shape, const std::vector<double>& values) {
    HostArray a{dtype, std::move(shape), {}};
    a.bytes.resize(values.size() * static_cast<size_t>(byte_size(dtype)));
    for (size_t k = 0; k < values.size(); ++k) {
        store_scalar(dtype, scalar_from_f64(dtype, values[k]),
                     a.bytes.data() + k * static_cast<size_t>(byte_size(dtype)));
    }
    return a;
}

}  // namespace

TEST_CASE("arrays of every type come back from a .npy file", "[io][npy]") {
    for (const DTypeRow& r : kDTypeTable) {
        if (!r.built) continue;
        const HostArray a = array_of(r.dtype, {2, 2}, {0, 1, 3, 100});
        const std::string file = npy_bytes(a);
        INFO(r.name);
        CHECK(file.find("'descr': '" + std::string(r.npy) + "'") != std::string::npos);
        const HostArray back = parse_npy(file, "x.npy", r.dtype);
        CHECK(back.dtype == a.dtype);
        CHECK(back.shape == a.shape);
        CHECK(back.bytes == a.bytes);
    }
}

TEST_CASE("bf16 travels as uint16 under a declared type", "[io][npy]") {
    const std::string file = npy_bytes(array_of(DType::bf16_, {1}, {1.5}));
    CHECK(parse_npy(file, "x.npy", DType::bf16_).dtype == DType::bf16_);
    CHECK(parse_npy(file, "x.npy", DType::u16_).dtype == DType::u16_);
    CHECK(parse_npy(file, "x.npy", DType::f32_).at(0).bits == 0x3fc0);
}

TEST_CASE("files hold the canonical NaN of 16-bit floats", "[io][npy]") {
    HostArray a{DType::f16_, {2}, std::vector<std::byte>(4)};
    store_scalar(DType::f16_, {0xffff}, a.bytes.data());
    store_scalar(DType::f16_, {0xfc00}, a.bytes.data() + 2);
    const HostArray back = parse_npy(npy_bytes(a), "x.npy", DType::f16_);
    CHECK(back.at(0).bits == 0x7e00);
    CHECK(back.at(1).bits == 0xfc00);
}

TEST_CASE("arrays of narrow types are printed as NumPy prints them", "[io][print]") {
    const auto text = [](DType dtype, std::vector<int64_t> shape, const std::vector<double>& values) {
        return array_text(array_of(dtype, std::move(shape), values));
    };
    CHECK(text(DType::f16_, {3}, {0.1, 2, 65504}) == "[1.00e-01 2.00e+00 6.55e+04]");
    CHECK(text(DType::f16_, {4}, {1.5, NAN, -INFINITY, 6e-8}) == "[1.5e+00     nan    -inf 6.0e-08]");
    CHECK(text(DType::f16_, {3}, {4112, 2049, 1}) == "[4.112e+03 2.048e+03 1.000e+00]");
    CHECK(text(DType::f16_, {2}, {0.1, 2048}) == "[9.998e-02 2.048e+03]");
    CHECK(text(DType::f16_, {2}, {999, 1.5}) == "[999.    1.5]");
    CHECK(text(DType::f16_, {2}, {2048, 609.5}) == "[2.048e+03 6.095e+02]");
    CHECK(text(DType::f32_, {2}, {1e6, 999999}) == "[1.00000e+06 9.99999e+05]");
    CHECK(text(DType::f16_, {2}, {0.015625, 0.5}) == "[0.01563 0.5    ]");
    CHECK(text(DType::i8_, {3}, {1, -128, 127}) == "[   1 -128  127]");
    CHECK(text(DType::u8_, {2, 2}, {255, 0, 7, 16}) == "[[255   0]\n [  7  16]]");
    CHECK(text(DType::u64_, {2}, {1e30, 0}) == "[18446744073709551615                    0]");
    CHECK(text(DType::bf16_, {2}, {0.1, 256}) == "[1.00e-01 2.56e+02]");
    CHECK(text(DType::u16_, {}, {65535}) == "65535");
}
