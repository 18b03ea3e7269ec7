// The public API: modules, arguments in every form, results, messages.
#include <limits>

#include "fuseline/fuseline.h"
#include "tests/catch.h"
#include "tests/unit/session/session_errors.h"

using namespace fuseline;
using namespace fuseline::tests;

namespace {

constexpr const char* kProgram =
    "fn axpy(a: f32, x: f32[n], y: f32[n]) -> (z: f32[n], size: i64) {\n"
    "    z = a * x + y\n"
    "    size = n\n"
    "}\n"
    "fn grid(n: i64, step: f64 = 0.5) = iota(n) * step\n"
    "fn mask(x: f64[n, m], flag: bool) = (x > 0) and flag\n"
    "fn generic(x) = x + 1\n";

Session on(const char* device) {
    Settings settings;
    settings.device = device;
    return Session(settings);
}

Array floats(std::vector<int64_t> shape, const std::vector<float>& values) {
    return Array::of<float>(std::move(shape), values);
}

template <class T>
std::vector<T> list(const Array& array) {
    const auto values = array.values<T>();
    return {values.begin(), values.end()};
}

bool contains(const std::string& text, const std::string& part) {
    INFO(text);
    const bool found = text.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

}  // namespace

TEST_CASE("a module tells its entries and their signatures", "[session]") {
    const Module module = on("interpreter").load_text(kProgram);
    CHECK(module.functions() == std::vector<std::string>{"axpy", "grid", "mask"});
    const auto parameters = module.parameters("axpy");
    REQUIRE(parameters.size() == 3);
    CHECK(parameters[0].name == "a");
    CHECK(parameters[0].type == "f32");
    CHECK(parameters[1].type == "f32[n]");
    CHECK(module.parameters("grid")[1].has_default);
    const auto results = module.results("axpy");
    REQUIRE(results.size() == 2);
    CHECK(results[0].name == "z");
    CHECK(results[0].type == "f32[n]");
    CHECK(results[1].type == "i64");
    CHECK(module.results("grid")[0].name == "result");
}

TEST_CASE("arguments by name and by position give the same results", "[session]") {
    for (const char* device : {"interpreter", "cpu"}) {
        const Module module = on(device).load_text(kProgram);
        const Array x = floats({3}, {1, 2, 3}), y = floats({3}, {10, 20, 30});
        const Results named = module.call("axpy", {{"y", y}, {"x", x}, {"a", 2.0}});
        REQUIRE(named.size() == 2);
        CHECK(list<float>(named["z"]) == std::vector<float>{12, 24, 36});
        CHECK(list<int64_t>(named["size"]) == std::vector<int64_t>{3});
        CHECK(named["size"].shape().empty());
        const Results positional = module.call("axpy", std::vector<Argument>{int64_t{2}, x, y});
        CHECK(list<float>(positional[0]) == std::vector<float>{12, 24, 36});
        CHECK(list<double>(module.call("grid", std::vector<Argument>{int64_t{3}})[0]) ==
              std::vector<double>{0, 0.5, 1});
    }
}

TEST_CASE("host memory is borrowed for arguments and written for results", "[session]") {
    for (const char* device : {"interpreter", "cpu"}) {
        const Module module = on(device).load_text(kProgram);
        const std::vector<float> x = {1, 2, 3}, y = {4, 5, 6};
        std::vector<float> z(3, -1);
        CallSettings settings;
        settings.outputs["z"] = MutableHostSpan{z.data(), DType::f32_, {3}};
        const Results results = module.call("axpy",
                                            {{"a", 1.0},
                                             {"x", HostSpan{x.data(), DType::f32_, {3}}},
                                             {"y", HostSpan{y.data(), DType::f32_, {3}}}},
                                            settings);
        CHECK(z == std::vector<float>{5, 7, 9});
        REQUIRE(results.size() == 1);
        CHECK(list<int64_t>(results["size"]) == std::vector<int64_t>{3});
        int64_t size = 0;
        settings.outputs["size"] = MutableHostSpan{&size, DType::i64_, {}};
        CHECK(module.call("axpy", {{"a", 1.0}, {"x", floats({3}, x)}, {"y", floats({3}, y)}}, settings)
                  .size() == 0);
        CHECK(size == 3);
    }
}

TEST_CASE("results go into further calls, and outlive session and module", "[session]") {
    Array kept;
    {
        const Session session = on("cpu");
        const Module module = session.load_text(kProgram);
        const Array once =
            module.call("axpy", {{"a", 2.0}, {"x", floats({2}, {1, 2})}, {"y", floats({2}, {0, 0})}})["z"];
        kept = module.call("axpy", {{"a", 2.0}, {"x", once}, {"y", once}})["z"];
    }
    CHECK(list<float>(kept) == std::vector<float>{6, 12});
    // An array of one session is an argument of another.
    const Module other = on("interpreter").load_text(kProgram);
    CHECK(list<float>(other.call("axpy", {{"a", 1.0}, {"x", kept}, {"y", kept}})["z"]) ==
          std::vector<float>{12, 24});
}

TEST_CASE("scalars of C++ take the parameter's type when they fit it", "[session]") {
    const Module module =
        on("interpreter")
            .load_text(
                "fn f(a: f32, k: i64, b: bool) -> (a: f32, k: i64, b: bool) { a = a\n k = k\n b = b\n}\n");
    const Results results = module.call("f", {{"a", int64_t{3}}, {"k", int64_t{-7}}, {"b", true}});
    CHECK(list<float>(results["a"]) == std::vector<float>{3});
    CHECK(list<int64_t>(results["k"]) == std::vector<int64_t>{-7});
    CHECK(list<bool>(results["b"]) == std::vector<bool>{true});
    const auto with = [&](Argument a, Argument k, Argument b) {
        return message([&] { module.call("f", {{"a", a}, {"k", k}, {"b", b}}); });
    };
    contains(with(1e300, int64_t{0}, false), "argument `a` must be f32: found 1e+300");
    contains(with(1.0, 1.5, false), "argument `k` must be i64: found 1.5");
    contains(with(1.0, int64_t{1}, int64_t{1}), "argument `b` must be bool: found 1");
    contains(with(true, int64_t{1}, true), "argument `a` must be f32: found true");
    CHECK(with(std::numeric_limits<double>::infinity(), int64_t{1}, true).empty());
}

TEST_CASE("wrong arguments are told by name, type and what was found", "[session]") {
    const Module module = on("cpu").load_text(kProgram);
    const Array x = floats({3}, {1, 2, 3});
    const auto call = [&](std::map<std::string, Argument> arguments) {
        return message([&] { module.call("axpy", arguments); });
    };
    contains(call({{"a", 1.0}, {"x", x}}), "`y: f32[n]` of `axpy` is missing");
    contains(call({{"a", 1.0}, {"x", x}, {"y", x}, {"z", x}}), "no parameter `z`; parameters are a, x, y");
    contains(call({{"a", 1.0}, {"x", x}, {"y", Array::of<double>({3}, std::vector<double>{1, 2, 3})}}),
             "argument `y` must be an array of f32: found f64[3]");
    contains(call({{"a", 1.0}, {"x", x}, {"y", floats({1, 3}, {1, 2, 3})}}),
             "argument `y` must be f32[n]: found f32[1, 3]");
    contains(call({{"a", x}, {"x", x}, {"y", x}}), "argument `a` must be f32: found f32[3]");
    contains(call({{"a", 1.0}, {"x", 2.0}, {"y", x}}), "argument `x` must be an array of f32: found 2.0");
    contains(call({{"a", 1.0}, {"x", x}, {"y", floats({2}, {1, 2})}}), "axis 0 has extent 2, but n is 3");
    contains(call({{"a", 1.0}, {"x", HostSpan{nullptr, DType::f32_, {3}}}, {"y", x}}), "null pointer");
    contains(call({{"a", 1.0}, {"x", DeviceSpan{4096, DType::f32_, {3}}}, {"y", x}}), "no GPU");
    contains(message([&] { module.call("axpi", std::map<std::string, Argument>{}); }),
             "did you mean `axpy`?");
    contains(message([&] { module.call("generic", std::map<std::string, Argument>{}); }),
             "there is no entry function `generic`");
    contains(message([&] { module.call("grid", std::vector<Argument>{int64_t{1}, 1.0, 1.0}); }),
             "takes 2 arguments: found 3");
    contains(message([&] { module.call("grid", {{"n", int64_t{-2}}}); }),
             "`n` is a size and must be at least 0: found -2");
    contains(message([] { Array::of<float>({2}, std::vector<float>{1}); }), "product of the extents");
    contains(message([] { Array::copy_of(DType::f32_, {-1}, nullptr); }), "cannot have the extent -1");
}

TEST_CASE("memory for results is tested before anything runs", "[session]") {
    const Module module = on("cpu").load_text(kProgram);
    std::vector<float> memory = {1, 2, 3, 4, 5, 6};
    const Array y = floats({3}, {0, 0, 0});
    const auto call = [&](const std::string& name, Output output) {
        CallSettings settings;
        settings.outputs[name] = output;
        return message([&] {
            module.call("axpy", {{"a", 1.0}, {"x", HostSpan{memory.data(), DType::f32_, {3}}}, {"y", y}},
                        settings);
        });
    };
    contains(call("w", MutableHostSpan{memory.data(), DType::f32_, {3}}),
             "there is no result `w`; results are z, size");
    contains(call("z", MutableHostSpan{memory.data() + 3, DType::f32_, {2}}),
             "the memory for result `z` must be f32[3]: found f32[2]");
    contains(call("z", MutableHostSpan{memory.data() + 3, DType::f64_, {3}}), "must be f32[3]: found f64[3]");
    contains(call("z", MutableHostSpan{nullptr, DType::f32_, {3}}), "null pointer");
    std::vector<char> bytes(16);
    contains(call("z", MutableHostSpan{bytes.data() + 1, DType::f32_, {3}}),
             "align it to 4 bytes, the size of an element");
    contains(call("z", MutableHostSpan{bytes.data(), DType::f32_, {-3}}), "extent -3");
    contains(call("z", MutableHostSpan{memory.data() + 2, DType::f32_, {3}}), "overlaps argument `x`");
    contains(call("z", DeviceSpan{4096, DType::f32_, {3}}), "no GPU");
    CHECK(memory == std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK(call("z", MutableHostSpan{memory.data() + 3, DType::f32_, {3}}).empty());
    CHECK(memory == std::vector<float>{1, 2, 3, 1, 2, 3});
}

TEST_CASE("results may not share memory", "[session]") {
    const Module module =
        on("cpu").load_text("fn f(x: f32[n]) -> (a: f32[n], b: f32[n]) { a = x + 1\n b = x + 2\n}\n");
    std::vector<float> memory(4);
    CallSettings settings;
    settings.outputs["a"] = MutableHostSpan{memory.data(), DType::f32_, {2}};
    settings.outputs["b"] = MutableHostSpan{memory.data() + 1, DType::f32_, {2}};
    contains(message([&] { module.call("f", {{"x", floats({2}, {0, 0})}}, settings); }),
             "the memory for result `b` overlaps result `a`");
}

TEST_CASE("a program that is wrong gives all its messages with places", "[session]") {
    const std::string text = message([] {
        on("interpreter").load_text("fn f(x: f32[n]) = x + y\nfn g(x: f32[n]) = sqr(x)\n", "two.dsl");
    });
    contains(text, "two.dsl:1:23: error:");
    contains(text, "two.dsl:2:19: error:");
    contains(text, "^");
}

TEST_CASE("unknown devices and options are refused with the names that there are", "[session]") {
    contains(message([] { on("gpu"); }), "use auto, cpu, cuda, cuda:N or interpreter");
    contains(message([] {
                 Settings settings;
                 settings.device = "interpreter";
                 settings.options["contrat"] = true;
                 const Session session(settings);
             }),
             "did you mean `contract`?");
    contains(message([] {
                 Settings settings;
                 settings.device = "cpu";
                 settings.threads = -1;
                 const Session session(settings);
             }),
             "at least 0");
}

TEST_CASE("a chain of 10 000 operators is compiled and computed", "[session]") {
    std::string program = "fn f(x: i64[n]) -> i64[n] {\n    y = x\n";
    uint64_t expected = 12345;
    for (int k = 0; k < 5000; ++k) {
        program += "    y = y ^ x\n    y = y * 3 + 1\n";
        expected = (expected ^ 12345) * 3 + 1;
    }
    program += "    return y\n}\n";
    for (const char* device : {"interpreter", "cpu"}) {
        const Module module = on(device).load_text(program);
        const Array y =
            module.call("f", {{"x", Array::of<int64_t>({2}, std::vector<int64_t>{12345, 12345})}})[0];
        CHECK(list<int64_t>(y)[1] == static_cast<int64_t>(expected));
    }
}

TEST_CASE("an optional pass can be left out, a required or unknown one cannot", "[session]") {
    const auto with = [](const std::string& pass) {
        Settings settings;
        settings.device = "cpu";
        settings.disabled_passes = {pass};
        const Module module = Session(settings).load_text("fn f(x: f32[n]) = x * 1 + x\n");
        return list<float>(module.call("f", {{"x", floats({1}, {2})}})[0]);
    };
    CHECK(with("simplify") == std::vector<float>{4});
    CHECK(with("cse") == std::vector<float>{4});
    contains(message([&] { with("fuse"); }), "fuse");
    contains(message([&] { with("simplifi"); }), "simplif");
}
