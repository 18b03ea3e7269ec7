// PNG and Netpbm images against files made from the specifications, and pictures of arrays.
#include <cmath>
#include <cstring>

#include "compiler/support/errors.h"
#include "runtime/io/colormap.h"
#include "runtime/io/files.h"
#include "runtime/io/png_image.h"
#include "runtime/io/pnm.h"
#include "tests/catch.h"
#include "tests/unit/user_errors.h"

using namespace fuseline;

namespace {

using Bytes = std::vector<int>;
using Shape = std::vector<int64_t>;
const std::string kData = "tests/behaviour/data/";

LoadedArray png(const std::string& name) { return load_png(kData + name, {}); }

Bytes bytes_of(const LoadedArray& a) {
    size_t count = 1;
    for (const int64_t extent : a.shape) count *= static_cast<size_t>(extent);
    Bytes values;
    for (size_t k = 0; k < count; ++k) values.push_back(std::to_integer<int>(a.elements.get()[k]));
    return values;
}

HostArray image(Shape shape, const Bytes& values) {
    HostArray a{DType::u8_, std::move(shape), {}};
    for (const int v : values) a.bytes.push_back(static_cast<std::byte>(v));
    return a;
}

std::string pnm_fault(const std::string& bytes) {
    return tests::message_and_help([&] { parse_pnm(bytes, "x.pgm"); });
}

Bytes picture_of(const std::vector<double>& values, Shape shape, const std::string& map) {
    HostArray a{DType::f64_, std::move(shape), std::vector<std::byte>(8 * values.size())};
    std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
    Bytes out;
    for (const std::byte b : picture(a, map, "x.png").bytes) out.push_back(std::to_integer<int>(b));
    return out;
}

}  // namespace

TEST_CASE("png: grey, RGB, palettes, few bits, interlaced", "[io]") {
    CHECK(png("grey.png").shape == Shape{2, 3});
    CHECK(bytes_of(png("grey.png")) == Bytes{0, 127, 255, 1, 2, 3});
    CHECK(png("rgb.png").shape == Shape{2, 2, 3});
    CHECK(bytes_of(png("rgb.png")) == Bytes{255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7});
    CHECK(png("palette.png").shape == Shape{1, 4, 3});
    CHECK(bytes_of(png("palette.png")) == Bytes{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120});
    CHECK(bytes_of(png("bits.png")) == Bytes{255, 0, 255, 0, 255, 0, 255, 0, 0, 255});
    CHECK(bytes_of(png("interlaced.png")) == Bytes{11, 22, 33, 44});
    CHECK(png("rgb.png").notes.empty());
}

TEST_CASE("png: alpha is dropped with a note", "[io]") {
    CHECK(png("alpha.png").shape == Shape{1, 2, 3});
    CHECK(bytes_of(png("alpha.png")) == Bytes{1, 2, 3, 4, 5, 6});
    CHECK(png("grey_alpha.png").shape == Shape{1, 2});
    CHECK(bytes_of(png("grey_alpha.png")) == Bytes{7, 8});
    CHECK(png("alpha.png").notes ==
          std::vector<std::string>{kData + "alpha.png: the transparency of the image is dropped"});
}

TEST_CASE("png: wrong files", "[io]") {
    CHECK(tests::message_and_help([] {
              png("sixteen.png");
          }).find("the image has 16 bits a channel; 8 are read") != std::string::npos);
    const std::string good = read_file(kData + "rgb.png");
    CHECK(tests::message_and_help([] { parse_png("hello, world", "x.png"); }) ==
          "x.png: this is not a .png file");
    // The last 12 bytes are the chunk that ends the image.
    for (size_t cut = 0; cut < good.size(); ++cut)
        CHECK(tests::message_and_help([&] { parse_png(good.substr(0, cut), "x.png"); }) != "no error");
    std::string wrong = good;
    wrong[good.find("IDAT") + 8] ^= 0x40;
    CHECK(tests::message_and_help([&] {
              parse_png(wrong, "x.png");
          }).find("x.png: the image cannot be read") == 0);
}

TEST_CASE("png: what is written reads back; only images are written", "[io]") {
    Bytes ramp;
    for (int k = 0; k < 5 * 7 * 3; ++k) ramp.push_back(k * 37 % 256);
    CHECK(bytes_of(parse_png(png_file(image({5, 7, 3}, ramp), "x.png"), "x.png")) == ramp);
    ramp.resize(35);
    const LoadedArray grey = parse_png(png_file(image({5, 7}, ramp), "x.png"), "x.png");
    CHECK(grey.shape == Shape{5, 7});
    CHECK(bytes_of(grey) == ramp);
    const HostArray floats{DType::f32_, {1, 1}, std::vector<std::byte>(4)};
    CHECK(tests::message_and_help([&] { png_file(floats, "x.png"); }) ==
          "x.png: the format holds u8[h, w] or u8[h, w, 3]: found f32[1, 1] | convert the values, as in "
          "`u8(255 * x)`, or write a picture of them with `show`");
    CHECK(tests::message_and_help([&] {
              png_file(image({1, 1, 4}, {1, 2, 3, 4}), "x.png");
          }).find("found u8[1, 1, 4]") != std::string::npos);
    CHECK(tests::message_and_help([&] { png_file(image({0, 4}, {}), "x.png"); }) ==
          "x.png: an image needs at least one pixel");
}

