// Launch geometry of kernels with folds: how many threads, warps and blocks share an output.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/codegen/cuda_folds.h"
#include "compiler/codegen/cuda_geometry.h"
#include "compiler/ir/reduction_order.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

/// Warps and threads that keep a large GPU busy.
constexpr int64_t kFillWarps = 8192;
constexpr int64_t kFillThreads = int64_t{1} << 17;
/// Blocks of which every multiprocessor gets one or two.
constexpr int64_t kFillBlocks = 256;
/// Chunks that the warps of one block take before a second block pays for joining their parts.
constexpr int64_t kChunksOfBlock = 16;
/// From so many chunks on, blocks that share an output have eight warps, so that parts stay few.
constexpr int64_t kManyChunks = 4096;
constexpr int64_t kMostGridX = INT32_MAX;
constexpr int64_t kMostParts = 1024;
constexpr int64_t kWarpLanes = 4;
/// Shared memory of a multiprocessor and warps that keep it busy, what a block takes of it for several rows,
/// elements of a row that never fit.
constexpr int64_t kChipBytes = 200 << 10;
constexpr int64_t kBusyWarps = 32;
constexpr int64_t kBlockBytes = 32 << 10;
constexpr int64_t kMostHeld = 1 << 20;

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// The least power of two that is not below `least`.
int64_t power_of_two(int64_t least) {
    int64_t power = 1;
    while (power < least) power *= 2;
    return power;
}

/// Elements of a fold, a hold or an inner nest.
int64_t elements_of(const ir::Function& kernel, ir::NodeId phase,
                    const std::map<std::string, int64_t>& sizes) {
    int64_t count = 1;
    for (ExtentId e : std::get<ir::Loops>(kernel.node(phase).attribute).extents) {
        std::string why;
        const std::optional<int64_t> extent = kernel.extents.evaluate(e, sizes, &why);
        if (!extent) {
            throw UserError(fmt::format("the size {} cannot be computed: {}", kernel.extents.text(e), why));
        }
        if (__builtin_mul_overflow(count, std::max<int64_t>(*extent, 0), &count))
            throw UserError("a reduction has more than 2^63 elements");
    }
    return count;
}

/// Elements of the longest phase.
int64_t longest(const ir::Function& kernel, const CudaFolds& folds,
                const std::map<std::string, int64_t>& sizes) {
    int64_t most = 0;
    for (ir::NodeId phase : folds.phases) most = std::max(most, elements_of(kernel, phase, sizes));
    return most;
}

/// Bytes of shared memory in which a row keeps what it holds.
int64_t row_bytes(const ir::Function& kernel, const CudaFolds& folds,
                  const std::map<std::string, int64_t>& sizes) {
    int64_t bytes = 0;
    if (!folds.rows) return bytes;
    for (const CudaRoom::Place& place : cuda_room(kernel, folds).places) {
        const int64_t count = elements_of(kernel, place.hold, sizes);
        if (count > kMostHeld) throw UserError("a row is longer than what a GPU keeps on chip");
        bytes += cuda_row_room(count) * byte_size(place.dtype);
    }
    return bytes;
}

/// Blocks that share an output, when about `wanted` are to: each takes a power of two of `chunks`.
int64_t sharing_blocks(int64_t chunks, int64_t workers_of_block, int64_t wanted) {
    const int64_t workers = std::clamp<int64_t>(wanted, 1, kMostParts) * workers_of_block;
    const int64_t share = power_of_two(ceil_div(chunks, workers));
    return ceil_div(chunks, share * workers_of_block);
}

struct Shape {
    int64_t outputs = 0;
    int64_t elements = 0;   ///< of the longest fold
    int64_t row_bytes = 0;  ///< on chip, for each output
    int64_t chunks() const { return ceil_div(elements, ir::kReduceChunk); }
};

/// Outputs of a block that has room for so many: fewer where that gives idle multiprocessors work.
int64_t outputs_of_block(int64_t room, int64_t least, int64_t outputs) {
    while (room > least && ceil_div(outputs, room) < kFillBlocks) room /= 2;
    return room;
}

/// Rows of a block of so many at most: fewer where they keep much, so that a multiprocessor has several
/// blocks.
int64_t rows_on_chip(int64_t room, int64_t least, int64_t row_bytes) {
    while (room > least && room * row_bytes > kBlockBytes) room /= 2;
    return room;
}

CudaGeometry short_rows(const Shape& s) {
    int64_t threads = 1;
    while (threads * kWarpLanes < s.elements) threads *= 2;
    const int64_t least = kCudaWarp / threads;
    const int64_t room = rows_on_chip(kCudaFoldThreads / threads, least, s.row_bytes);
    const int64_t rows = outputs_of_block(room, least, s.outputs);
    CudaGeometry g;
    g.block[0] = static_cast<uint32_t>(threads);
    g.block[1] = static_cast<uint32_t>(rows);
    g.grid[0] = static_cast<uint32_t>(std::min(ceil_div(s.outputs, rows), kMostGridX + 1));
    return g;
}

