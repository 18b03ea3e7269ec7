// Differential tests of random programs.
#include "tests/runner/random_suite.h"

#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "runtime/session/module_impl.h"
#include "tests/runner/program_generator.h"
#include "tests/runner/reproducer.h"

namespace fuseline::testing {
namespace {

/// Programs whose kernels the host shim compiles together.
constexpr uint64_t kBatch = 60;

GeneratorSettings generator(uint64_t seed) { return {.seed = seed, .exact = seed % 4 != 0}; }

/// Devices whose results must be the same bits as each other: "cpu", "cuda", "cuda-on-host", "interpreter".
std::string family(const TestDevice& d) {
    return d.name.starts_with("cpu") ? "cpu" : d.name.substr(0, d.name.find("-unfused"));
}

void prepare(const std::vector<TestDevice>& devices, uint64_t first, uint64_t count) {
    for (const TestDevice& d : devices) {
        if (!d.name.starts_with("cuda-on-host")) continue;
        std::vector<Module> modules;
        std::vector<const ir::Function*> graphs;
        for (uint64_t seed = first; seed < first + count; ++seed) {
            try {
                modules.push_back(
                    session_on(d).load_text(random_program(generator(seed)).program, "test.dsl"));
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
        const ProgramCall call = random_program(generator(seed_));
        std::map<std::string, const TestDevice*> references;
        std::map<std::string, NamedArrays> expected;
        for (const TestDevice& d : devices_) {
            const std::string group = generator(seed_).exact ? "interpreter" : family(d);
            const TestDevice& reference =
                *references.try_emplace(group, group == "interpreter" ? &interpreter_ : &d).first->second;
            try {
                if (expected.count(group) == 0) expected[group] = run_call(reference, call);
            } catch (const std::exception& e) {
                tally.fail(fmt::format("random program {} on {}", seed_, reference.name),
                           e.what() + ("\n" + call.program));
                return;
            }
            const std::string fault = fault_of(d, call, expected[group]);
            if (fault.empty()) {
                tally.pass();
                continue;
            }
            // Devices that fail in the same way need one explanation.
            const bool told = !explained_.insert(fault).second;
            tally.fail(fmt::format("random program {} on {}", seed_, d.name),
                       fault + (told ? "" : explain(d, reference)));
        }
    }

private:
    struct Failure {
        ProgramCall call;
        NamedArrays expected;
        std::string fault;
    };

    /// How a smaller program of the seed fails; nullopt where it does not.
    std::optional<Failure> failure(const GeneratorSettings& settings, const TestDevice& device,
                                   const TestDevice& reference) const {
        Failure f{random_program(settings), {}, {}};
        try {
            f.expected = run_call(reference, f.call);
        } catch (const std::exception&) {
            return std::nullopt;
        }
        f.fault = fault_of(device, f.call, f.expected);
        return f.fault.empty() ? std::nullopt : std::optional(std::move(f));
    }

    /// The smallest program of the seed that fails, limit by limit, and what its failure depends on.
    std::string explain(const TestDevice& device, const TestDevice& reference) const {
        GeneratorSettings settings = generator(seed_);
        std::optional<Failure> least;
        const auto shrink = [&](auto GeneratorSettings::* limit) {
            for (auto smaller = settings.*limit * 0 + 1; smaller < settings.*limit; ++smaller) {
                GeneratorSettings trial = settings;
                trial.*limit = smaller;
                auto found = failure(trial, device, reference);
                if (!found) continue;
                least = std::move(found);
                settings = trial;
                return;
            }
        };
        shrink(&GeneratorSettings::steps);
        shrink(&GeneratorSettings::body);
        shrink(&GeneratorSettings::largest_size);
        if (!least) return "no smaller program of the seed fails\n";
        const std::string passes = guilty_passes(device, least->call, least->expected);
        return fmt::format(
            "the smallest program of the seed that fails: {}\n{}{}",
            passes.empty() ? "no optional pass is to blame" : "right without the pass " + passes,
            least->fault, reproducer(fmt::format("random program {}", seed_), least->call, least->expected));
    }

    uint64_t seed_;
    const std::vector<TestDevice>& devices_;
    TestDevice interpreter_{"interpreter", nullptr, {}};
    std::set<std::string> explained_;
};

}  // namespace

void run_random_suite(const std::vector<TestDevice>& devices, uint64_t first, uint64_t count, Tally& tally) {
    std::vector<TestDevice> present;
    for (const TestDevice& d : devices) {
        if (!d.missing.empty())
            tally.skip(d.name, d.missing, count);
        else if (d.device != nullptr)
            present.push_back(d);
    }
    for (uint64_t begin = first; begin < first + count; begin += kBatch) {
        const uint64_t size = std::min(kBatch, first + count - begin);
        prepare(present, begin, size);
        for (uint64_t seed = begin; seed < begin + size; ++seed) SeedRun(seed, present).run(tally);
    }
}

}  // namespace fuseline::testing
