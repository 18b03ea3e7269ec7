// Plans with loops, branches, assertions, updates and library calls, executed from graphs in text form.
#include <cmath>

#include "runtime/session/callable.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

/// The CPU, with its copies and allocations counted.
class CountingDevice : public Device {
public:
    const Target& target() const override { return cpu_->target(); }
    std::string name() const override { return cpu_->name(); }
    std::string description() const override { return cpu_->description(); }
    std::string compiler() const override { return cpu_->compiler(); }
    std::shared_ptr<Allocation> allocate(size_t bytes, Stream stream) override {
        ++allocations;
        return cpu_->allocate(bytes, stream);
    }
    bool shares_host_memory() const override { return true; }
    void copy_to_device(void* to, const void* from, size_t bytes, Stream stream) override {
        ++copies;
        cpu_->copy_to_device(to, from, bytes, stream);
    }
    void copy_to_host(void* to, const void* from, size_t bytes, Stream stream) override {
        cpu_->copy_to_host(to, from, bytes, stream);
    }
    void copy_device(void* to, const void* from, size_t bytes, Stream stream) override {
        ++copies;
        cpu_->copy_device(to, from, bytes, stream);
    }
    std::shared_ptr<Executable> build(const ir::Function& kernel, const std::string& symbol,
                                      const SourceMap* sources) override {
        return cpu_->build(kernel, symbol, sources);
    }
    void launch(const Executable& e, const LaunchArguments& arguments, Stream stream) override {
        cpu_->launch(e, arguments, stream);
    }
    double timed_launch(const Executable& e, const LaunchArguments& arguments, Stream stream) override {
        return cpu_->timed_launch(e, arguments, stream);
    }
    void synchronize(Stream stream) override { cpu_->synchronize(stream); }
    std::string stage_text(const Executable& e, std::string_view stage) override {
        return cpu_->stage_text(e, stage);
    }

    int copies = 0, allocations = 0;

private:
    std::unique_ptr<Device> cpu_ = make_cpu_device(1);
};

/// A graph made callable on a device.
struct Program {
    explicit Program(const std::string& text, const char* device = "cpu") : Program(text, opened(device)) {}
    Program(const std::string& text, std::shared_ptr<Device> device) {
        const Settings settings;
        session = std::make_shared<SessionImpl>(settings, std::move(device));
        std::vector<ir::Function> functions = ir::parse_functions(sources, sources.add("test.ir", text));
        callable = std::make_unique<Callable>(session, std::move(functions.front()), sources);
    }

    static std::shared_ptr<Device> opened(const char* device) {
        Settings settings;
        settings.device = device;
        return open_device(settings);
    }

    std::vector<Array> call(std::vector<PlanValue> arguments) {
        std::vector<Array> arrays;
        for (const auto& result : callable->call(std::move(arguments), {}, nullptr))
            arrays.push_back(*result);
        return arrays;
    }

    SourceMap sources;
    std::shared_ptr<SessionImpl> session;
    std::unique_ptr<Callable> callable;
};

PlanValue array(const std::vector<float>& values, std::vector<int64_t> shape) {
    PlanValue v;
    v.dtype = DType::f32_;
    v.shape = std::move(shape);
    v.host = values.data();
    return v;
}

PlanValue number(int64_t value) {
    PlanValue v;
    v.dtype = DType::i64_;
    v.scalar = Scalar::of_i64(value);
    return v;
}

std::vector<float> floats(const Array& array) {
    const auto values = array.values<float>();
    return {values.begin(), values.end()};
}

constexpr const char* kHalve =
    "graph halve(%x: f32[n], %steps: i64) -> (y: f32[n]) {\n"
    "  %c = constant 0.5 : f32\n"
    "  %y = loop (i = 0, steps, 1) %x : f32[n] (%v: f32[n]) {\n"
    "    %w = mul %v, %c : f32[n]\n"
    "    yield %w\n"
    "  }\n"
    "  yield %y\n"
    "}\n";

}  // namespace

TEST_CASE("a loop runs its kernel once a step and leaves the argument alone", "[session]") {
    for (const char* device : {"interpreter", "cpu"}) {
        Program p(kHalve, device);
        const std::vector<float> x{8, 16};
        CHECK(floats(p.call({array(x, {2}), number(3)})[0]) == std::vector<float>{1, 2});
        CHECK(x == std::vector<float>{8, 16});
        CHECK(floats(p.call({array(x, {2}), number(0)})[0]) == std::vector<float>{8, 16});
    }
}

