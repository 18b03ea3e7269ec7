// The script runner: one visitor method for each kind of step.
#include "runtime/script/script.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "compiler/ir/walk.h"
#include "runtime/io/colormap.h"
#include "runtime/io/fault.h"
#include "runtime/io/formats.h"
#include "runtime/io/print_array.h"
#include "runtime/script/script_params.h"
#include "runtime/script/script_uses.h"
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
          uses_(script_),
          values_(script_.variables.size()) {}

    void run() {
        test_files();
        set_params();
        for (const ScriptStep& step : script_.steps) {
            step_ = &step;
            placed(step.span, [&] { std::visit(*this, step.action); });
            for (const uint32_t variable : uses_.ended_by(position())) values_[variable].reset();
        }
    }

    void operator()(const ComputeStep& step) {
        test_sizes(step);
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
        LoadRequest request{variable.type.dtype, {}, step.key, step.columns};
        for (const ExtentId e : variable.type.shape)
            request.extents.push_back(script_.extents.evaluate(e, sizes_));
        LoadedArray array = load_array(path, request);
        for (std::string& note : array.notes) tell(std::move(note));
        if (array.dtype != variable.type.dtype || array.shape.size() != variable.type.rank()) {
            fail(
                step_->span,
                fmt::format("{} holds {}, but `{}` is declared {}", path, type_text(array.dtype, array.shape),
                            variable.name, type_text(script_.extents, variable.type)),
                mismatch_help(variable, array));
        }
        bind(variable, path, array.shape);
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
        save_array(resolved(step.path), to_host_array(array_of(step.value)));
    }

    void operator()(const ShowStep& step) {
        const std::string path = resolved(step.path);
        save_array(path, picture(to_host_array(array_of(step.value)), step.colormap, path));
    }

    void operator()(const AssertStep& step) {
        if (load_scalar(DType::bool_, array_of(step.value).data()).as_bool()) return;
        fail(step_->span, step.message.empty() ? "the assertion does not hold" : step.message);
    }

    void operator()(const CheckStep& step) {
        const ir::Check& check = step.check;
        const int64_t left = size(check.left), right = size(check.right);
        if (check.relation == ir::Check::Relation::equal ? left == right : left >= right) return;
        const auto side = [&](ExtentId e, const char* is, int64_t value) {
            const std::string text = script_.extents.text(e);
            return script_.extents.constant_value(e) ? text : fmt::format("{}{}{}", text, is, value);
        };
        const bool equal = check.relation == ir::Check::Relation::equal;
        fail(step_->span, fmt::format("{}: {}, {} {}", check.message, side(check.left, " is ", left),
                                      equal ? "not" : "less than", side(check.right, ", which is ", right)));
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

    /// A param that a graph uses as a size is not negative.
    void test_sizes(const ComputeStep& step) const {
        for (const Param& param : module_.program.params) {
            const auto value = sizes_.find(param.name);
            if (value == sizes_.end() || value->second >= 0) continue;
            bool used = false;
            ir::for_each_extent(step.graph, [&](ExtentId e) {
                const auto names = step.graph.extents.symbols(e);
                used |= std::ranges::find(names, param.name) != names.end();
            });
            if (used)
                fail(step_->span, fmt::format("the param `{}` is a size and must be at least 0: found {}",
                                              param.name, value->second));
        }
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
                 fmt::format("{} holds {}, but `{}` is declared {}: axis {} has extent {} and {} is {}", path,
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

    /// Names that are wrong are told before anything is computed.
    void test_files() {
        for (const ScriptStep& step : script_.steps) {
            placed(step.span, [&] {
                if (const auto* load = std::get_if<LoadStep>(&step.action)) {
                    test_request(resolved(load->path), {DType::f32_, {}, load->key, load->columns});
                } else if (const auto* save = std::get_if<SaveStep>(&step.action)) {
                    test_saved(resolved(save->path), save->value);
                } else if (const auto* show = std::get_if<ShowStep>(&step.action)) {
                    colormap(show->colormap);
                    test_colours(resolved(show->path));
                }
            });
        }
    }

    void test_saved(const std::string& path, const ScriptValue& value) const {
        const auto* variable = std::get_if<ScriptValue::Variable>(&value.value);
        if (variable == nullptr) {
            format_of(path);
            return;
        }
        const ir::Type& type = script_.variables[variable->index].type;
        KnownType known{type.dtype, {}, type_text(script_.extents, type)};
        for (const ExtentId e : type.shape) known.extents.push_back(script_.extents.evaluate(e, {}));
        test_save(path, known);
    }

    static void test_colours(const std::string& path) {
        if (!format_of(path).colours)
            file_fault(path, "`show` writes pictures in colours", {"use .png or .ppm"});
    }

    static std::vector<std::string> mismatch_help(const ScriptVariable& variable, const LoadedArray& found) {
        if (found.shape.size() != variable.type.rank()) return {};
        return {fmt::format("declare `{}` with elements of {}; {}({}) converts them", variable.name,
                            name(found.dtype), name(variable.type.dtype), variable.name)};
    }

    void tell(std::string text) const {
        Diagnostic note;
        note.severity = Severity::note;
        note.span = step_->span;
        note.message = std::move(text);
        if (settings_.note) settings_.note(render({note}, module_.sources));
    }

    size_t position() const { return static_cast<size_t>(step_ - script_.steps.data()); }

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

    PlanValue plan_value(const ir::Type& type, const ScriptValue& value) {
        // What several steps read goes to the device once.
        const auto* variable = std::get_if<ScriptValue::Variable>(&value.value);
        if (variable != nullptr && !type.scalar() && uses_.computed_after(variable->index, position())) {
            std::optional<Array>& array = values_[variable->index];
            array = on_device(*array, module_.session->device);
        }
        return argument_value("", type.dtype, type.scalar(), array_of(value), module_.session->device.get());
    }

    std::string text_of(const ScriptValue& value) const {
        if (const auto* text = std::get_if<std::string>(&value.value)) return *text;
        return array_text(to_host_array(array_of(value)));
    }

    Module::Impl& module_;
    const Script& script_;
    const ScriptSettings& settings_;
    const ScriptUses uses_;
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
