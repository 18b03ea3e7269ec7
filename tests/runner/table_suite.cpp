// Differential tests from the tables.
#include "tests/runner/table_suite.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "compiler/ops/op_table.h"
#include "runtime/session/array_storage.h"
#include "runtime/session/module_impl.h"
#include "tests/runner/literals.h"
#include "tests/runner/op_comparison.h"
#include "tests/runner/reproducer.h"
#include "tests/runner/samples.h"

namespace fuseline::testing {
namespace {

/// A prime, so that neither vectors nor blocks divide it; room for all pairs of special values.
constexpr int64_t kLong = 997;
constexpr int64_t kShort[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17};

/// One function of the generated program: the shape of each operand.
struct Entry {
    const char* name;
    const char* shapes[3];
    std::vector<std::vector<int64_t>> sizes;  ///< of n, m, p for each run
    size_t least_arity;
};

const std::vector<Entry>& entries() {
    static const std::vector<Entry> all = [] {
        std::vector<Entry> list = {
            {"scalar", {"", "", ""}, {{1, 1, 1}}, 1},
            {"vector", {"[n]", "[n]", "[n]"}, {{kLong, 1, 1}}, 1},
            {"cube", {"[n, m, p]", "[n, m, p]", "[n, m, p]"}, {{3, 5, 7}, {2, 0, 3}}, 1},
            {"row", {"[n, m]", "[m]", "[n, m]"}, {{5, 17, 1}, {1, 1, 1}, {3, 0, 1}}, 2},
            {"column", {"[n, m]", "[n, 1]", "[n, 1]"}, {{5, 17, 1}, {1, 1, 1}, {0, 3, 1}}, 2},
            {"first_row", {"[m]", "[n, m]", "[n, 1]"}, {{7, 9, 1}}, 2},
            {"last_scalar", {"[n]", "", "[n]"}, {{17, 1, 1}}, 2},
        };
        for (int64_t n : kShort) list[1].sizes.push_back({n, 1, 1});
        return list;
    }();
    return all;
}

/// Shapes concern types and operators apart: every type and every operator meets all of them, but not every
/// pair, most of which are tried on one long array and a scalar.
std::vector<Entry> entries_of(const Operation& o) {
    const size_t pair = static_cast<size_t>(o.op->id) + static_cast<size_t>(o.operands.back()) +
                        static_cast<size_t>(o.typing.result);
    std::vector<Entry> chosen;
    for (const Entry& e : entries()) {
        if (e.least_arity > o.operands.size()) continue;
        if (pair % 4 == 0) {
            chosen.push_back(e);
        } else if (e.least_arity == 1 && e.sizes[0][1] == 1) {
            chosen.push_back(e);
            chosen.back().sizes.resize(1);
        }
    }
    return chosen;
}

std::vector<Operation> operations() {
    std::vector<Operation> all;
    for (size_t k = 0; k < op_count(); ++k) {
        const OpRow& op = row(static_cast<OpId>(k));
        if (!op.has(kBuilt) || op.rule == TypeRule::cast || op.rule == TypeRule::contraction) continue;
        for (const DTypeRow& type : kDTypeTable) {
            if (!type.built) continue;
            std::vector<DType> operands(static_cast<size_t>(op.arity), type.dtype);
            if (op.rule == TypeRule::select) operands[0] = DType::bool_;
            const auto typing = op_typing(op.id, operands.data(), operands.size(), nullptr, nullptr);
            if (typing) all.push_back({&op, operands, *typing, fmt::format("{} {}", op.name, type.name)});
        }
    }
    for (OpId op : {OpId::cast_, OpId::bitcast_}) {
        for (const DTypeRow& from : kDTypeTable) {
            for (const DTypeRow& to : kDTypeTable) {
                const bool bits = from.bits == to.bits && !is_bool(from.dtype) && !is_bool(to.dtype);
                if (!from.built || !to.built || (op == OpId::bitcast_ && !bits)) continue;
                all.push_back({&row(op),
                               {from.dtype},
                               {from.dtype, to.dtype},
                               fmt::format("{} {} {}", name(op), from.name, to.name)});
            }
        }
    }
    return all;
}

std::string expression(const Operation& o) {
    if (o.op->id == OpId::bitcast_) return fmt::format("bitcast(x0, {})", name(o.typing.result));
    if (o.op->id == OpId::cast_) return fmt::format("{}(x0)", name(o.typing.result));
    if (o.op->fixity == Fixity::infix) return fmt::format("x0 {} x1", o.op->spelling);
    if (o.op->fixity == Fixity::prefix) return fmt::format("{} x0", o.op->spelling);
    constexpr const char* kOperands[] = {"x0", "x0, x1", "x0, x1, x2"};
    return fmt::format("{}({})", o.op->name, kOperands[o.op->arity - 1]);
}

std::string program(const Operation& o) {
    std::string text;
    for (const Entry& e : entries_of(o)) {
        std::vector<std::string> parameters;
        for (size_t k = 0; k < o.operands.size(); ++k) {
            parameters.push_back(fmt::format("x{}: {}{}", k, name(o.operands[k]), e.shapes[k]));
        }
        text += fmt::format("fn {}({}) = {}\n", e.name, fmt::join(parameters, ", "), expression(o));
    }
    return text;
}

/// Extents of a shape like "[n, 1]" for given n, m, p.
std::vector<int64_t> extents(std::string_view shape, const std::vector<int64_t>& sizes) {
    std::vector<int64_t> all;
    for (char c : shape) {
        if (c == 'n') all.push_back(sizes[0]);
        if (c == 'm') all.push_back(sizes[1]);
        if (c == 'p') all.push_back(sizes[2]);
        if (c == '1') all.push_back(1);
    }
    return all;
}

/// Operand columns: every combination of special values of the first two operands, then samples of the
/// domain.
std::vector<std::vector<Scalar>> columns(const Operation& o, size_t count, std::mt19937_64& random) {
    std::vector<std::vector<Scalar>> all(o.operands.size());
    const std::vector<Scalar> first = special_values(o.operands[0]);
    const std::vector<Scalar> second = special_values(o.operands[o.operands.size() > 1 ? 1 : 0]);
    const size_t pairs = o.operands.size() > 1 ? first.size() * second.size() : first.size();
    for (size_t k = 0; k < count; ++k) {
        for (size_t operand = 0; operand < all.size(); ++operand) {
            const std::vector<Scalar> special = special_values(o.operands[operand]);
            const Scalar chosen = operand == 0   ? first[k % first.size()]
                                  : operand == 1 ? second[k / first.size() % second.size()]
                                                 : special[random() % special.size()];
            all[operand].push_back(
                k < pairs ? chosen : domain_sample(o.operands[operand], o.op->domain[operand], random));
        }
    }
    return all;
}

NamedArrays arguments(const Operation& o, const Entry& entry, const std::vector<int64_t>& sizes,
                      std::mt19937_64& random) {
    // Short arrays take samples; only the long one has room for all special values.
    const bool whole = sizes[0] == kLong;
    NamedArrays all;
    const auto values = columns(o, kLong, random);
    for (size_t k = 0; k < o.operands.size(); ++k) {
        const std::vector<int64_t> shape = extents(entry.shapes[k], sizes);
        HostArray array = whole ? array_of(o.operands[k], shape, values[k])
                                : random_array(o.operands[k], shape, o.op->domain[k], 4, random);
        all.emplace_back(fmt::format("x{}", k), std::move(array));
    }
    return all;
}

std::string operands_text(const NamedArrays& arguments, const HostArray& result) {
    for (const auto& [name, array] : arguments) {
        if (array.element_count() > kShort[std::size(kShort) - 1])
            return fmt::format("  ({} elements)\n", result.element_count());
    }
    std::string text;
    for (const auto& [name, array] : arguments)
        text += fmt::format("  in {}: {}\n", name, array_literal(array));
    return text;
}

/// All calls of one operation on all devices.
class OperationRun {
public:
    OperationRun(const Operation& o, const std::vector<TestDevice>& devices)
        : o_(o), devices_(devices), text_(program(o)) {}