TEST_CASE("a loop of many steps compiles once and launches each step", "[session]") {
    Program p(kHalve);
    const std::vector<float> x{1};
    p.call({array(x, {1}), number(100)});
    CHECK(p.session->recorder.report().kernels_compiled == 1);
    CHECK(p.session->recorder.report().kernels_launched == 100);
    p.call({array(x, {1}), number(7)});
    CHECK(p.session->recorder.report().kernels_compiled == 1);
}

TEST_CASE("the counter is a size of the step's kernels", "[session]") {
    const char* text =
        "graph f(%x: f32[n], %start: i64) -> (y: f32[n]) {\n"
        "  %y = loop (i = n - 1, start - 1, -1) %x : f32[n] (%v: f32[n]) {\n"
        "    %k = extent i : i64\n"
        "    %f = cast %k : f32\n"
        "    %w = add %v, %f : f32[n]\n"
        "    yield %w\n"
        "  }\n"
        "  yield %y\n"
        "}\n";
    for (const char* device : {"interpreter", "cpu"}) {
        Program p(text, device);
        // 3 + 2 + 1.
        CHECK(floats(p.call({array({0, 0, 0, 0}, {4}), number(1)})[0]) == std::vector<float>(4, 6.0f));
    }
}

TEST_CASE("a conditional loop reads its flag before each step", "[session]") {
    const char* text =
        "graph f(%x: f32, %y: f32[n]) -> (a: f32, b: f32[n]) {\n"
        "  %limit = constant 100.0 : f32\n"
        "  %first = lt %x, %limit : bool\n"
        "  %go, %a, %b = loop () while %first, %x, %y : bool, f32, f32[n] (%g: bool, %v: f32, %w: f32[n]) {\n"
        "    %u = add %v, %v : f32\n"
        "    %z = add %w, %u : f32[n]\n"
        "    %h = lt %u, %limit : bool\n"
        "    yield %h, %u, %z\n"
        "  }\n"
        "  yield %a, %b\n"
        "}\n";
    for (const char* device : {"interpreter", "cpu"}) {
        Program p(text, device);
        PlanValue x;
        x.scalar = Scalar::of_f32(30);
        const auto results = p.call({x, array({1}, {1})});
        CHECK(floats(results[0]) == std::vector<float>{120});
        CHECK(floats(results[1]) == std::vector<float>{181});
        PlanValue large;
        large.scalar = Scalar::of_f32(200);
        CHECK(floats(p.call({large, array({1}, {1})})[0]) == std::vector<float>{200});
    }
}

TEST_CASE("loops nest, and values around them are seen inside", "[session]") {
    const char* text =
        "graph f(%x: f32[n], %z: f32[n]) -> (y: f32[n]) {\n"
        "  %y = loop (i = 0, 3, 1) %x : f32[n] (%v: f32[n]) {\n"
        "    %w = loop (j = 0, i, 1) %v : f32[n] (%u: f32[n]) {\n"
        "      %s = add %u, %z : f32[n]\n"
        "      yield %s\n"
        "    }\n"
        "    yield %w\n"
        "  }\n"
        "  yield %y\n"
        "}\n";
    for (const char* device : {"interpreter", "cpu"}) {
        Program p(text, device);
        // 0 + 1 + 2 inner steps.
        CHECK(floats(p.call({array({1, 2}, {2}), array({10, 20}, {2})})[0]) == std::vector<float>{31, 62});
    }
}

TEST_CASE("only the taken side of a branch is run", "[session]") {
    const char* text =
        "graph f(%x: f32[n], %k: i64) -> (y: f32[n]) {\n"
        "  %one = constant 1 : i64\n"
        "  %c = eq %k, %one : bool\n"
        "  %y = if %c : f32[n] {\n"
        "    check n >= 100, \"x is short\"\n"
        "    yield %x\n"
        "  } else {\n"
        "    %z = neg %x : f32[n]\n"
        "    yield %z\n"
        "  }\n"
        "  yield %y\n"
        "}\n";
    for (const char* device : {"interpreter", "cpu"}) {
        Program p(text, device);
        CHECK(floats(p.call({array({1, 2}, {2}), number(0)})[0]) == std::vector<float>{-1, -2});
        CHECK_THROWS_WITH(p.call({array({1, 2}, {2}), number(1)}), "x is short: n is 2, less than 100");
    }
}

