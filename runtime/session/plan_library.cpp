// Library calls of a plan: products of matrices.
#include <chrono>

#include "compiler/support/errors.h"
#include "runtime/session/plan_run.h"

namespace fuseline {
namespace {

/// "matmul", or with the letters n (as it is) and t (transposed) for both operands: "matmul tn".
MatmulCall matmul_named(const std::string& function) {
    constexpr std::string_view kName = "matmul";
    MatmulCall call;
    const std::string_view flags = std::string_view(function).substr(std::min(kName.size(), function.size()));
    const bool known = function.starts_with(kName) && (flags.empty() || flags.size() == 3);
    require(known, "a plan calls a library function that is not known");
    call.transpose_a = !flags.empty() && flags[1] == 't';
    call.transpose_b = !flags.empty() && flags[2] == 't';
    return call;
}

/// Elements from one matrix of a batch to the next.
int64_t stride_of(const PlanValue& v) {
    const size_t rank = v.shape.size();
    return rank == 2 ? 0 : v.shape[rank - 2] * v.shape[rank - 1];
}

}  // namespace

MatmulCall PlanRun::matmul_of(const Step& s) {
    const auto operands = plan_.operands(s.node);
    require(operands.size() == 3, "a product of matrices takes two arrays and writes one");
    PlanValue& a = values_[operands[0].index];
    PlanValue& b = values_[operands[1].index];
    PlanValue& c = values_[operands[2].index];
    MatmulCall call = matmul_named(std::get<std::string>(plan_.node(s.node).attribute));
    const size_t rank = c.shape.size();
    call.dtype = c.dtype;
    call.m = c.shape[rank - 2];
    call.n = c.shape[rank - 1];
    const size_t inner = a.shape.size() - (call.transpose_a ? 2 : 1);
    call.k = a.shape[inner];
    for (size_t k = 0; k + 2 < rank; ++k) call.batch *= c.shape[k];
    call.stride_a = stride_of(a);
    call.stride_b = stride_of(b);
    call.stride_c = stride_of(c);
    call.a = pointer_of(a);
    call.b = pointer_of(b);
    call.c = pointer_of(c);
    call.tf32 = callable_.compiled_->graph.options.tf32;
    return call;
}

void PlanRun::library(const Step& s) {
    const MatmulCall call = matmul_of(s);
    if (call.batch == 0 || call.m == 0 || call.n == 0) return;
    using Clock = std::chrono::steady_clock;
    const bool timed = callable_.session_->settings.time_kernels;
    if (timed) device().synchronize(stream_);
    const Clock::time_point begin = Clock::now();
    device().matmul(call, stream_);
    if (timed) device().synchronize(stream_);
    const std::chrono::duration<double, std::milli> ms = Clock::now() - begin;
    const PlanProgram::Library& cost = program_.library(s.detail);
    Called& called = calls_[s.detail];
    called.node = s.node;
    called.count += 1;
    called.bytes += program_.sizes().evaluate(cost.bytes, sizes_).value_or(0);
    called.flops += program_.sizes().evaluate(cost.flops, sizes_).value_or(0);
    called.ms += timed ? ms.count() : 0;
}

}  // namespace fuseline
