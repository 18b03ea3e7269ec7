// Callable: compile on demand, bind, run, hand out.
#include "runtime/session/callable.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compiler/interpreter/interpreter.h"
#include "compiler/pipeline/source_lines.h"
#include "runtime/session/plan_run.h"

namespace fuseline {
namespace {

/// The pass that changes results, and must therefore run before the interpreter too.
constexpr std::string_view kContract = "contract";

/// Only then the library of products is opened.
bool multiplies(const ir::Function& graph) {
    for (uint32_t k = 0; k < graph.node_count(); ++k) {
        if (graph.node(ir::NodeId{k}).op.is(ir::Structure::matmul_)) return true;
    }
    return false;
}

HostArray host_array(const PlanValue& v) {
    HostArray array{v.dtype, v.shape, {}};
    array.bytes.resize(static_cast<size_t>(array.element_count() * byte_size(v.dtype)));
    if (v.scalar) {
        store_scalar(v.dtype, *v.scalar, array.bytes.data());
    } else if (!array.bytes.empty()) {
        std::memcpy(array.bytes.data(), v.host, array.bytes.size());
    }
    return array;
}

}  // namespace

Callable::Callable(std::shared_ptr<SessionImpl> session, ir::Function graph, const SourceMap& sources)
    : session_(std::move(session)), graph_(std::move(graph)), sources_(&sources), binder_(graph_) {}

const Compiled& Callable::compiled() {
    const std::lock_guard lock(mutex_);
    if (!compiled_) {
        PassSettings passes;
        passes.disabled = session_->settings.disabled_passes;
        Target target = session_->target();
        if (multiplies(graph_) && session_->device != nullptr)
            target.matmul_library = target.matmul_library && session_->device->has_matmul();
        compiled_ = compile(graph_, target, passes);
        for (const ir::Function& kernel : compiled_->kernels)
            prepared_.push_back({{}, kernel_lines(kernel, *sources_)});
        program_.emplace(compiled_->plan, compiled_->kernels);
    }
    return *compiled_;
}

bool Callable::has_executable(size_t position, int index_bits) {
    const std::lock_guard lock(mutex_);
    return prepared_[position].executables[index_bits == 64 ? 1 : 0] != nullptr;
}

std::shared_ptr<Executable> Callable::executable(size_t position, int index_bits) {
    std::shared_ptr<Executable>& slot = prepared_[position].executables[index_bits == 64 ? 1 : 0];
    {
        const std::lock_guard lock(mutex_);
        if (slot != nullptr) {
            session_->recorder.memory_hit();
            return slot;
        }
    }
    const KernelKey key = kernel_key(compiled_->kernels[position], index_bits, session_->target(),
                                     session_->device->compiler());
    const KernelCache::Found found = session_->kernels.get(key.hash, key.text, [&] {
        ir::Function kernel = compiled_->kernels[position];
        kernel.index_bits = index_bits;
        return session_->device->build(kernel, key.symbol, sources_);
    });
    if (found.compiled) {
        session_->recorder.compiled(found.executable->compile_ms);
    } else {
        session_->recorder.memory_hit();
    }
    const std::lock_guard lock(mutex_);
    return slot = found.executable;
}

void Callable::test_outputs(const std::vector<std::optional<OutputPlace>>& outputs,
                            const std::map<std::string, int64_t>& sizes) const {
    const std::vector<ir::ValueId>& yields = graph_.region(graph_.body()).yields;
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i]) continue;
        const ir::Type& type = graph_.type(yields[i]);
        std::vector<int64_t> shape;
        for (ExtentId e : type.shape) shape.push_back(graph_.extents.evaluate(e, sizes).value_or(-1));
        if (outputs[i]->dtype == type.dtype && outputs[i]->shape == shape) {
            if (reinterpret_cast<uintptr_t>(outputs[i]->pointer) %
                    static_cast<uintptr_t>(byte_size(type.dtype)) ==
                0)
                continue;
            throw UserError(fmt::format(
                "the memory for result `{}` is at 0x{:x}: align it to {} bytes, the size of an element",
                graph_.result_names[i], reinterpret_cast<uintptr_t>(outputs[i]->pointer),
                byte_size(type.dtype)));
        }
        throw UserError(fmt::format("the memory for result `{}` must be {}: found {}", graph_.result_names[i],
                                    type_text(type.dtype, shape),
                                    type_text(outputs[i]->dtype, outputs[i]->shape)));
    }
}

