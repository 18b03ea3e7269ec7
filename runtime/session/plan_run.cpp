// PlanRun: nothing but the plan is executed.
#include "runtime/session/plan_run.h"

#include <fmt/format.h>

#include "compiler/interpreter/interpreter.h"
#include "compiler/interpreter/scalar_machine.h"
#include "compiler/pipeline/source_lines.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::ValueId;
using Kind = PlanProgram::Kind;

namespace {

/// Assertions whose bools are kept on a device before they are read: reading waits for the device.
constexpr size_t kPendingAssertions = 64;

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

PlanRun::PlanRun(Callable& callable, const std::map<std::string, int64_t>& sizes, Stream stream)
    : callable_(callable),
      program_(*callable.program_),
      plan_(callable.compiled_->plan),
      stream_(stream),
      values_(plan_.value_count()),
      launches_(program_.launch_count()),
      calls_(program_.library_count()) {
    for (const std::string& symbol : program_.sizes().symbols()) {
        const auto known = sizes.find(symbol);
        sizes_.push_back(known != sizes.end() ? known->second : 0);
    }
}

PlanRun::~PlanRun() { tell_recorder(); }

/// What was launched is told when the run ends, well or not.
void PlanRun::tell_recorder() const {
    Recorder& recorder = callable_.session_->recorder;
    for (uint32_t k = 0; k < launches_.size(); ++k) {
        const Launched& l = launches_[k];
        if (l.count == 0) continue;
        const size_t kernel = program_.launch(k).kernel;
        const std::shared_ptr<Executable>& code = l.executables[0] ? l.executables[0] : l.executables[1];
        recorder.launched(code->symbol, callable_.compiled_->kernels[kernel].schedule,
                          callable_.prepared_[kernel].lines, l.count, l.bytes, l.ms);
    }
    for (const Called& c : calls_) {
        if (c.count == 0) continue;
        recorder.called({std::get<std::string>(plan_.node(c.node).attribute),
                         span_lines(plan_.span(c.node), *callable_.sources_), c.bytes, c.flops, c.count, c.ms});
    }
}

std::vector<PlanValue> PlanRun::run(std::vector<PlanValue> arguments,
                                    const std::vector<std::optional<OutputPlace>>& outputs) {
    const PlanProgram::Region& body = program_.body();
    for (size_t i = 0; i < arguments.size(); ++i) {
        PlanValue& v = values_[body.parameters[i].index] = std::move(arguments[i]);
        if (!v.scalar) v.bytes = byte_count(v.dtype, v.shape);
    }
    place_outputs(outputs);
    prepare();
    // Temporaries are freed on the own stream, so it must be behind this call's work before they go, on
    // failure too.
    const StreamOrder order(device(), stream_);
    execute();
    test_assertions();
    std::vector<PlanValue> results;
    for (PlanValue& v : yields_of(0)) {
        const bool given = results.size() < outputs.size() && outputs[results.size()];
        results.push_back(settled(std::move(v), given));
    }
    return results;
}

void PlanRun::execute() {
    frames_.push_back({});
    for (;;) {
        Frame& frame = frames_.back();
        const PlanProgram::Region& region = program_.region(frame.region);
        if (frame.position < region.steps.size()) {
            step(region.steps[frame.position++]);
        } else if (frames_.size() == 1) {
            return frames_.clear();
        } else {
            leave();
        }
    }
}

void PlanRun::step(const Step& s) {
    switch (s.kind) {
        case Kind::loop: return enter_loop(s);
        case Kind::branch: return enter_branch(s);
        case Kind::scalar: scalar(s); break;
        case Kind::check: check(s); break;
        case Kind::alloc: allocate(s); break;
        case Kind::own: own(s); break;
        case Kind::alias: alias(s); break;
        case Kind::launch: launch(s); break;
        case Kind::library: library(s); break;
        case Kind::assertion: assertion(s); break;
    }
    drop(s.taken);
    drop(s.dropped);
}

void PlanRun::drop(const std::vector<ValueId>& values) {
    for (ValueId v : values) release(values_[v.index]);
}

void PlanRun::scalar(const Step& s) {
    const ir::Node& n = plan_.node(s.node);
    PlanValue& result = values_[n.results_begin];
    result.dtype = plan_.type(plan_.result(s.node)).dtype;
    if (const auto* constant = std::get_if<Scalar>(&n.attribute)) {
        result.scalar = *constant;
    } else if (const auto* extent = std::get_if<ExtentId>(&n.attribute)) {
        result.scalar = Scalar::of_i64(size(program_.extent(s.detail), *extent));
    } else {
        Scalar operands[4];
        size_t count = 0;
        for (ValueId v : plan_.operands(n)) operands[count++] = scalar_of(values_[v.index]);
        result.scalar = evaluate(n.op.op(), operation_dtype(plan_, n), result.dtype, operands);
    }
}

void PlanRun::check(const Step& s) {
    const PlanProgram::Check& c = program_.check(s.detail);
    const auto left = program_.sizes().evaluate(c.left, sizes_);
    const auto right = program_.sizes().evaluate(c.right, sizes_);
    const bool equal = c.relation == ir::Check::Relation::equal;
    if (left && right && (equal ? *left == *right : *left >= *right)) return;
    test_check(plan_, s.node, named_sizes());
}

void PlanRun::launch(const Step& s) {
    const PlanProgram::Launch& l = program_.launch(s.detail);
    Launched& ready = launches_[s.detail];
    if ((ready.index_bits == 0 || l.varies) && !measure(l, ready)) {
        const auto& launch = std::get<ir::Launch>(plan_.node(s.node).attribute);
        for (size_t k = 0; k < l.sizes.size(); ++k) size(l.sizes[k], launch.sizes[k].second);
    }
    if (ready.executable() == nullptr) ready.executable() = callable_.executable(l.kernel, ready.index_bits);
    const auto operands = plan_.operands(s.node);
    LaunchArguments& arguments = ready.arguments;
    arguments.buffers.clear();
    arguments.scalars.clear();
    for (size_t k = 0; k < operands.size(); ++k) {
        PlanValue& v = values_[operands[k].index];
        if (l.by_value[k]) {
            arguments.scalars.push_back(scalar_of(v));
        } else {
            arguments.buffers.push_back(pointer_of(v));
        }
    }
    ready.bytes += ready.bytes_each;
    if (callable_.session_->settings.time_kernels) {
        ready.ms += device().timed_launch(*ready.executable(), arguments, stream_);
    } else {
        device().launch(*ready.executable(), arguments, stream_);
    }
    ++ready.count;
}

void PlanRun::assertion(const Step& s) {
    const PlanValue& v = values_[plan_.operands(s.node)[0].index];
    pending_.push_back({s.node, v});
    if (v.scalar || device().shares_host_memory() || pending_.size() >= kPendingAssertions) test_assertions();
}

void PlanRun::test_assertions() {
    for (Pending& p : pending_) {
        const bool holds = scalar_of(p.value).as_bool();
        release(p.value);
        if (holds) continue;
        Diagnostic failed;
        failed.span = plan_.span(p.node);
        failed.message = std::get<std::string>(plan_.node(p.node).attribute);
        throw UserError({failed});
    }
    pending_.clear();
}

void PlanRun::enter_branch(const Step& s) {
    const ir::Node& n = plan_.node(s.node);
    const bool taken = truth(plan_.operands(n)[0]);
    drop(s.taken);
    frames_.push_back({plan_.region_of(n, taken ? 0 : 1).index, 0, &s});
}

void PlanRun::enter_loop(const Step& s) {
    const PlanProgram::Loop& loop = program_.loop(s.detail);
    Frame frame{loop.region, 0, &s};
    if (loop.bounded) {
        const auto& steps = std::get<ir::Iteration>(plan_.node(s.node).attribute);
        frame.counter = size(loop.start, steps.start);
        frame.stop = size(loop.stop, steps.stop);
        frame.step = size(loop.step, steps.step);
    }
    const std::vector<ValueId>& carried = program_.region(loop.region).parameters;
    const auto operands = plan_.operands(s.node);
    for (size_t k = 0; k < carried.size(); ++k) values_[carried[k].index] = values_[operands[k].index];
    for (ValueId v : s.taken) values_[v.index] = {};
    frames_.push_back(frame);
    if (!next_step(frames_.back())) leave();
}

/// Whether the loop takes another step; binds its counter.
bool PlanRun::next_step(Frame& frame) {
    const PlanProgram::Loop& loop = program_.loop(frame.owner->detail);
    if (loop.bounded && !(frame.step >= 0 ? frame.counter < frame.stop : frame.counter > frame.stop)) {
        frame.position = SIZE_MAX;
    } else if (loop.conditional && !truth(program_.region(frame.region).parameters[0])) {
        frame.position = SIZE_MAX;
    } else {
        if (loop.bounded) sizes_[loop.slot] = frame.counter;
        frame.position = 0;
        drop(program_.region(frame.region).unused);
    }
    return frame.position == 0;
}

/// The values that a region gives; those that nothing else needs are moved.
std::vector<PlanValue> PlanRun::yields_of(uint32_t region) {
    const PlanProgram::Region& r = program_.region(region);
    std::vector<PlanValue> values;
    values.reserve(r.yields.size());
    for (size_t k = 0; k < r.yields.size(); ++k) {
        PlanValue& v = values_[r.yields[k].index];
        values.push_back(r.last[k] ? std::exchange(v, {}) : v);
    }
    return values;
}

/// A region has ended: a loop's next step begins, or its owner gets its results.
void PlanRun::leave() {
    Frame& frame = frames_.back();
    const Step& owner = *frame.owner;
    std::vector<PlanValue> results;
    if (owner.kind == Kind::loop) {
        const std::vector<ValueId>& carried = program_.region(frame.region).parameters;
        if (frame.position != SIZE_MAX) {
            std::vector<PlanValue> next = yields_of(frame.region);
            for (size_t k = 0; k < next.size(); ++k) {
                release(values_[carried[k].index]);
                values_[carried[k].index] = std::move(next[k]);
            }
            if (__builtin_add_overflow(frame.counter, frame.step, &frame.counter)) frame.counter = frame.stop;
            if (next_step(frame)) return;
        }
        for (ValueId v : carried) results.push_back(std::exchange(values_[v.index], {}));
    } else {
        results = yields_of(frame.region);
    }
    frames_.pop_back();
    if (frames_.size() == 1 && stream_ == nullptr) spare_.clear();
    for (uint32_t k = 0; k < results.size(); ++k)
        values_[plan_.result(owner.node, k).index] = std::move(results[k]);
    drop(owner.dropped);
}

}  // namespace fuseline
