// The script runner: one visitor method for each kind of step.
#include "runtime/script/script.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "runtime/io/npy.h"
#include "runtime/io/print_array.h"
#include "runtime/script/script_params.h"
#include "runtime/session/bind_sizes.h"
#include "runtime/session/errors.h"
#include "runtime/session/module_impl.h"

namespace fuseline {
namespace {

[[noreturn]] void fail(Span span, std::string message, std::vector<std::string> help = {}) {
    Diagnostic d;
    d.span = span;
    d.message = std::move(message);
    d.help = std::move(help);
    throw UserError({d});
}

/// Adds the step's place to a fault that has none of its own.
template <class Body>
void placed(Span span, Body&& body) {
    try {
        body();
    } catch (const UserError& e) {
        std::vector<Diagnostic> diagnostics = e.diagnostics();
        for (Diagnostic& d : diagnostics) {
            if (!d.span.known()) d.span = span;
        }
        throw UserError(std::move(diagnostics));
    }
}

class ScriptRun {
public:
    ScriptRun(Module::Impl& module, const ScriptSettings& settings)
        : module_(module),
          script_(module.program.script),
          settings_(settings),
          values_(script_.variables.size()) {}

    void run() {
        set_params();
        for (const ScriptStep& step : script_.steps) {
            step_ = &step;
            placed(step.span, [&] { std::visit(*this, step.action); });
        }
    }

    void operator()(const ComputeStep& step) {
        std::vector<PlanValue> arguments;
        const ir::Region& body = step.graph.region(step.graph.body());
        for (size_t i = 0; i < step.arguments.size(); ++i) {
            arguments.push_back(plan_value(step.graph.type(body.parameters[i]), step.arguments[i]));
        }
        Callable callable(module_.session, step.graph, module_.sources);
        const auto results = callable.call(std::move(arguments), {}, nullptr);
        for (size_t i = 0; i < results.size(); ++i) values_[step.results[i]] = results[i];
    }

    void operator()(const LoadStep& step) {
        const ScriptVariable& variable = script_.variables[step.variable];
        const std::string path = resolved(step.path);
        test_format(path);
        HostArray array = read_npy(path, variable.type.dtype);
        if (array.dtype != variable.type.dtype || array.shape.size() != variable.type.rank()) {
            fail(step_->span, fmt::format("{} holds {}, but '{}' is declared {}", step.path,
                                          type_text(array.dtype, array.shape), variable.name,
                                          type_text(script_.extents, variable.type)));
        }
        bind(variable, step.path, array.shape);
        values_[step.variable] = to_array(std::move(array));
    }

    void operator()(const PrintStep& step) {
        std::string line;
        for (const ScriptValue& value : step.values) {
            if (!line.empty()) line += ' ';
            line += text_of(value);
        }
        if (settings_.print) settings_.print(line);
    }

    void operator()(const SaveStep& step) {
        const std::string path = resolved(step.path);
        test_format(path);
        write_npy(path, to_host_array(array_of(step.value)));
    }

    void operator()(const ShowStep& step) {
        fail(step_->span, fmt::format("show(\"{}\", ..) is not supported yet", step.path));
    }

    void operator()(const AssertStep& step) {
        if (load_scalar(DType::bool_, array_of(step.value).data()).as_bool()) return;
        fail(step_->span, step.message.empty() ? "the assertion does not hold" : step.message);
    }

    void operator()(const CheckStep& step) {
        const ir::Check& check = step.check;
        const int64_t left = size(check.left), right = size(check.right);
        if (check.relation == ir::Check::Relation::equal ? left == right : left >= right) return;
        fail(step_->span,
             fmt::format("{}: {} is {} and {} is {}", check.message, script_.extents.text(check.left), left,
                         script_.extents.text(check.right), right));
    }

private:
    void set_params() {
        for (const Param& param : module_.program.params) {
            const Scalar value = param_value(param, settings_.params);
            HostArray array{
                param.dtype, {}, std::vector<std::byte>(static_cast<size_t>(byte_size(param.dtype)))};
            store_scalar(param.dtype, value, array.bytes.data());
            values_[param.variable] = to_array(std::move(array));
            if (is_integer(param.dtype)) sizes_[param.name] = value.as_i64();
        }
        test_param_names(module_.program.params, settings_.params);
    }

