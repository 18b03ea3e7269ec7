// Targets by name.
#include "compiler/support/target.h"

#include <string_view>

namespace fuseline {
namespace {

/// Shared memory that one block may have, less what its reductions need.
struct OnChip {
    std::string_view arch;
    int64_t row_bytes;
};
constexpr OnChip kOnChip[] = {
    {"sm_75", 60 << 10},  {"sm_80", 160 << 10}, {"sm_86", 96 << 10},   {"sm_87", 160 << 10},
    {"sm_89", 96 << 10},  {"sm_90", 200 << 10}, {"sm_100", 200 << 10}, {"sm_103", 200 << 10},
    {"sm_120", 96 << 10}, {"sm_121", 96 << 10},
};
constexpr int64_t kLeastOnChip = 40 << 10;

}  // namespace

Target cuda_target(const std::string& arch, int parameter_bytes) {
    Target target{.kind = TargetKind::cuda, .arch = arch, .vector_bits = 0, .fma = false};
    target.parameter_bytes = parameter_bytes;
    target.holds_loads = true;
    target.row_bytes = kLeastOnChip;
    for (const OnChip& known : kOnChip) {
        if (known.arch == arch) target.row_bytes = known.row_bytes;
    }
    // One block has a row: few long ones leave most of a GPU idle.
    target.few_rows = 64;
    return target;
}

}  // namespace fuseline