    void run(Tally& tally) {
        std::mt19937_64 random(0);
        const Module reference = session_on({"interpreter", nullptr, {}}).load_text(text_, o_.title);
        std::vector<Module> modules;
        for (const TestDevice& d : devices_) modules.push_back(session_on(d).load_text(text_, o_.title));
        faults_.assign(devices_.size(), {});
        for (const Entry& e : entries_of(o_)) {
            for (const std::vector<int64_t>& sizes : e.sizes)
                call(e, arguments(o_, e, sizes, random), reference, modules);
        }
        for (size_t d = 0; d < devices_.size(); ++d) {
            if (faults_[d].empty())
                tally.pass();
            else
                tally.fail(fmt::format("{} on {}", o_.title, devices_[d].name), faults_[d] + text_);
        }
    }

private:
    static HostArray result(const Module& module, const char* function, const NamedArrays& given) {
        std::map<std::string, Argument> arguments;
        for (const auto& [name, array] : given) arguments.emplace(name, to_array(array));
        return to_host_array(module.call(function, arguments)[0]);
    }

    void call(const Entry& e, const NamedArrays& given, const Module& reference,
              const std::vector<Module>& modules) {
        const HostArray expected = result(reference, e.name, given);
        std::optional<HostArray> cpu;
        for (size_t d = 0; d < devices_.size(); ++d) {
            if (faults_[d].size() > kEnough) continue;
            try {
                const HostArray found = result(modules[d], e.name, given);
                std::string fault = compare_operation(o_, given, expected, found, devices_[d]);
                if (fault.empty() && devices_[d].name.starts_with("cpu")) {
                    if (!cpu) cpu = found;
                    fault = difference(*cpu, found);
                    if (!fault.empty())
                        fault = "other bits than another width or number of threads:\n" + fault;
                }
                if (!fault.empty())
                    faults_[d] += fmt::format("{}:\n{}{}", e.name, fault, operands_text(given, expected));
            } catch (const std::exception& error) {
                faults_[d] += fmt::format("{}: {}\n", e.name, error.what());
            }
        }
    }

