// Differential tests of random programs.
#include "tests/runner/random_suite.h"

#include <map>

#include <fmt/format.h>

#include "runtime/session/module_impl.h"
#include "tests/runner/program_generator.h"
#include "tests/runner/reproducer.h"

namespace fuseline::testing {
namespace {

/// Programs whose kernels the host shim compiles together.
constexpr uint64_t kBatch = 60;
constexpr size_t kSteps = 14;

GeneratorSettings generator(uint64_t seed, size_t steps) { return {seed, steps, seed % 4 != 0}; }

/// Devices whose results must be the same bits as each other: "cpu", "cuda", "cuda-on-host", "interpreter".
std::string family(const TestDevice& d) { return d.name.starts_with("cpu") ? "cpu" : d.name.substr(0, d.name.find("-unfused")); }

void prepare(const std::vector<TestDevice>& devices, uint64_t first, uint64_t count) {
    for (const TestDevice& d : devices) {
        if (d.name != "cuda-on-host") continue;
        std::vector<Module> modules;
        std::vector<const ir::Function*> graphs;
        for (uint64_t seed = first; seed < first + count; ++seed) {
            try {
                modules.push_back(session_on(d).load_text(random_program(generator(seed, kSteps)).program, "test.dsl"));
            } catch (const Error&) {
                continue;  // Reported where the program is run.
            }
            graphs.push_back(&modules.back().impl()->entry("f").graph);
        }
        prepare_kernels(d, graphs);
    }
}

/// One program of a seed on one device against what is expected: "" or what is wrong.
std::string fault_of(const TestDevice& device, const ProgramCall& call, const NamedArrays& expected) {
    try {
        return difference_of(expected, run_call(device, call));
    } catch (const std::exception& e) {
        return std::string(e.what()) + "\n";
    }
}

class SeedRun {
public:
    SeedRun(uint64_t seed, const std::vector<TestDevice>& devices) : seed_(seed), devices_(devices) {}

    void run(Tally& tally) {
        const ProgramCall call = random_program(generator(seed_, kSteps));
        std::map<std::string, const TestDevice*> references;
        std::map<std::string, NamedArrays> expected;
        for (const TestDevice& d : devices_) {
            const std::string group = generator(seed_, kSteps).exact ? "interpreter" : family(d);
            const TestDevice& reference = *references.try_emplace(group, group == "interpreter" ? &interpreter_ : &d).first->second;
            try {
                if (expected.count(group) == 0) expected[group] = run_call(reference, call);
            } catch (const std::exception& e) {
                tally.fail(fmt::format("random program {} on {}", seed_, reference.name), e.what() + ("\n" + call.program));
                return;
            }
            const std::string fault = fault_of(d, call, expected[group]);
            if (fault.empty()) tally.pass();
            else tally.fail(fmt::format("random program {} on {}", seed_, d.name), fault + explain(d, reference));
        }
    }

private:
    /// The shortest program of the seed that fails, and what its failure depends on.
    std::string explain(const TestDevice& device, const TestDevice& reference) const {
        for (size_t steps = 1; steps <= kSteps; ++steps) {
            const ProgramCall call = random_program(generator(seed_, steps));
            NamedArrays expected;
            try {
                expected = run_call(reference, call);
            } catch (const std::exception&) {
                continue;
            }
            const std::string fault = fault_of(device, call, expected);
            if (fault.empty()) continue;
            const std::string passes = guilty_passes(device, call, expected);
            return fmt::format("the shortest failing program of the seed has {} steps:\n{}{}\n{}", steps, fault,
                               passes.empty() ? "no optional pass is to blame" : "right without the pass " + passes,
                               reproducer(fmt::format("random program {}", seed_), call, expected));
        }
        return "no shorter program of the seed fails\n";
    }

    uint64_t seed_;
    const std::vector<TestDevice>& devices_;
    TestDevice interpreter_{"interpreter", nullptr, {}};
};

}  // namespace

void run_random_suite(const std::vector<TestDevice>& devices, uint64_t first, uint64_t count, Tally& tally) {
    std::vector<TestDevice> present;
    for (const TestDevice& d : devices) {
        if (!d.missing.empty()) tally.skip(d.name, d.missing, count);
        else if (d.device != nullptr) present.push_back(d);
    }
    for (uint64_t begin = first; begin < first + count; begin += kBatch) {
        const uint64_t size = std::min(kBatch, first + count - begin);
        prepare(present, begin, size);
        for (uint64_t seed = begin; seed < begin + size; ++seed) SeedRun(seed, present).run(tally);
    }
}

}  // namespace fuseline::testing
