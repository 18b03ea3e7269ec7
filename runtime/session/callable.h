// A graph made ready to be called: compiled for the session's device, sizes bound and the plan executed at
// each call.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/pipeline/pipeline.h"
#include "runtime/session/array_storage.h"
#include "runtime/session/bind_sizes.h"
#include "runtime/session/plan_program.h"
#include "runtime/session/session_impl.h"

namespace fuseline {

/// A value of a call or of a plan: a scalar, or elements somewhere.
struct PlanValue {
    DType dtype = DType::f32_;
    std::vector<int64_t> shape;
    std::optional<Scalar> scalar;               ///< a rank-0 value that is known on the host
    void* pointer = nullptr;                    ///< elements where the device can read them
    std::shared_ptr<const ArrayStorage> array;  ///< keeps an argument's elements
    std::shared_ptr<Allocation> allocation;     ///< keeps elements of the session
    const void* host = nullptr;                 ///< an argument's elements on the host, not on the device yet
    size_t bytes = 0;                           ///< of the elements; set while a plan runs
};

/// Memory of the caller for a result.
struct OutputPlace {
    bool on_device = false;
    void* pointer = nullptr;
    DType dtype = DType::f32_;
    std::vector<int64_t> shape;
};

/// Thread-safe. Faults are UserError, ToolchainError and InternalError with spans of the module's sources.
class Callable {
public:
    Callable(std::shared_ptr<SessionImpl> session, ir::Function graph, const SourceMap& sources);

    const ir::Function& graph() const { return graph_; }
    /// Compiles passes and plan (not the kernels) on the first use.
    const Compiled& compiled();
    /// The kernel's executable for an index width, compiled on the first use.
    std::shared_ptr<Executable> executable(size_t kernel, int index_bits);
    /// Whether `executable` answers without a look into the session's kernels.
    bool has_executable(size_t kernel, int index_bits);

    /// Arguments in the order of the parameters, with the parameters' element types. Results in order; an
    /// empty array stands for a result that went to `outputs` (by position).
    std::vector<std::optional<Array>> call(std::vector<PlanValue> arguments,
                                           const std::vector<std::optional<OutputPlace>>& outputs,
                                           Stream stream);

private:
    friend class PlanRun;
    /// What the interpreter runs: the graph as checked, under `option contract` with its multiply-adds.
    const ir::Function& reference();
    std::vector<std::optional<Array>> interpret_call(const std::vector<PlanValue>& arguments,
                                                     const std::vector<std::optional<OutputPlace>>& outputs,
                                                     const std::map<std::string, int64_t>& sizes);
    Array own(PlanValue& value) const;
    /// Brings a result to the caller's memory unless it was computed there.
    void deliver(const PlanValue& value, const OutputPlace& place, Stream stream) const;
    void test_outputs(const std::vector<std::optional<OutputPlace>>& outputs,
                      const std::map<std::string, int64_t>& sizes) const;

    std::shared_ptr<SessionImpl> session_;
    ir::Function graph_;
    const SourceMap* sources_;
    SizeBinder binder_;
    std::mutex mutex_;
    std::optional<Compiled> compiled_;
    std::optional<ir::Function> contracted_;
    /// By kernel: executables for 32 and 64 index bits, and the lines that the kernel computes.
    struct Prepared {
        std::array<std::shared_ptr<Executable>, 2> executables;
        std::string lines;
    };
    std::vector<Prepared> prepared_;
    std::optional<PlanProgram> program_;
};

}  // namespace fuseline