TEST_CASE("a failed assertion hands out nothing", "[session]") {
    const char* text =
        "graph f(%x: f32[n], %a: f32) -> (y: f32[n]) {\n"
        "  %zero = constant 0.0 : f32\n"
        "  %good = gt %a, %zero : bool\n"
        "  assert \"a is positive\" %good\n"
        "  %y = mul %x, %a : f32[n]\n"
        "  yield %y\n"
        "}\n";
    for (const char* device : {"interpreter", "cpu"}) {
        Program p(text, device);
        PlanValue a;
        a.scalar = Scalar::of_f32(2);
        CHECK(floats(p.call({array({1, 2}, {2}), a})[0]) == std::vector<float>{2, 4});
        a.scalar = Scalar::of_f32(-2);
        CHECK_THROWS_WITH(p.call({array({1, 2}, {2}), a}), "a is positive");
    }
}

TEST_CASE("products of matrices of every arrangement", "[session]") {
    const char* text =
        "graph f(%a: f32[m, k], %b: f32[k, n], %at: f32[k, m], %bt: f32[n, k]) -> (p: f32[m, n], q: f32[m, "
        "n]) {\n"
        "  %p = matmul %a, %b : f32[m, n]\n"
        "  %u = view %at [i, j] -> [j, i] : f32[m, k]\n"
        "  %v = view %bt [i, j] -> [j, i] : f32[k, n]\n"
        "  %q = matmul %u, %v : f32[m, n]\n"
        "  yield %p, %q\n"
        "}\n";
    const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, 1, 1, 1};
    const std::vector<float> at{1, 4, 2, 5, 3, 6}, bt{1, 2, 1, 0, 1, 1};
    for (const char* device : {"interpreter", "cpu"}) {
        Program p(text, device);
        const auto r = p.call({array(a, {2, 3}), array(b, {3, 2}), array(at, {3, 2}), array(bt, {2, 3})});
        CHECK(floats(r[0]) == std::vector<float>{8, 5, 20, 11});
        CHECK(floats(r[1]) == std::vector<float>{8, 5, 20, 11});
    }
}

TEST_CASE("an empty sum of products is zero", "[session]") {
    const char* text =
        "graph f(%a: f32[m, k], %b: f32[k, n]) -> (p: f32[m, n]) {\n"
        "  %p = matmul %a, %b : f32[m, n]\n"
        "  yield %p\n"
        "}\n";
    for (const char* device : {"interpreter", "cpu"}) {
        Program p(text, device);
        CHECK(floats(p.call({array({}, {2, 0}), array({}, {0, 2})})[0]) == std::vector<float>(4, 0.0f));
        CHECK(p.call({array({}, {0, 3}), array({1, 2, 3}, {3, 1})})[0].shape() == std::vector<int64_t>{0, 1});
    }
}

TEST_CASE("results of loops reach the caller's memory", "[session]") {
    Program p(kHalve);
    std::vector<float> out(2, -1);
    const OutputPlace place{false, out.data(), DType::f32_, {2}};
    for (int64_t steps : {2, 0}) {
        const auto results = p.callable->call({array({8, 16}, {2}), number(steps)}, {place}, nullptr);
        CHECK_FALSE(results[0].has_value());
        CHECK(out == (steps == 2 ? std::vector<float>{2, 4} : std::vector<float>{8, 16}));
    }
}

TEST_CASE("updates in a loop copy the argument once, guarded ones too", "[session]") {
    const char* text =
        "graph f(%x: f32[n]) -> (y: f32[n]) {\n"
        "  %one = constant 1.0 : f32\n"
        "  %two = constant 2 : i64\n"
        "  %zero = constant 0 : i64\n"
        "  %y = loop (i = 0, n, 1) %x : f32[n] (%v: f32[n]) {\n"
        "    %w = update %v [] -> [i], %one : f32[n]\n"
        "    %k = extent i : i64\n"
        "    %r = mod %k, %two : i64\n"
        "    %c = eq %r, %zero : bool\n"
        "    %z = if %c : f32[n] {\n"
        "      %f = cast %k : f32\n"
        "      %u = update %w [] -> [i], %f : f32[n]\n"
        "      yield %u\n"
        "    } else {\n"
        "      yield %w\n"
        "    }\n"
        "    yield %z\n"
        "  }\n"
        "  yield %y\n"
        "}\n";
    const auto device = std::make_shared<CountingDevice>();
    Program p(text, device);
    const std::vector<float> x{9, 9, 9, 9, 9, 9};
    CHECK(floats(p.call({array(x, {6})})[0]) == std::vector<float>{0, 1, 2, 1, 4, 1});
    CHECK(x == std::vector<float>(6, 9.0f));
    CHECK(device->copies == 1);
    CHECK(device->allocations == 1);
}

TEST_CASE("a loop uses the memory of its last step again", "[session]") {
    const auto device = std::make_shared<CountingDevice>();
    Program p(kHalve, device);
    p.call({array({8, 16}, {2}), number(100)});
    CHECK(device->copies == 0);
    CHECK(device->allocations == 2);
}
