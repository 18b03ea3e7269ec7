// The memory of a run: arrays of its own, arguments on their way to the device, results in the caller's
// places.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "runtime/session/plan_run.h"

namespace fuseline {

using ir::ValueId;

namespace {

/// Arrays that a loop keeps for its next step.
constexpr size_t kSpareArrays = 8;

}  // namespace

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

std::map<std::string, int64_t> PlanRun::named_sizes() const {
    std::map<std::string, int64_t> named;
    const std::vector<std::string>& symbols = program_.sizes().symbols();
    for (size_t k = 0; k < symbols.size(); ++k) named.emplace(symbols[k], sizes_[k]);
    return named;
}

int64_t PlanRun::size(SizeHandle handle, ExtentId extent) const {
    if (const auto value = program_.sizes().evaluate(handle, sizes_)) return *value;
    std::string why;
    plan_.extents.evaluate(extent, named_sizes(), &why);
    throw UserError(fmt::format("the size {} has no value: {}", plan_.extents.text(extent), why));
}

void PlanRun::place_outputs(const std::vector<std::optional<OutputPlace>>& outputs) {
    const std::vector<ValueId>& yields = program_.body().yields;
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i] || !(outputs[i]->on_device || device().shares_host_memory())) continue;
        place_output(yields[i], *outputs[i]);
    }
}

/// A branch's result is computed in its place on either side.
void PlanRun::place_output(ValueId value, const OutputPlace& place) {
    std::vector<ValueId> todo{value};
    while (!todo.empty()) {
        const ValueId v = todo.back();
        todo.pop_back();
        const auto same = [&](const auto& known) { return known.first == v; };
        if (std::any_of(places_.begin(), places_.end(), same)) continue;
        places_.emplace_back(v, place);
        const ir::Node* branch = plan_.definition(v);
        if (branch == nullptr || !branch->op.is(ir::Structure::if_)) continue;
        for (uint32_t k = 0; k < 2; ++k) {
            const ir::RegionId region = plan_.region_of(*branch, k);
            const ValueId yielded = plan_.region(region).yields[plan_.value(v).position];
            const ir::NodeId made = plan_.value(yielded).definition;
            if (made && plan_.node(made).parent == region) todo.push_back(yielded);
        }
    }
}

std::shared_ptr<Allocation> PlanRun::memory(size_t bytes) {
    for (auto it = spare_.rbegin(); it != spare_.rend(); ++it) {
        if ((*it)->bytes != bytes) continue;
        std::shared_ptr<Allocation> found = std::move(*it);
        spare_.erase(std::next(it).base());
        return found;
    }
    return device().allocate(bytes, stream_);
}

/// Lets a value go; in a loop the next step may use its memory. A device frees on its own stream, which is
/// behind a caller's only when the run ends: until then that memory is kept.
void PlanRun::release(PlanValue& value) {
    const bool own = value.allocation != nullptr && value.allocation.use_count() == 1;
    if (own && value.allocation->bytes != 0 && (frames_.size() > 1 || stream_ != nullptr)) {
        if (spare_.size() >= kSpareArrays && stream_ == nullptr) spare_.erase(spare_.begin());
        spare_.push_back(std::move(value.allocation));
    }
    value = {};
}

/// An array of a value's type without memory yet.
PlanValue PlanRun::new_array(ValueId id) {
    const ir::Type& type = plan_.type(id);
    PlanValue v;
    v.dtype = type.dtype;
    const std::vector<SizeHandle>& shape = program_.shape(id);
    v.shape.reserve(shape.size());
    for (size_t k = 0; k < shape.size(); ++k) {
        v.shape.push_back(size(shape[k], type.shape[k]));
        if (v.shape.back() < 0) {
            throw UserError(fmt::format("the extent {} of {} is negative: {}",
                                        plan_.extents.text(type.shape[k]), type_text(plan_.extents, type),
                                        v.shape.back()));
        }
    }
    v.bytes = byte_count(v.dtype, v.shape);
    const auto place =
        std::find_if(places_.begin(), places_.end(), [&](const auto& p) { return p.first == id; });
    if (place != places_.end()) {
        v.pointer = place->second.pointer;
    } else {
        v.allocation = memory(v.bytes);
        v.pointer = v.allocation->pointer;
    }
    return v;
}