    /// Characters of messages after which a device is left alone.
    static constexpr size_t kEnough = 4000;

    const Operation& o_;
    const std::vector<TestDevice>& devices_;
    std::string text_;
    std::vector<std::string> faults_;
};

void prepare(const std::vector<Operation>& chosen, const TestDevice& device) {
    if (device.device == nullptr || device.name != "cuda-on-host") return;
    std::vector<Module> modules;
    std::vector<const ir::Function*> graphs;
    for (const Operation& o : chosen) {
        modules.push_back(session_on(device).load_text(program(o), o.title));
        for (const auto& entry : modules.back().impl()->program.entries) graphs.push_back(&entry.graph);
    }
    prepare_kernels(device, graphs);
}

}  // namespace

void run_table_suite(const std::vector<TestDevice>& devices, const Sample& sample, const std::string& filter,
                     Tally& tally) {
    std::vector<Operation> chosen;
    for (Operation& o : operations()) {
        if (o.title.find(filter) != std::string::npos && sample.takes(o.title))
            chosen.push_back(std::move(o));
    }
    std::vector<ArrayCase> arrays = reduction_cases(sample, filter);
    for (ArrayCase& test : view_cases(sample, filter)) arrays.push_back(std::move(test));
    std::vector<TestDevice> present, fused;
    for (const TestDevice& d : devices) {
        if (!d.missing.empty())
            tally.skip(d.name, d.missing, arrays.size() + (d.unfused ? 0 : chosen.size()));
        else if (d.device != nullptr)
            present.push_back(d);
    }
    // One operator has nothing to fuse.
    std::copy_if(present.begin(), present.end(), std::back_inserter(fused),
                 [](const TestDevice& d) { return !d.unfused; });
    for (const TestDevice& d : fused) prepare(chosen, d);
    for (const Operation& o : chosen) {
        try {
            OperationRun(o, fused).run(tally);
        } catch (const std::exception& e) {
            tally.fail(o.title, e.what());
        }
    }
    run_array_cases(arrays, present, tally);
}

}  // namespace fuseline::testing
