// Launch geometry.
#include "compiler/codegen/cuda_geometry.h"

#include <fmt/format.h>

#include "compiler/codegen/cuda_folds.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

constexpr int64_t kMaxGridX = INT32_MAX;
constexpr int64_t kMaxGridY = 65535;

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

std::map<std::string, int64_t> size_map(const ir::Function& kernel, const std::vector<int64_t>& sizes) {
    require(sizes.size() == kernel.sizes.size(), "cuda_geometry: one value for each size");
    std::map<std::string, int64_t> map;
    for (size_t k = 0; k < sizes.size(); ++k) map[kernel.sizes[k]] = sizes[k];
    return map;
}

/// Threads that have an element: one for `lanes` neighbours of a row.
int64_t thread_count(const ir::Function& kernel, const ir::Loops& loops, int lanes,
                     const std::map<std::string, int64_t>& sizes) {
    int64_t count = 1;
    bool fits = true;
    for (size_t k = 0; k < loops.extents.size(); ++k) {
        std::string why;
        const auto extent = kernel.extents.evaluate(loops.extents[k], sizes, &why);
        if (!extent)
            throw UserError(fmt::format("the size {} cannot be computed: {}",
                                        kernel.extents.text(loops.extents[k]), why));
        if (*extent <= 0) return 0;
        const bool innermost = k + 1 == loops.extents.size();
        fits = !__builtin_mul_overflow(count, innermost ? ceil_div(*extent, lanes) : *extent, &count) && fits;
    }
    if (!fits) throw UserError("an array has more than 2^63 elements");
    return count;
}

}  // namespace

ir::NodeId cuda_nest(const ir::Function& kernel) {
    for (ir::NodeId id : kernel.region(kernel.body()).nodes) {
        if (kernel.node(id).op.is(ir::Structure::nest_)) return id;
    }
    throw InternalError("a kernel without a nest");
}

CudaGeometry cuda_geometry(const ir::Function& kernel, const std::vector<int64_t>& sizes) {
    const auto& loops = std::get<ir::Loops>(kernel.node(cuda_nest(kernel)).attribute);
    CudaGeometry geometry;
    const std::map<std::string, int64_t> named = size_map(kernel, sizes);
    const CudaFolds folds = cuda_folds(kernel);
    geometry.takes_workspace = folds.shared();
    const int64_t threads = thread_count(kernel, loops, folds.any() ? 1 : loops.lanes, named);
    if (threads == 0) {
        geometry.grid[0] = 0;
        return geometry;
    }
    if (folds.any()) return cuda_fold_geometry(kernel, folds, threads, named);
    if (loops.extents.empty() || loops.mapping == ir::Mapping::sequential) return geometry;
    geometry.block[0] = kCudaThreads;
    const int64_t blocks = ceil_div(threads, kCudaThreads);
    const int64_t rows = ceil_div(blocks, kMaxGridX);
    if (rows > kMaxGridY) throw UserError(fmt::format("{} blocks are more than a CUDA grid holds", blocks));
    geometry.grid[0] = static_cast<uint32_t>(ceil_div(blocks, rows));
    geometry.grid[1] = static_cast<uint32_t>(rows);
    return geometry;
}

}  // namespace fuseline
