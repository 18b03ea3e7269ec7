// Fills, checks, times.
#include "bench/gpu/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "bench/gpu/reference.h"

namespace fuseline::bench {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Calls until caches, clocks and memory pools have settled; gives the time of a later call in ms.
double warm_up(Machine& machine, const std::function<void()>& call) {
    const auto begin = Clock::now();
    for (int i = 0; i < 3 || (i < 50 && ms_since(begin) < 50); ++i) {
        call();
        machine.wait();
    }
    const auto last = Clock::now();
    call();
    machine.wait();
    return ms_since(last);
}

/// Squares of differences and of references, and of unequal elements.
struct Sums {
    double difference = 0, reference = 0;
    int64_t unequal = 0, count = 0;

    void add(double value, double expected) {
        difference += (value - expected) * (value - expected);
        reference += expected * expected;
        unequal += value == expected ? 0 : 1;
        ++count;
    }
    double error(bool equal) const {
        // A reference of zeros would prove nothing: the inputs were not filled.
        if (std::isnan(difference) || reference == 0) return std::numeric_limits<double>::quiet_NaN();
        if (equal) return static_cast<double>(unequal) / static_cast<double>(count);
        return std::sqrt(difference / reference);
    }
};

}  // namespace

Times times_of(std::vector<double> series) {
    std::sort(series.begin(), series.end());
    const size_t n = series.size();
    const double median = n % 2 == 1 ? series[n / 2] : (series[n / 2 - 1] + series[n / 2]) / 2;
    return {median, series.front(), series[n * 9 / 10], static_cast<int>(n)};
}

Prepared::Prepared(const Workload& workload, Machine& machine, const Module& fill_module)
    : workload_(workload), machine_(machine), fill_(fill_module) {
    for (const Input& input : workload_.inputs) {
        inputs_.push_back(machine_.allocate(workload_.elements(input)));
        fill(fill_, *inputs_.back(), workload_.elements(input), input, static_cast<int64_t>(inputs_.size()));
        arguments_.push_back(inputs_.back()->argument(workload_.shape(input)));
    }
    for (const std::string& name : workload_.outputs) {
        outputs_.push_back(machine_.allocate(workload_.elements()));
        settings_.outputs.emplace(name, outputs_.back()->output(workload_.shape()));
    }
    settings_.stream = machine_.stream();
}

void Prepared::fill(const Module& module, Memory& memory, int64_t elements, const Input& input,
                    int64_t seed) const {
    CallSettings settings;
    settings.stream = machine_.stream();
    settings.outputs.emplace("x", memory.output({elements}));
    std::map<std::string, Argument> arguments = {{"n", elements}, {"low", input.low}, {"high", input.high}};
    if (!input.line) arguments.emplace("seed", seed);
    module.call(input.line ? "line" : "random", arguments, settings);
    machine_.wait();
}

void Prepared::call(const Module& module) const { module.call(workload_.function, arguments_, settings_); }

/// Elements [first, first + count) of the inputs as the outputs see them, then of the outputs.
std::vector<std::vector<float>> Prepared::sample(int64_t first, int64_t count) const {
    std::vector<std::vector<float>> columns;
    for (size_t k = 0; k < inputs_.size(); ++k) {
        const Input& input = workload_.inputs[k];
        if (!input.along) {
            columns.push_back(inputs_[k]->read(first, count));
            continue;
        }
        const std::vector<float> vector = inputs_[k]->read(0, workload_.n);
        std::vector<float> column;
        for (int64_t i = first; i < first + count; ++i) {
            column.push_back(
                vector[static_cast<size_t>(*input.along == 0 ? i / workload_.n : i % workload_.n)]);
        }
        columns.push_back(std::move(column));
    }
    for (const auto& output : outputs_) columns.push_back(output->read(first, count));
    return columns;
}

double Prepared::error(const Module& module) {
    const Reference reference = reference_of(workload_.function);
    if (reference == nullptr)
        throw Error(Error::Kind::internal, fmt::format("'{}' has no reference", workload_.function));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& output : outputs_)
        fill(fill_, *output, workload_.elements(), {"", nan, nan, {}, false}, 1);
    call(module);
    machine_.wait();

    constexpr int64_t kBlocks = 32, kBlock = 2048;
    const int64_t elements = workload_.elements(), count = std::min(elements, kBlock);
    std::vector<Sums> sums(outputs_.size());
    std::vector<double> in(inputs_.size()), out(outputs_.size());
    for (int64_t block = 0; block < kBlocks; ++block) {
        const auto columns = sample((elements - count) * block / (kBlocks - 1), count);
        for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
            for (size_t k = 0; k < in.size(); ++k) in[k] = static_cast<double>(columns[k][i]);
            reference(in.data(), out.data());
            for (size_t k = 0; k < out.size(); ++k)
                sums[k].add(static_cast<double>(columns[in.size() + k][i]), out[k]);
        }
    }
    double worst = 0;
    for (const Sums& s : sums) {
        const double error = s.error(workload_.compares_equal);
        worst = std::isnan(error) ? error : std::max(worst, error);
        if (std::isnan(worst)) break;
    }
    return worst;
}

Times Prepared::time(const Module& module) const {
    const auto once = [&] { call(module); };
    const double estimate = warm_up(machine_, once);
    return times_of(machine_.time(estimate < 50 ? 30 : 20, once));
}

PerCall Prepared::time_per_call(const Session& session, const Module& module) const {
    CallSettings given = settings_;
    given.stream = nullptr;
    const CallSettings owned;
    const auto batch = [&](int calls, int batches, const CallSettings& settings) {
        std::vector<double> series;
        for (int i = 0; i < batches; ++i) {
            const auto begin = Clock::now();
            for (int k = 0; k < calls; ++k) module.call(workload_.function, arguments_, settings);
            session.synchronize();
            series.push_back(ms_since(begin) * 1e3 / calls);
        }
        return times_of(std::move(series)).median;
    };
    batch(100, 5, given);
    batch(100, 5, owned);
    return {batch(100, 51, given), batch(100, 51, owned), batch(1, 300, given)};
}

double Prepared::first_call(const Session& session, const std::string& text, int k) const {
    const std::string program = salted(text, workload_.salt, k);
    const auto begin = Clock::now();
    call(session.load_text(program, workload_.program));
    machine_.wait();
    return ms_since(begin);
}

}  // namespace fuseline::bench
