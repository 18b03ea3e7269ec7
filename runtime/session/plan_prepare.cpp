// What a run does before any work is enqueued: checks, sizes, and the kernels that are missing.
#include <algorithm>
#include <future>

#include "compiler/support/errors.h"
#include "runtime/session/plan_run.h"

namespace fuseline {

using Kind = PlanProgram::Kind;

/// Loops are prepared for their first step, branches for the side that they will take, or for both where a
/// device decides: what comes later is measured there.
void PlanRun::prepare() {
    std::vector<uint32_t> regions{0};
    while (!regions.empty()) {
        const uint32_t id = regions.back();
        regions.pop_back();
        for (const Step& s : program_.region(id).steps) prepare_step(s, id != 0, regions);
    }
    compile_missing();
    for (uint32_t k = 0; k < launches_.size(); ++k) {
        Launched& l = launches_[k];
        if (l.index_bits != 0 && l.executable() == nullptr)
            l.executable() = callable_.executable(program_.launch(k).kernel, l.index_bits);
    }
}

void PlanRun::prepare_step(const Step& s, bool nested, std::vector<uint32_t>& regions) {
    if (s.kind == Kind::check && !nested) check(s);
    if (s.kind == Kind::launch) {
        const PlanProgram::Launch& l = program_.launch(s.detail);
        if (!measure(l, launches_[s.detail]) && !nested) {
            const auto& launch = std::get<ir::Launch>(plan_.node(s.node).attribute);
            for (size_t k = 0; k < l.sizes.size(); ++k) size(l.sizes[k], launch.sizes[k].second);
        }
    }
    if (s.kind == Kind::scalar) prepare_scalar(s);
    if (s.kind == Kind::branch) {
        const std::optional<Scalar>& taken = values_[plan_.operands(s.node)[0].index].scalar;
        for (uint32_t k = 0; k < 2; ++k) {
            if (!taken || taken->as_bool() == (k == 0))
                regions.push_back(plan_.region_of(plan_.node(s.node), k).index);
        }
    }
    if (s.kind == Kind::loop && prepare_loop(program_.loop(s.detail)))
        regions.push_back(program_.loop(s.detail).region);
}

/// Computes a host scalar that is known before any work.
void PlanRun::prepare_scalar(const Step& s) {
    const ir::Node& n = plan_.node(s.node);
    const auto known = [&](ir::ValueId v) { return values_[v.index].scalar.has_value(); };
    if (!std::ranges::all_of(plan_.operands(n), known)) return;
    const bool extent = std::holds_alternative<ExtentId>(n.attribute);
    if (extent && !program_.sizes().evaluate(program_.extent(s.detail), sizes_)) return;
    scalar(s);
}

/// Binds the counter to its first value; false where the loop, as far as is known, takes no step.
bool PlanRun::prepare_loop(const PlanProgram::Loop& loop) {
    if (!loop.bounded) return true;
    const auto start = program_.sizes().evaluate(loop.start, sizes_);
    const auto stop = program_.sizes().evaluate(loop.stop, sizes_);
    const auto step = program_.sizes().evaluate(loop.step, sizes_);
    if (!start || !stop || !step) return false;
    sizes_[loop.slot] = *start;
    return *step >= 0 ? *start < *stop : *start > *stop;
}

/// Fills in the sizes of a launch and the index width for them; false where one has no value.
bool PlanRun::measure(const PlanProgram::Launch& launch, Launched& ready) {
    std::vector<int64_t>& sizes = ready.arguments.sizes;
    sizes.clear();
    for (SizeHandle handle : launch.sizes) {
        const auto value = program_.sizes().evaluate(handle, sizes_);
        if (!value) return false;
        sizes.push_back(*value);
    }
    ready.bytes_each = program_.sizes().evaluate(launch.bytes, sizes_).value_or(0);
    ready.index_bits = program_.width(launch.kernel).bits(sizes);
    return true;
}

void PlanRun::compile_missing() {
    std::map<std::pair<size_t, int>, Launched*> missing;
    for (uint32_t k = 0; k < launches_.size(); ++k) {
        Launched& l = launches_[k];
        const size_t kernel = program_.launch(k).kernel;
        if (l.index_bits != 0 && !callable_.has_executable(kernel, l.index_bits))
            missing.emplace(std::pair(kernel, l.index_bits), &l);
    }
    if (missing.size() < 2) return;
    std::vector<std::pair<Launched*, std::future<std::shared_ptr<Executable>>>> builds;
    for (auto& [key, launch] : missing) {
        builds.emplace_back(launch, std::async(std::launch::async, [this, key = key] {
                                return callable_.executable(key.first, key.second);
                            }));
    }
    for (auto& [launch, build] : builds) launch->executable() = build.get();
}

}  // namespace fuseline
