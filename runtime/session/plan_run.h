// One execution of a plan: host scalars, checks, allocations, launches, loops and branches in order.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/session/callable.h"
#include "runtime/session/plan_program.h"

namespace fuseline {

/// Throws UserError past 2^63.
size_t byte_count(DType dtype, const std::vector<int64_t>& shape);

class PlanRun {
public:
    /// `sizes` of the call, by name.
    PlanRun(Callable& callable, const std::map<std::string, int64_t>& sizes, Stream stream);
    ~PlanRun();
    PlanRun(const PlanRun&) = delete;
    PlanRun& operator=(const PlanRun&) = delete;

    /// `outputs` by result: memory of the caller that an allocation uses in place of its own. Results are
    /// scalars, or lie in memory of the session or in that of the caller.
    std::vector<PlanValue> run(std::vector<PlanValue> arguments,
                               const std::vector<std::optional<OutputPlace>>& outputs);

private:
    using Step = PlanProgram::Step;

    /// A region that is being executed: the body, a step of a loop, or the taken side of a branch.
    struct Frame {
        uint32_t region = 0;
        size_t position = 0;
        const Step* owner = nullptr;
        int64_t counter = 0, stop = 0, step = 0;
    };
    /// A launch of the plan: its last sizes, the code for them, and what is told of it to the recorder.
    struct Launched {
        LaunchArguments arguments;
        int index_bits = 0;  ///< 0: the sizes are not known yet
        std::shared_ptr<Executable> executables[2];
        int64_t bytes_each = 0;  ///< at those sizes
        int64_t count = 0, bytes = 0;
        double ms = 0;
        std::shared_ptr<Executable>& executable() { return executables[index_bits == 64 ? 1 : 0]; }
    };
    /// A library call of the plan, and what is told of it to the recorder.
    struct Called {
        ir::NodeId node;
        int64_t count = 0, bytes = 0, flops = 0;
        double ms = 0;
    };
    /// An assertion whose bool has not been read yet.
    struct Pending {
        ir::NodeId node;
        PlanValue value;
    };

    // plan_prepare.cpp: tests the checks and compiles what is missing, several kernels at once, before any
    // work is enqueued.
    void prepare();
    void prepare_step(const Step& step, bool nested, std::vector<uint32_t>& regions);
    void prepare_scalar(const Step& step);
    bool prepare_loop(const PlanProgram::Loop& loop);
    bool measure(const PlanProgram::Launch& launch, Launched& ready);
    void compile_missing();

    // plan_run.cpp
    void execute();
    void step(const Step& step);
    void scalar(const Step& step);
    void check(const Step& step);
    void launch(const Step& step);
    void assertion(const Step& step);
    void test_assertions();
    void enter_loop(const Step& step);
    void enter_branch(const Step& step);
    bool next_step(Frame& frame);
    void leave();
    std::vector<PlanValue> yields_of(uint32_t region);
    void drop(const std::vector<ir::ValueId>& values);

    // plan_library.cpp
    void library(const Step& step);
    MatmulCall matmul_of(const Step& step);
    void tell_recorder() const;

    // plan_memory.cpp
    void place_outputs(const std::vector<std::optional<OutputPlace>>& outputs);
    void place_output(ir::ValueId value, const OutputPlace& place);
    void allocate(const Step& step);
    void own(const Step& step);
    void alias(const Step& step);
    PlanValue settled(PlanValue value, bool given);
    PlanValue new_array(ir::ValueId id);
    std::shared_ptr<Allocation> memory(size_t bytes);
    void copy(const PlanValue& from, void* to);
    void release(PlanValue& value);
    /// Where the device can read the elements. An argument on the host and a host scalar are copied to the
    /// device at their first use.
    void* pointer_of(PlanValue& value);
    /// The value of a rank-0 value; one on the device is waited for.
    Scalar scalar_of(const PlanValue& value);
    bool truth(ir::ValueId id) { return scalar_of(values_[id.index]).as_bool(); }

    int64_t size(SizeHandle handle, ExtentId extent) const;
    std::map<std::string, int64_t> named_sizes() const;
    Device& device() { return *callable_.session_->device; }

    Callable& callable_;
    const PlanProgram& program_;
    const ir::Function& plan_;
    Stream stream_;
    std::vector<int64_t> sizes_;     ///< by slot of the program
    std::vector<PlanValue> values_;  ///< by value of the plan
    std::vector<Launched> launches_;
    std::vector<Called> calls_;
    std::vector<Frame> frames_;
    std::vector<Pending> pending_;
    std::vector<std::shared_ptr<Allocation>> spare_;           ///< memory that the run may use again
    std::vector<std::pair<ir::ValueId, OutputPlace>> places_;  ///< value -> caller's memory on the device
};

}  // namespace fuseline