TEST_CASE("netpbm: binary and plain, grey and RGB", "[io]") {
    const LoadedArray grey = load_pnm(kData + "grey.pgm", {});
    CHECK(grey.shape == Shape{2, 3});
    CHECK(bytes_of(grey) == Bytes{0, 127, 255, 1, 2, 3});
    const LoadedArray rgb = load_pnm(kData + "plain.ppm", {});
    CHECK(rgb.shape == Shape{1, 2, 3});
    CHECK(bytes_of(rgb) == Bytes{255, 0, 0, 1, 2, 3});
    // 7 of 15 is 119 of 255; 0 and the largest stay the ends.
    CHECK(bytes_of(parse_pnm("P2 3 1 15 0 7 15", "x")) == Bytes{0, 119, 255});
    CHECK(ppm_file(image({1, 2, 3}, {1, 2, 3, 4, 5, 6}), "x.ppm") == "P6\n2 1\n255\n\1\2\3\4\5\6");
    CHECK(pgm_file(image({2, 1}, {65, 66}), "x.pgm") == "P5\n1 2\n255\nAB");
    CHECK(tests::message_and_help([] { pgm_file(image({1, 1, 3}, {1, 2, 3}), "x.pgm"); }) ==
          "x.pgm: the format holds u8[h, w]: found u8[1, 1, 3]");
}

TEST_CASE("netpbm: wrong files", "[io]") {
    CHECK(pnm_fault("hello") == "x.pgm: this is not a .pgm or .ppm file");
    CHECK(pnm_fault("P4 1 1 x") == "x.pgm: the image cannot be read: bitmaps (P1 and P4) are not supported");
    CHECK(pnm_fault("P5 2 2 255\nabc") == "x.pgm: the image cannot be read: the file is cut short");
    CHECK(pnm_fault("P5 2") == "x.pgm: the image cannot be read: the file is cut short");
    CHECK(pnm_fault("P5 1 1 65535\nab").find("16 bits a channel") != std::string::npos);
    CHECK(pnm_fault("P2 1 1 9 10") == "x.pgm: the image cannot be read: a value is larger than 9");
    CHECK(pnm_fault("P5 1 1 9\n\n") == "x.pgm: the image cannot be read: a value is larger than 9");
    CHECK(pnm_fault("P5 2147483648 2147483648 255\nab") ==
          "x.pgm: the image cannot be read: the file is cut short");
}

TEST_CASE("colormaps: near the published colours", "[io]") {
    // viridisLite's nine-colour palettes, which sample matplotlib's maps evenly.
    const std::pair<const char*, std::vector<uint32_t>> maps[] = {
        {"viridis",
         {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21908c, 0x27ad81, 0x5dc863, 0xaadc32, 0xfde725}},
        {"magma", {0x000004, 0x1d1147, 0x51127c, 0x822681, 0xb63679, 0xe65164, 0xfb8861, 0xfec287, 0xfcfdbf}},
        {"gray", {0x000000, 0x808080, 0xffffff}}};
    for (const auto& [name, expected] : maps) {
        const std::vector<Colour> found = colormap(name);
        REQUIRE(found.size() == 256);
        for (size_t k = 0; k < expected.size(); ++k) {
            const Colour& c = found[static_cast<size_t>(std::lround(255.0 * k / (expected.size() - 1)))];
            for (int channel = 0; channel < 3; ++channel) {
                const int wanted = expected[k] >> (16 - 8 * channel) & 0xff;
                INFO(name << " " << k << " channel " << channel);
                CHECK(std::abs(c[channel] - wanted) <= 8);
            }
        }
    }
    CHECK(tests::message_and_help([] { colormap("virids"); }) ==
          "there is no colormap `virids` | did you mean `viridis`?");
}

TEST_CASE("pictures: least to greatest, NaN apart, infinities at the ends", "[io]") {
    CHECK(picture_of({0, 1, 2, 4}, {1, 4}, "gray") ==
          Bytes{0, 0, 0, 64, 64, 64, 128, 128, 128, 255, 255, 255});
    CHECK(picture_of({NAN, -INFINITY, 3, 5, INFINITY}, {1, 5}, "gray") ==
          Bytes{255, 0, 255, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255});
    CHECK(picture_of({7, 7}, {2, 1}, "gray") == Bytes{0, 0, 0, 0, 0, 0});
    CHECK(picture_of({-1e308, 1e308, 0}, {3, 1}, "gray") == Bytes{0, 0, 0, 255, 255, 255, 128, 128, 128});
    const HostArray rgb = image({1, 1, 3}, {1, 2, 3});
    CHECK(picture(rgb, "gray", "x.png").bytes == rgb.bytes);
    CHECK(tests::message_and_help([] {
              picture(image({1, 1, 4}, {1, 2, 3, 4}), "gray", "x.png");
          }).find("x.png: a picture shows an array of two axes or u8[h, w, 3]: found u8[1, 1, 4]") == 0);
}