const ir::Function& Callable::reference() {
    const std::vector<std::string>& disabled = session_->settings.disabled_passes;
    if (!graph_.options.contract || std::find(disabled.begin(), disabled.end(), kContract) != disabled.end())
        return graph_;
    const std::lock_guard lock(mutex_);
    if (!contracted_) {
        // Which products contract depends on the passes before, so the same ones run.
        std::vector<Remark> remarks;
        PassContext context{session_->target(), graph_.options, remarks};
        ir::Function graph = graph_;
        for (const PassRow& row : pass_table()) {
            if (std::find(disabled.begin(), disabled.end(), row.name) != disabled.end()) continue;
            if (auto changed = row.run(graph, context)) graph = std::move(*changed);
            if (row.name == kContract) break;
        }
        contracted_ = std::move(graph);
    }
    return *contracted_;
}

std::vector<std::optional<Array>> Callable::interpret_call(
    const std::vector<PlanValue>& arguments, const std::vector<std::optional<OutputPlace>>& outputs,
    const std::map<std::string, int64_t>& sizes) {
    std::vector<HostArray> hosts;
    for (const PlanValue& v : arguments) hosts.push_back(host_array(v));
    std::vector<std::optional<Array>> results;
    for (HostArray& result : interpret(reference(), hosts, sizes)) {
        const size_t i = results.size();
        if (i < outputs.size() && outputs[i]) {
            if (!result.bytes.empty())
                std::memcpy(outputs[i]->pointer, result.bytes.data(), result.bytes.size());
            results.emplace_back();
        } else {
            results.emplace_back(to_array(std::move(result)));
        }
    }
    return results;
}

std::vector<std::optional<Array>> Callable::call(std::vector<PlanValue> arguments,
                                                 const std::vector<std::optional<OutputPlace>>& outputs,
                                                 Stream stream) {
    std::vector<ArgumentShape> shapes;
    for (const PlanValue& v : arguments) {
        shapes.push_back(
            {v.shape, v.scalar && is_integer(v.dtype) ? std::optional(v.scalar->as_i64()) : std::nullopt});
    }
    const std::map<std::string, int64_t> sizes = binder_.bind(shapes);
    test_outputs(outputs, sizes);
    if (session_->device == nullptr) return interpret_call(arguments, outputs, sizes);

    compiled();
    std::vector<PlanValue> values = PlanRun(*this, sizes, stream).run(std::move(arguments), outputs);
    std::vector<std::optional<Array>> results;
    for (size_t i = 0; i < values.size(); ++i) {
        const bool given = i < outputs.size() && outputs[i];
        if (given) {
            deliver(values[i], *outputs[i], stream);
            results.emplace_back();
        } else {
            results.emplace_back(own(values[i]));
        }
    }
    return results;
}

Array Callable::own(PlanValue& v) const {
    if (v.scalar) return to_array(host_array(v));
    return Array(std::make_shared<ArrayStorage>(v.dtype, v.shape, v.allocation, session_->device));
}

void Callable::deliver(const PlanValue& v, const OutputPlace& place, Stream stream) const {
    if (v.pointer == place.pointer && !v.scalar) return;
    if (v.scalar) {
        const HostArray scalar = host_array(v);
        if (place.on_device) {
            session_->device->copy_to_device(place.pointer, scalar.bytes.data(), scalar.bytes.size(), stream);
        } else {
            std::memcpy(place.pointer, scalar.bytes.data(), scalar.bytes.size());
        }
        return;
    }
    if (v.bytes == 0) return;
    if (place.on_device) {
        session_->device->copy_device(place.pointer, v.pointer, v.bytes, stream);
        // The value's memory is freed on the own stream.
        return session_->device->leave(stream);
    }
    session_->device->copy_to_host(place.pointer, v.pointer, v.bytes, stream);
}

}  // namespace fuseline
