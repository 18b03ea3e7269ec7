// Functions over arrays on all devices.
#include "tests/runner/array_cases.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compiler/ir/walk.h"
#include "compiler/ops/op_table.h"
#include "compiler/support/hash.h"
#include "runtime/session/array_storage.h"
#include "runtime/session/module_impl.h"
#include "tests/runner/literals.h"

namespace fuseline::testing {
namespace {

/// Cases whose kernels the host shim compiles together.
constexpr size_t kBatch = 120;

/// Results of a call, or the error that it gave.
struct Outcome {
    NamedArrays results;
    std::string error;
};

Outcome outcome(const Module& module, const NamedArrays& given) {
    std::map<std::string, Argument> arguments;
    for (const auto& [name, array] : given) arguments.emplace(name, to_array(array));
    Outcome found;
    try {
        for (const auto& [name, array] : module.call("f", arguments))
            found.results.emplace_back(name, to_host_array(array));
    } catch (const Error& e) {
        if (e.kind() != Error::Kind::user) throw;
        found.error = e.what();
    }
    return found;
}

std::string fault_of(const Outcome& expected, const Outcome& found) {
    if (expected.error != found.error) {
        const auto told = [](const Outcome& o) { return o.error.empty() ? "a result\n" : o.error + "\n"; };
        return fmt::format("expected {}found {}", told(expected), told(found));
    }
    return difference_of(expected.results, found.results);
}

bool exact(const ir::Function& graph) {
    for (const ir::NodeId id : ir::nodes_in_order(graph, graph.body())) {
        const ir::Opcode op = graph.node(id).op;
        if (op.elementwise() && !row(op.op()).has(kExact) && is_float(graph.type(graph.result(id)).dtype))
            return false;
    }
    return true;
}

std::string family(const TestDevice& d) {
    return d.name.starts_with("cpu") ? "cpu" : d.name.substr(0, d.name.find("-unfused"));
}

/// One case on all devices.
class CaseRun {
public:
    CaseRun(const ArrayCase& test, const std::vector<TestDevice>& devices) : test_(test), devices_(devices) {}

    void run(Tally& tally) {
        const Module reference = load({"interpreter", nullptr, {}});
        const bool same = exact(reference.impl()->entry("f").graph);
        std::vector<Outcome> exact_results;
        for (const NamedArrays& call : test_.calls) exact_results.push_back(outcome(reference, call));
        std::map<std::string, std::vector<Outcome>> expected;
        for (const TestDevice& d : devices_) {
            try {
                const Module module = load(d);
                std::vector<Outcome> found;
                for (const NamedArrays& call : test_.calls) found.push_back(outcome(module, call));
                auto& wanted = expected.try_emplace(family(d), same ? exact_results : found).first->second;
                report(d, wanted, found, tally);
            } catch (const std::exception& e) {
                fail(d, std::string(e.what()) + "\n", test_.calls[0], {}, tally);
            }
        }
    }

private:
    Module load(const TestDevice& d) const { return session_on(d).load_text(test_.program, "test.dsl"); }

    void report(const TestDevice& d, const std::vector<Outcome>& expected, const std::vector<Outcome>& found,
                Tally& tally) {
        for (size_t k = 0; k < found.size(); ++k) {
            const std::string fault = fault_of(expected[k], found[k]);
            if (!fault.empty()) return fail(d, fault, test_.calls[k], expected[k].results, tally);
        }
        tally.pass();
    }

    /// Devices that fail in the same way need one explanation.
    void fail(const TestDevice& d, const std::string& fault, const NamedArrays& call,
              const NamedArrays& expected, Tally& tally) {
        const bool told = !explained_.insert(fault).second;
        tally.fail(fmt::format("{} on {}", test_.title, d.name),
                   told ? fault : fault + reproducer(test_.title, {test_.program, "f", call}, expected));
    }

    const ArrayCase& test_;
    const std::vector<TestDevice>& devices_;
    std::set<std::string> explained_;
};

void prepare(const std::vector<ArrayCase>& cases, size_t begin, size_t end,
             const std::vector<TestDevice>& devices) {
    for (const TestDevice& d : devices) {
        if (!d.name.starts_with("cuda-on-host")) continue;
        std::vector<Module> modules;
        std::vector<const ir::Function*> graphs;
        for (size_t k = begin; k < end; ++k) {
            try {
                modules.push_back(session_on(d).load_text(cases[k].program, "test.dsl"));
            } catch (const Error&) {
                continue;  // Reported where the program is run.
            }
            graphs.push_back(&modules.back().impl()->entry("f").graph);
        }
        prepare_kernels(d, graphs);
    }
}

}  // namespace

bool Sample::takes(const std::string& title) const {
    return one_in <= 1 || hash128(fmt::format("{} {}", seed, title)).low % one_in == 0;
}

const std::vector<Layout>& layouts() {
    static const std::vector<Layout> all = {
        {"contiguous", {{"[k, l, p]", "x"}, {"[k, l]", "x"}, {"[k]", "x"}}},
        {"transposed", {{"[p, k, l]", "transpose(x, (1, 2, 0))"}, {"[l, k]", "x.T"}, {nullptr, nullptr}}},
        {"reversed", {{"[k, l, p]", "x[::-1, :, ::-1]"}, {"[k, l]", "x[::-1, ::-1]"}, {"[k]", "x[::-1]"}}},
        {"strided", {{"[k, 2*l, p]", "x[:, ::2]"}, {"[2*k, 3*l]", "x[1::2, ::3]"}, {"[2*k]", "x[::2]"}}},
        {"inner slice", {{"[k, l, p]", "x[1:, :-1, 1:-1]"}, {"[k, l]", "x[:-1, 2:]"}, {"[k]", "x[1:-1]"}}},
        {"broadcast",
         {{"[k, p]", "broadcast_to(x[:, newaxis, :], (k, 3, p))"},
          {"[l]", "broadcast_to(x, (3, l))"},
          {nullptr, nullptr}}},
    };
    return all;
}

std::vector<int64_t> extents_of(std::string_view shape, const std::vector<int64_t>& sizes) {
    std::vector<int64_t> all;
    int64_t factor = 1;
    for (const char c : shape) {
        if (c >= '0' && c <= '9') factor = c - '0';
        const size_t name = std::string_view("klp").find(c);
        if (name == std::string_view::npos) continue;
        all.push_back(factor * sizes[name]);
        factor = 1;
    }
    return all;
}

void run_array_cases(const std::vector<ArrayCase>& cases, const std::vector<TestDevice>& devices,
                     Tally& tally) {
    for (size_t begin = 0; begin < cases.size(); begin += kBatch) {
        const size_t end = std::min(begin + kBatch, cases.size());
        prepare(cases, begin, end, devices);
        for (size_t k = begin; k < end; ++k) {
            try {
                CaseRun(cases[k], devices).run(tally);
            } catch (const std::exception& e) {
                tally.fail(cases[k].title, fmt::format("{}\n{}", e.what(), cases[k].program));
            }
        }
    }
}

}  // namespace fuseline::testing