CudaGeometry long_rows(const Shape& s, const CudaFolds& folds) {
    const int64_t most_warps = folds.most_threads() / kCudaWarp;
    int64_t warps = 1;
    while (warps < most_warps && warps < s.chunks() && s.outputs * warps < kFillWarps) warps *= 2;
    // Rows that lie on chip leave room for few others: warps make up for it.
    while (warps < most_warps && warps < s.chunks() &&
           kChipBytes / std::max<int64_t>(s.row_bytes, 1) * warps < kBusyWarps)
        warps *= 2;
    int64_t blocks = 1;
    if (folds.shared() && s.outputs * warps < kFillWarps / 2 && s.chunks() > kChunksOfBlock) {
        warps = s.chunks() < kManyChunks ? 4 : most_warps;
        blocks = sharing_blocks(s.chunks(), warps,
                                std::min(kFillWarps / (s.outputs * warps), warps * kCudaPartsOfWarp));
    }
    const int64_t room = rows_on_chip(kCudaFoldThreads / kCudaWarp, 1, s.row_bytes);
    const int64_t rows = warps > 1 ? 1 : outputs_of_block(room, 1, s.outputs);
    CudaGeometry g;
    g.block[0] = kCudaWarp;
    g.block[1] = static_cast<uint32_t>(rows);
    g.block[2] = static_cast<uint32_t>(warps);
    g.grid[0] = static_cast<uint32_t>(std::min(ceil_div(s.outputs, rows), kMostGridX + 1));
    g.grid[1] = static_cast<uint32_t>(blocks);
    return g;
}

CudaGeometry columns(const Shape& s, const CudaFolds& folds, int64_t together) {
    const int64_t lanes = power_of_two(std::min(s.elements, ir::kReduceLanes));
    const bool blocks_share = folds.shared() && s.chunks() > 1;
    const int64_t most_sharers = blocks_share ? 8 : 16;
    int64_t sharers = 1;
    while (sharers < most_sharers && 2 * sharers * together <= lanes && s.outputs * sharers < kFillThreads)
        sharers *= 2;
    // A warp reads whole lines of memory; half lines where only that gives all multiprocessors work.
    const int64_t least = std::clamp<int64_t>(power_of_two(s.outputs), 8, blocks_share ? 32 : 16);
    const int64_t width = outputs_of_block(kCudaFoldThreads / sharers, least, s.outputs);
    const int64_t groups = ceil_div(s.outputs, width);
    int64_t blocks = 1;
    if (blocks_share && groups * width * sharers < kFillThreads)
        blocks = sharing_blocks(s.chunks(), 1, kFillThreads / (groups * width * sharers));
    CudaGeometry g;
    g.block[0] = static_cast<uint32_t>(width);
    g.block[1] = static_cast<uint32_t>(sharers);
    g.grid[0] = static_cast<uint32_t>(std::min(groups, kMostGridX + 1));
    g.grid[1] = static_cast<uint32_t>(std::max<int64_t>(blocks, 1));
    return g;
}

size_t rounded(size_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace

CudaGeometry cuda_fold_geometry(const ir::Function& kernel, const CudaFolds& folds, int64_t outputs,
                                const std::map<std::string, int64_t>& sizes) {
    const Shape shape{outputs, longest(kernel, folds, sizes), row_bytes(kernel, folds, sizes)};
    int64_t together = ir::kReduceLanes;
    for (ir::NodeId fold : folds.folds)
        together = std::min<int64_t>(together, cuda_fold_together(kernel, fold));
    CudaGeometry g = !folds.team                          ? columns(shape, folds, together)
                     : shape.elements <= ir::kReduceLanes ? short_rows(shape)
                                                          : long_rows(shape, folds);
    if (g.grid[0] > kMostGridX)
        throw UserError(fmt::format("{} results are more than a CUDA grid holds", outputs));
    g.shared_bytes = static_cast<uint32_t>(g.block[1] * shape.row_bytes);
    g.takes_workspace = folds.shared();
    if (g.grid[1] == 1) return g;
    require(g.grid[0] <= kCudaTickets, "more blocks than tickets");
    g.ticket_bytes = sizeof(uint32_t) * kCudaTickets;
    g.workspace_bytes = g.ticket_bytes;
    for (ir::NodeId fold : folds.folds)
        g.workspace_bytes +=
            rounded(cuda_part_bytes(kernel, fold) * static_cast<size_t>(outputs) * g.grid[1]);
    return g;
}

}  // namespace fuseline
