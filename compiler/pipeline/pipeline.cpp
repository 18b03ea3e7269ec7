// compile and the keys of kernels.
#include "compiler/pipeline/pipeline.h"

#include <fmt/format.h>

#include "compiler/pipeline/index_width.h"
#include "compiler/schedule/schedule.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

std::string_view target_name(TargetKind kind) {
    constexpr std::string_view kNames[] = {"interpreter", "cpu", "cuda"};
    return kNames[static_cast<size_t>(kind)];
}

/// What of the target the emitted code depends on.
std::string target_text(const Target& target) {
    std::string text = fmt::format("{} {}", target_name(target.kind), target.arch);
    if (target.kind == TargetKind::cpu) {
        text += fmt::format(" vector {} {}", target.vector_bits, target.fma ? "fma" : "no fma");
    }
    return text;
}

}  // namespace

Compiled compile(ir::Function graph, const Target& target, const PassSettings& settings) {
    Compiled c;
    c.graph = graph;
    PassContext context{target, c.graph.options, c.remarks};
    if (settings.verify) ir::verify_or_throw(graph, "check");
    c.fused = run_passes(std::move(graph), context, settings);
    Scheduled scheduled = schedule(c.fused, context);
    if (settings.verify) {
        ir::verify_or_throw(scheduled.plan, "schedule");
        for (const ir::Function& kernel : scheduled.kernels) ir::verify_or_throw(kernel, "schedule");
        const auto faults = ir::verify_launches(scheduled.plan, scheduled.kernels);
        if (!faults.empty())
            throw InternalError(fmt::format("a launch does not fit its kernel: {}", faults.front()));
    }
    c.plan = std::move(scheduled.plan);
    c.kernels = std::move(scheduled.kernels);
    return c;
}

KernelKey kernel_key(const ir::Function& kernel, int index_bits, const Target& target,
                     const std::string& compiler) {
    ir::Function variant = kernel;
    variant.index_bits = index_bits;
    KernelKey key;
    key.text = fmt::format("fuseline {}\ntarget {}\ncompiler {}\noptions {}\n{}", kGeneratorVersion,
                           target_text(target), compiler, key_text(kernel.options),
                           ir::print(variant, {.canonical = true}));
    key.hash = hash128(key.text);
    key.symbol = fmt::format("fl_{}_{}", kernel.schedule, key.hash.hex().substr(0, 16));
    return key;
}

int index_bits_for(const ir::Function& kernel, const std::vector<int64_t>& sizes) {
    return IndexWidth(kernel).bits(sizes);
}

}  // namespace fuseline
