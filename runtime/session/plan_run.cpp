// PlanRun: nothing but the plan is executed.
#include "runtime/session/plan_run.h"

#include <algorithm>
#include <future>
#include <set>

#include <fmt/format.h>

#include "compiler/interpreter/interpreter.h"

namespace fuseline {
namespace {

size_t byte_count(DType dtype, const std::vector<int64_t>& shape) {
    int64_t bytes = byte_size(dtype);
    const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    if (empty) return 0;
    for (int64_t extent : shape) {
        if (__builtin_mul_overflow(bytes, extent, &bytes)) {
            throw UserError(fmt::format("an array {} has more than 2^63 bytes", type_text(dtype, shape)));
        }
    }
    return static_cast<size_t>(bytes);
}

class StreamOrder {
public:
    StreamOrder(Device& device, Stream stream) : device_(device), stream_(stream) { device_.enter(stream_); }
    ~StreamOrder() {
        try {
            device_.leave(stream_);
        } catch (const ToolchainError&) {
            // A device that cannot order streams has failed before; that fault is already on its way to the
            // caller.
        }
    }
    StreamOrder(const StreamOrder&) = delete;
    StreamOrder& operator=(const StreamOrder&) = delete;

private:
    Device& device_;
    Stream stream_;
};

}  // namespace

std::vector<PlanValue> PlanRun::run(std::vector<PlanValue> arguments,
                                    const std::vector<std::optional<OutputPlace>>& outputs) {
    const ir::Region& body = plan_.region(plan_.body());
    for (size_t i = 0; i < arguments.size(); ++i) values_[body.parameters[i].index] = std::move(arguments[i]);
    place_outputs(outputs);
    prepare();
    // Temporaries are freed on the own stream, so it must be behind this call's work before they go, on
    // failure too.
    const StreamOrder order(*callable_.session_->device, stream_);
    for (ir::NodeId id : body.nodes) {
        // Host scalars are evaluated where they are used; checks were tested before.
        if (plan_.node(id).op.is(ir::Structure::alloc_)) allocate(id);
        if (plan_.node(id).op.is(ir::Structure::launch_)) launch(id);
    }
    std::vector<PlanValue> results;
    for (ir::ValueId v : body.yields) results.push_back(value(v));
    return results;
}

void PlanRun::place_outputs(const std::vector<std::optional<OutputPlace>>& outputs) {
    const ir::Region& body = plan_.region(plan_.body());
    for (size_t i = 0; i < outputs.size(); ++i) {
        const bool direct =
            outputs[i] && (outputs[i]->on_device || callable_.session_->device->shares_host_memory());
        if (direct) places_.emplace(body.yields[i].index, *outputs[i]);
    }
}

void PlanRun::prepare() {
    for (ir::NodeId id : plan_.region(plan_.body()).nodes) {
        const ir::Node& n = plan_.node(id);
        if (n.op.is(ir::Structure::check_)) test_check(plan_, id, sizes_);
        if (n.op.is(ir::Structure::launch_)) launches_[id.index] = ready(std::get<ir::Launch>(n.attribute));
    }
    compile_missing();
    for (auto& [id, launch] : launches_) {
        if (launch.executable == nullptr)
            launch.executable = callable_.executable(launch.kernel, launch.index_bits);
    }
}

PlanRun::ReadyLaunch PlanRun::ready(const ir::Launch& launch) const {
    ReadyLaunch r;
    r.kernel = callable_.kernel_position(launch.kernel);
    for (const auto& [symbol, extent] : launch.sizes) r.sizes.push_back(size(extent));
    r.index_bits = index_bits_for(callable_.compiled_->kernels[r.kernel], r.sizes);
    return r;
}

void PlanRun::compile_missing() {
    std::map<std::pair<size_t, int>, ReadyLaunch*> missing;
    for (auto& [id, launch] : launches_) {
        if (!callable_.has_executable(launch.kernel, launch.index_bits)) {
            missing.emplace(std::pair(launch.kernel, launch.index_bits), &launch);
        }
    }
    if (missing.size() < 2) return;
    std::vector<std::pair<ReadyLaunch*, std::future<std::shared_ptr<Executable>>>> builds;
    for (auto& [key, launch] : missing) {
        builds.emplace_back(launch, std::async(std::launch::async, [this, key = key] {
                                return callable_.executable(key.first, key.second);
                            }));
    }
    for (auto& [launch, build] : builds) launch->executable = build.get();
}

PlanValue& PlanRun::value(ir::ValueId id) {
    const auto [it, fresh] = values_.try_emplace(id.index);
    if (fresh) {
        it->second.dtype = plan_.type(id).dtype;
        it->second.scalar = evaluate_scalar(plan_, id, sizes_);
    }
    return it->second;
}

int64_t PlanRun::size(ExtentId extent) const {
    std::string why;
    const auto value = plan_.extents.evaluate(extent, sizes_, &why);
    if (!value) throw UserError(fmt::format("the size {} has no value: {}", plan_.extents.text(extent), why));
    return *value;
}

std::vector<int64_t> PlanRun::shape_of(const ir::Type& type) const {
    std::vector<int64_t> shape;
    for (ExtentId e : type.shape) {
        shape.push_back(size(e));
        if (shape.back() < 0) {
            throw UserError(fmt::format("the extent {} of {} is negative: {}", plan_.extents.text(e),
                                        type_text(plan_.extents, type), shape.back()));
        }
    }
    return shape;
}

void PlanRun::allocate(ir::NodeId id) {
    const ir::ValueId result = plan_.result(id);
    const ir::Type& type = plan_.type(result);
    PlanValue v;
    v.dtype = type.dtype;
    v.shape = shape_of(type);
    const auto place = places_.find(result.index);
    if (place != places_.end()) {
        v.pointer = place->second.pointer;
    } else {
        v.allocation = callable_.session_->device->allocate(byte_count(v.dtype, v.shape), stream_);
        v.pointer = v.allocation->pointer;
    }
    values_[result.index] = std::move(v);
}

void* PlanRun::pointer_of(PlanValue& v) {
    if (v.pointer != nullptr || v.host == nullptr) return v.pointer;
    Device& device = *callable_.session_->device;
    if (device.shares_host_memory()) return const_cast<void*>(v.host);
    const size_t bytes = byte_count(v.dtype, v.shape);
    v.allocation = device.allocate(bytes, stream_);
    if (bytes != 0) device.copy_to_device(v.allocation->pointer, v.host, bytes, stream_);
    return v.pointer = v.allocation->pointer;
}

void PlanRun::launch(ir::NodeId id) {
    ReadyLaunch& ready = launches_.at(id.index);
    LaunchArguments arguments;
    arguments.sizes = std::move(ready.sizes);
    int64_t bytes = 0;
    std::set<ir::ValueId> counted;
    for (ir::ValueId operand : plan_.operands(id)) {
        PlanValue& v = value(operand);
        if (v.scalar) {
            arguments.scalars.push_back(*v.scalar);
        } else {
            arguments.buffers.push_back(pointer_of(v));
            if (counted.insert(operand).second) bytes += static_cast<int64_t>(byte_count(v.dtype, v.shape));
        }
    }
    SessionImpl& session = *callable_.session_;
    double ms = 0;
    if (session.settings.time_kernels) {
        ms = session.device->timed_launch(*ready.executable, arguments, stream_);
    } else {
        session.device->launch(*ready.executable, arguments, stream_);
    }
    session.recorder.launched(ready.executable->symbol, callable_.compiled_->kernels[ready.kernel].schedule,
                              callable_.prepared_[ready.kernel].lines, bytes, ms);
}

}  // namespace fuseline
