// Four calls of one product: each operand and result in device or in host memory.
#include "bench/gpu/matmul.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <random>

#include "bench/gpu/machine.h"
#include "bench/gpu/measure.h"

namespace fuseline::bench {
namespace {

using Clock = std::chrono::steady_clock;

double ms_of(const std::function<void()>& call) {
    const auto begin = Clock::now();
    call();
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median_of(const std::function<void()>& call) {
    for (int i = 0; i < 3; ++i) call();
    std::vector<double> series;
    for (int i = 0; i < 30; ++i) series.push_back(ms_of(call));
    return times_of(std::move(series)).median;
}

std::vector<float> random_values(size_t count, uint32_t seed) {
    std::mt19937 generator(seed);
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(generator() >> 8) * 0x1p-24f;
    return values;
}

/// On every 37th row and 41st column.
double error_of(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c,
                size_t n) {
    double worst = 0, largest = 0;
    for (size_t i = 0; i < n; i += 37) {
        for (size_t j = 0; j < n; j += 41) {
            double sum = 0;
            for (size_t k = 0; k < n; ++k)
                sum += static_cast<double>(a[i * n + k]) * static_cast<double>(b[k * n + j]);
            const double difference = std::abs(static_cast<double>(c[i * n + j]) - sum);
            worst = std::isnan(difference) ? difference : std::max(worst, difference);
            largest = std::max(largest, std::abs(sum));
        }
    }
    return worst / largest;
}

}  // namespace

MatmulTimes time_matmul(const Session& session, int64_t n) {
    const Module module =
        session.load_text("fn product(a: f32[n, k], b: f32[k, m]) -> f32[n, m] = a @ b\n", "product.dsl");
    const Module copies = session.load_text("fn copy(x: f32[n, m]) -> f32[n, m] = 1 * x\n", "copy.dsl");
    const std::vector<int64_t> shape = {n, n};
    const size_t count = static_cast<size_t>(n * n);
    const std::vector<float> a = random_values(count, 1), b = random_values(count, 2);
    std::vector<float> c(count, std::nanf(""));
    const std::vector<Argument> host = {HostSpan{a.data(), DType::f32_, shape},
                                        HostSpan{b.data(), DType::f32_, shape}};
    const MutableHostSpan host_result{c.data(), DType::f32_, shape};

    const auto machine = make_machine(session.report().device);
    std::vector<std::unique_ptr<Memory>> memory;
    std::vector<Argument> device;
    for (const Argument& operand : host) {
        memory.push_back(machine->allocate(n * n));
        copies.call("copy", {operand}, {nullptr, {{"result", memory.back()->output(shape)}}});
        device.push_back(memory.back()->argument(shape));
    }
    memory.push_back(machine->allocate(n * n));
    session.synchronize();
    const auto timed = [&](const std::vector<Argument>& operands, const Output& result) {
        const CallSettings settings{nullptr, {{"result", result}}};
        return [&session, &module, operands, settings] {
            module.call("product", operands, settings);
            session.synchronize();
        };
    };

    MatmulTimes times;
    times.device = session.device_description();
    times.first = ms_of(timed(host, host_result));
    times.error = error_of(a, b, c, static_cast<size_t>(n));
    times.product = median_of(timed(device, memory.back()->output(shape)));
    times.from_host = median_of(timed(host, memory.back()->output(shape)));
    times.to_host = median_of(timed(device, host_result));
    times.host_to_host = median_of(timed(host, host_result));
    return times;
}

}  // namespace fuseline::bench