    int64_t size(ExtentId extent) const {
        std::string why;
        const auto value = script_.extents.evaluate(extent, sizes_, &why);
        if (!value)
            fail(step_->span, fmt::format("the size {} has no value: {}", script_.extents.text(extent), why));
        return *value;
    }

    /// A loaded array's extents bind the names that are new and must agree with the others.
    void bind(const ScriptVariable& variable, const std::string& path, const std::vector<int64_t>& shape) {
        ExtentPool extents = script_.extents;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            const ExtentId extent = variable.type.shape[axis];
            for (const std::string& symbol : extents.symbols(extent)) {
                if (sizes_.count(symbol) != 0) continue;
                const auto solved = extents.solve(extent, symbol, shape[axis], sizes_);
                if (solved) sizes_[symbol] = *solved;
            }
            const auto expected = extents.evaluate(extent, sizes_);
            if (expected && *expected == shape[axis]) continue;
            fail(step_->span,
                 fmt::format("{} holds {}, but '{}' is declared {}: axis {} has extent {} and {} is {}", path,
                             type_text(variable.type.dtype, shape), variable.name,
                             type_text(extents, variable.type), axis, shape[axis], extents.text(extent),
                             expected ? std::to_string(*expected) : "unknown"));
        }
    }

    std::string resolved(const std::string& path) const {
        const std::filesystem::path p(path);
        if (p.is_absolute()) return path;
        return (std::filesystem::path(module_.path).parent_path() / p).string();
    }

    void test_format(const std::string& path) const {
        const std::string ending = std::filesystem::path(path).extension().string();
        if (ending != ".npy") {
            fail(step_->span, fmt::format("files ending in '{}' are not supported yet", ending),
                 {"use .npy"});
        }
    }

    Array array_of(const ScriptValue& value) const {
        if (const auto* variable = std::get_if<ScriptValue::Variable>(&value.value))
            return *values_[variable->index];
        HostArray array{DType::i64_, {}, std::vector<std::byte>(8)};
        if (const auto* literal = std::get_if<ScriptValue::Literal>(&value.value)) {
            array.dtype = literal->dtype;
            array.bytes.resize(static_cast<size_t>(byte_size(literal->dtype)));
            store_scalar(literal->dtype, literal->value, array.bytes.data());
        } else if (const auto* extent = std::get_if<ScriptValue::Size>(&value.value)) {
            store_scalar(DType::i64_, Scalar::of_i64(size(extent->extent)), array.bytes.data());
        } else {
            fail(value.span, "a text is not a value");
        }
        return to_array(std::move(array));
    }

    PlanValue plan_value(const ir::Type& type, const ScriptValue& value) const {
        return argument_value("", type.dtype, type.scalar(), array_of(value), module_.session->device.get());
    }

    std::string text_of(const ScriptValue& value) const {
        if (const auto* text = std::get_if<std::string>(&value.value)) return *text;
        return array_text(to_host_array(array_of(value)));
    }

    Module::Impl& module_;
    const Script& script_;
    const ScriptSettings& settings_;
    std::vector<std::optional<Array>> values_;
    std::map<std::string, int64_t> sizes_;
    const ScriptStep* step_ = nullptr;
};

}  // namespace

void run_script(const Module& module, const ScriptSettings& settings) {
    Module::Impl& impl = *module.impl();
    translated(&impl.sources, [&] { ScriptRun(impl, settings).run(); });
}

bool has_script(const Module& module) { return !module.impl()->program.script.empty(); }

}  // namespace fuseline
