// What a session reports: kernels are compiled once, by any number of threads, whatever sizes, scalars and
// names.
#include <atomic>
#include <thread>

#include "fuseline/fuseline.h"
#include "runtime/session/session_impl.h"
#include "tests/catch.h"
#include "tests/fakes/host_cuda/host_cuda_device.h"

using namespace fuseline;

namespace {

constexpr const char* kProgram =
    "fn f(x: f32[n], a: f32) = x * a + 1\n"
    "fn same(values: f32[count], weight: f32) = values * weight + 1\n";

struct Named {
    const char* name;
    std::shared_ptr<Device> device;
};

std::vector<Named> devices() {
    return {{"cpu", make_cpu_device(0)}, {"cuda-on-host", std::make_shared<HostCudaDevice>()}};
}

Session session_on(const std::shared_ptr<Device>& device, const Settings& settings = {}) {
    return Session(std::make_shared<Session::Impl>(settings, device));
}

Array ones(int64_t n) { return Array::of<float>({n}, std::vector<float>(static_cast<size_t>(n), 1.0F)); }

}  // namespace

TEST_CASE("a new size, a new scalar or another name compiles nothing", "[session]") {
    for (const Named& d : devices()) {
        INFO(d.name);
        const Session session = session_on(d.device);
        const Module module = session.load_text(kProgram);
        CHECK(session.report().kernels_compiled == 0);
        module.call("f", {{"x", ones(5)}, {"a", 2.0}});
        CHECK(session.report().kernels_compiled == 1);
        for (int64_t n : {1, 4, 1000}) module.call("f", {{"x", ones(n)}, {"a", static_cast<double>(n)}});
        module.call("same", {{"values", ones(7)}, {"weight", 3.0}});
        session.load_text(kProgram).call("f", {{"x", ones(3)}, {"a", 0.0}});
        const Report report = session.report();
        CHECK(report.kernels_compiled == 1);
        CHECK(report.kernels_launched == 6);
        CHECK(report.memory_hits == 5);
        CHECK(report.device == d.device->name());
    }
}

TEST_CASE("the report names kernels, lines and bytes, and can be reset", "[session]") {
    for (const Named& d : devices()) {
        INFO(d.name);
        Settings settings;
        settings.time_kernels = true;
        Session session = session_on(d.device, settings);
        const Module module = session.load_text(kProgram, "prices.dsl");
        for (int k = 0; k < 3; ++k) module.call("f", {{"x", ones(10)}, {"a", 2.0}});
        const Report report = session.report();
        REQUIRE(report.kernels.size() == 1);
        const KernelReport& kernel = report.kernels[0];
        CHECK(kernel.name.substr(0, 7) == "fl_map_");
        CHECK(kernel.name.size() == 7 + 16);
        CHECK(kernel.schedule == "map");
        CHECK(kernel.lines == "prices.dsl:1");
        CHECK(kernel.launches == 3);
        CHECK(kernel.bytes == 3 * 2 * 10 * 4);
        CHECK(kernel.ms > 0);
        CHECK(report.compile_ms > 0);
        session.reset_report();
        CHECK(session.report().kernels_launched == 0);
        CHECK(session.report().kernels.empty());
        module.call("f", {{"x", ones(10)}, {"a", 2.0}});
        CHECK(session.report().kernels_compiled == 0);
        CHECK(session.report().kernels_launched == 1);
    }
}

TEST_CASE("bytes are those of the elements that are touched, library calls have a report", "[session]") {
    const std::vector<std::pair<std::string, int64_t>> programs = {
        {"fn f(x: f32[n]) = x[::4] + 1\n", 2 * 4 * 25},
        {"fn f(x: f32[n]) = x[2:5] * 2\n", 2 * 4 * 3},
        {"fn f(x: f32[n]) = x[:-2] + x[1:-1] + x[2:]\n", 4 * (100 + 98)},
    };
    for (const Named& d : devices()) {
        for (const auto& [text, bytes] : programs) {
            INFO(d.name << ": " << text);
            const Session session = session_on(d.device);
            session.load_text(text).call("f", {{"x", ones(100)}});
            REQUIRE(session.report().kernels.size() == 1);
            CHECK(session.report().kernels[0].bytes == bytes);
        }
        if (!d.device->has_matmul()) continue;
        const Session session = session_on(d.device);
        const Array a = Array::of<float>({2, 3}, std::vector<float>(6, 1.0F));
        const Array b = Array::of<float>({3, 5}, std::vector<float>(15, 1.0F));
        session.load_text("fn f(a: f32[n, k], b: f32[k, m]) = a @ b\n").call("f", {{"a", a}, {"b", b}});
        REQUIRE(session.report().libraries.size() == 1);
        CHECK(session.report().library_calls == 1);
        CHECK(session.report().libraries[0].name == "matmul");
        CHECK(session.report().libraries[0].bytes == 4 * (6 + 15 + 10));
        CHECK(session.report().libraries[0].flops == 2 * 2 * 3 * 5);
    }
}

TEST_CASE("without fusion each step is a kernel", "[session]") {
    for (const Named& d : devices()) {
        INFO(d.name);
        Settings settings;
        settings.fuse = false;
        const Session session = session_on(d.device, settings);
        const Array y = session.load_text(kProgram).call("f", {{"x", ones(5)}, {"a", 2.0}})[0];
        CHECK(y.values<float>()[4] == 3.0F);
        CHECK(session.report().kernels_launched == 2);
    }
}

TEST_CASE("threads that call the same function at once compile once", "[session]") {
    for (const Named& d : devices()) {
        INFO(d.name);
        const Session session = session_on(d.device);
        const Module module = session.load_text(kProgram);
        std::atomic<int> wrong{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&, t] {
                const Array x = ones(100 + t);
                for (int k = 0; k < 5; ++k) {
                    const Array y = module.call("f", {{"x", x}, {"a", static_cast<double>(t)}})[0];
                    for (float v : y.values<float>()) wrong += v != static_cast<float>(t + 1);
                }
            });
        }
        for (std::thread& t : threads) t.join();
        CHECK(wrong == 0);
        CHECK(session.report().kernels_compiled == 1);
        CHECK(session.report().kernels_launched == 40);
    }
}

TEST_CASE("threads load and call programs of their own in one session", "[session]") {
    const Session session = session_on(make_cpu_device(2));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const Module module = session.load_text("fn f(x: f32[n]) = x * " + std::to_string(t) + " + 1\n");
            const Array y = module.call("f", {{"x", ones(1000)}})[0];
            for (float v : y.values<float>()) wrong += v != static_cast<float>(t + 1);
        });
    }
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("the interpreter compiles and launches nothing", "[session]") {
    const Session session = session_on(nullptr);
    const Module module = session.load_text(kProgram);
    module.call("f", {{"x", ones(5)}, {"a", 2.0}});
    const Report report = session.report();
    CHECK(report.device == "interpreter");
    CHECK(report.kernels_compiled == 0);
    CHECK(report.kernels_launched == 0);
}