void PlanRun::allocate(const Step& s) {
    const ValueId result = plan_.result(s.node);
    values_[result.index] = new_array(result);
}

void PlanRun::own(const Step& s) {
    const ValueId result = plan_.result(s.node);
    PlanValue& from = values_[plan_.operands(s.node)[0].index];
    const bool last = !s.taken.empty();
    const bool placed =
        std::any_of(places_.begin(), places_.end(), [&](const auto& p) { return p.first == result; });
    if (last && !placed) pointer_of(from);
    const bool alone = from.allocation != nullptr && from.allocation.use_count() == 1 &&
                       from.array == nullptr && from.pointer == from.allocation->pointer;
    if (last && alone && !placed) {
        values_[result.index] = std::exchange(from, {});
        values_[result.index].scalar.reset();
        return;
    }
    PlanValue copied = new_array(result);
    copy(from, copied.pointer);
    values_[result.index] = std::move(copied);
}

void PlanRun::alias(const Step& s) {
    const ValueId result = plan_.result(s.node);
    PlanValue& from = values_[plan_.operands(s.node)[0].index];
    pointer_of(from);
    PlanValue v = from;
    v.scalar.reset();
    v.shape.clear();
    const ir::Type& type = plan_.type(result);
    for (size_t k = 0; k < type.rank(); ++k)
        v.shape.push_back(size(program_.shape(result)[k], type.shape[k]));
    require(byte_count(v.dtype, v.shape) == v.bytes, "an array takes a shape of another number of elements");
    values_[result.index] = std::move(v);
}

/// The elements of a value, wherever they are, to memory of the device.
void PlanRun::copy(const PlanValue& from, void* to) {
    if (from.pointer != nullptr) {
        device().copy_device(to, from.pointer, from.bytes, stream_);
    } else if (from.scalar) {
        std::byte element[16];
        store_scalar(from.dtype, *from.scalar, element);
        device().copy_to_device(to, element, static_cast<size_t>(byte_size(from.dtype)), stream_);
    } else if (from.bytes != 0) {
        device().copy_to_device(to, from.host, from.bytes, stream_);
    }
}

void* PlanRun::pointer_of(PlanValue& v) {
    if (v.pointer != nullptr) return v.pointer;
    if (v.scalar) v.bytes = static_cast<size_t>(byte_size(v.dtype));
    if (!v.scalar && v.host == nullptr) return nullptr;
    if (!v.scalar && device().shares_host_memory()) return const_cast<void*>(v.host);
    std::shared_ptr<Allocation> made = memory(v.bytes);
    copy(v, made->pointer);
    v.allocation = std::move(made);
    v.array = nullptr;
    return v.pointer = v.allocation->pointer;
}

Scalar PlanRun::scalar_of(const PlanValue& v) {
    if (v.scalar) return *v.scalar;
    std::byte element[16];
    const auto bytes = static_cast<size_t>(byte_size(v.dtype));
    if (v.pointer != nullptr && !device().shares_host_memory()) {
        device().copy_to_host(element, v.pointer, bytes, stream_);
        return load_scalar(v.dtype, element);
    }
    return load_scalar(v.dtype, v.pointer != nullptr ? v.pointer : v.host);
}

/// A result that can be handed out. One that the caller takes in a place is copied there by whoever hands it
/// out; else elements in memory of the caller are copied.
PlanValue PlanRun::settled(PlanValue v, bool given) {
    if (v.scalar || v.allocation != nullptr) return v;
    if (given) {
        v.pointer = pointer_of(v);
        return v;
    }
    PlanValue copied = v;
    copied.array = nullptr;
    copied.allocation = memory(v.bytes);
    copied.pointer = copied.allocation->pointer;
    copy(v, copied.pointer);
    return copied;
}

}  // namespace fuseline
