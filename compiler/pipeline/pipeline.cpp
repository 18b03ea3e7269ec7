// compile and the keys of kernels.
#include "compiler/pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

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

/// Largest and least offsets of an access in bytes; nullopt where they leave int64.
class Reach {
public:
    explicit Reach(const ir::Function& kernel, const std::vector<int64_t>& sizes) : f_(kernel) {
        for (size_t k = 0; k < kernel.sizes.size(); ++k) sizes_[kernel.sizes[k]] = sizes.at(k);
    }

    /// The nest's indices, their products with coefficients and the byte offsets all stay below 2^31 in
    /// magnitude.
    bool narrow(const ir::Loops& loops, ir::RegionId nest) const {
        std::vector<int64_t> last;
        for (ExtentId e : loops.extents) {
            const auto extent = f_.extents.evaluate(e, sizes_);
            if (!extent || *extent > kLimit) return false;
            if (*extent == 0) return true;
            last.push_back(*extent - 1);
        }
        // All indices of a nest are walked by one counter, so their product must be narrow too.
        int64_t count = 1;
        for (int64_t l : last) {
            if (__builtin_mul_overflow(count, l + 1, &count) || count > kLimit) return false;
        }
        return std::ranges::all_of(f_.region(nest).nodes, [&](ir::NodeId id) { return narrow(id, last); });
    }

private:
    static constexpr int64_t kLimit = INT32_MAX;

    bool narrow(ir::NodeId id, const std::vector<int64_t>& last) const {
        const ir::Node& n = f_.node(id);
        const auto* affine = std::get_if<ir::Affine>(&n.attribute);
        if (affine == nullptr) return true;
        const auto operands = f_.operands(n);
        const int64_t scale = operands.empty() ? 1 : byte_size(f_.type(operands[0]).dtype);
        // The sum of magnitudes bounds every partial sum as well as the whole.
        int64_t reach = 0;
        const auto add = [&](ExtentId factor, int64_t times) {
            const auto value = f_.extents.evaluate(factor, sizes_);
            int64_t product = 0;
            return value && *value != INT64_MIN &&
                   !__builtin_mul_overflow(std::abs(*value), times, &product) &&
                   !__builtin_mul_overflow(product, scale, &product) &&
                   !__builtin_add_overflow(reach, product, &reach) && reach <= kLimit;
        };
        if (!add(affine->offset, 1)) return false;
        return std::ranges::all_of(affine->terms,
                                   [&](const auto& t) { return add(t.coefficient, last[t.axis]); });
    }

    const ir::Function& f_;
    std::map<std::string, int64_t> sizes_;
};

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
    require(sizes.size() == kernel.sizes.size(), "index_bits_for: one value for each size of the kernel");
    const Reach reach(kernel, sizes);
    for (ir::NodeId id : kernel.region(kernel.body()).nodes) {
        const auto* loops = std::get_if<ir::Loops>(&kernel.node(id).attribute);
        if (loops != nullptr && !reach.narrow(*loops, kernel.region_of(kernel.node(id), 0))) return 64;
    }
    return 32;
}

}  // namespace fuseline
