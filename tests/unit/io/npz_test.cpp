// .npz: archives that NumPy wrote, ZIP64, and damaged ones.
#include "runtime/io/npz.h"

#include <cstring>

#include "compiler/support/errors.h"
#include "runtime/io/files.h"
#include "runtime/io/npy.h"
#include "runtime/io/zip.h"
#include "tests/catch.h"
#include "tests/unit/user_errors.h"

using namespace fuseline;

namespace {

const std::string kData = "tests/behaviour/data/";

LoadRequest key(std::string name) { return {DType::f64_, {}, std::move(name), {}}; }

template <class T>
T element(const LoadedArray& a, size_t k) {
    T value;
    std::memcpy(&value, a.elements.get() + k * sizeof(T), sizeof(T));
    return value;
}

std::string message_of(const std::string& bytes, const LoadRequest& request) {
    return tests::message_and_help([&] { parse_npz(bytes, "x.npz", request); });
}

}  // namespace

TEST_CASE("npz: NumPy's savez and savez_compressed", "[io]") {
    const LoadedArray a = load_npz(kData + "two.npz", key("a"));
    CHECK(a.dtype == DType::f64_);
    CHECK(a.shape == std::vector<int64_t>{2});
    CHECK(element<double>(a, 1) == -2);
    const LoadedArray b = load_npz(kData + "two.npz", key("b"));
    CHECK(b.shape == std::vector<int64_t>{2, 3});
    CHECK(element<int64_t>(b, 5) == 5);
    const LoadedArray c = load_npz(kData + "one.npz", key(""));
    CHECK(c.shape == std::vector<int64_t>{3, 2});
    CHECK(element<double>(c, 5) == 0.25);
}

TEST_CASE("npz: keys that are not there", "[io]") {
    const std::string two = read_file(kData + "two.npz");
    CHECK(message_of(two, key("")) ==
          "x.npz: the archive holds 2 arrays and no key is given | keys are `a`, `b`");
    CHECK(message_of(two, key("volume")) == "x.npz: there is no array `volume` | keys are `a`, `b`");
}

TEST_CASE("npz: what is written reads back, with the long fields too", "[io]") {
    HostArray a{DType::f64_, {2}, std::vector<std::byte>(16)};
    const double values[2] = {1.25, -3};
    std::memcpy(a.bytes.data(), values, 16);
    const std::string file = npz_file(a, "x.npz");
    CHECK(element<double>(parse_npz(file, "x.npz", key("")), 1) == -3);
    CHECK(element<double>(parse_npz(file, "x.npz", key("arr_0")), 0) == 1.25);
    const std::string large = zip_of("arr_0.npy", npy_bytes(a), true);
    CHECK(large.size() > file.size());
    CHECK(element<double>(parse_npz(large, "x.npz", key("arr_0")), 1) == -3);
}

TEST_CASE("npz: damaged archives are errors", "[io]") {
    for (const char* name : {"one.npz", "two.npz"}) {
        const std::string good = read_file(kData + name);
        const LoadRequest request = key(name[0] == 'o' ? "c" : "a");
        CHECK(message_of(good, request) == "no error");
        for (size_t cut = 0; cut < good.size(); ++cut)
            CHECK(message_of(good.substr(0, cut), request) != "no error");
    }
    std::string wrong = read_file(kData + "two.npz");
    wrong[wrong.find("NUMPY") + 130] ^= 1;  // an element of the first member
    CHECK(message_of(wrong, key("a")) == "x.npz: the member `a.npy` is damaged: its checksum is wrong");
    CHECK(message_of("hello", key("a")) == "x.npz: this is not a .npz file");
    CHECK(message_of("PK\x05\x06" + std::string(18, '\0'), key("")) == "x.npz: the archive holds no arrays");
    // A member that claims more than deflate can hold must not be given memory.
    std::string bomb = read_file(kData + "one.npz");
    const size_t directory = bomb.rfind("PK\x01\x02");
    bomb.replace(directory + 24, 4, "\xff\xff\xff\x7f");
    CHECK(message_of(bomb, key("c")) == "x.npz: the member `c.npy` is damaged");
}
