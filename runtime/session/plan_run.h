// One execution of a plan: host scalars, checks, allocations and launches in order.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/session/callable.h"

namespace fuseline {

class PlanRun {
public:
    PlanRun(Callable& callable, const ir::Function& plan, const std::map<std::string, int64_t>& sizes,
            Stream stream)
        : callable_(callable), plan_(plan), sizes_(sizes), stream_(stream) {}

    /// `outputs` by result: memory of the caller that an allocation uses in place of its own.
    std::vector<PlanValue> run(std::vector<PlanValue> arguments,
                               const std::vector<std::optional<OutputPlace>>& outputs);

private:
    void place_outputs(const std::vector<std::optional<OutputPlace>>& outputs);
    /// Tests the checks and compiles what is missing, several kernels at once, before any work is enqueued.
    void prepare();
    void allocate(ir::NodeId id);
    void launch(ir::NodeId id);
    PlanValue& value(ir::ValueId id);
    std::vector<int64_t> shape_of(const ir::Type& type) const;
    int64_t size(ExtentId extent) const;
    /// Copies an argument's host elements to the device at its first use.
    void* pointer_of(PlanValue& value);

    /// A launch of the plan with its sizes known.
    struct ReadyLaunch {
        size_t kernel = 0;
        int index_bits = 64;
        std::vector<int64_t> sizes;
        std::shared_ptr<Executable> executable;
    };
    ReadyLaunch ready(const ir::Launch& launch) const;
    void compile_missing();

    Callable& callable_;
    const ir::Function& plan_;
    const std::map<std::string, int64_t>& sizes_;
    Stream stream_;
    std::unordered_map<uint32_t, PlanValue> values_;
    std::unordered_map<uint32_t, ReadyLaunch> launches_;  ///< by node
    std::unordered_map<uint32_t, OutputPlace> places_;    ///< value -> caller's memory on the device
};

}  // namespace fuseline
