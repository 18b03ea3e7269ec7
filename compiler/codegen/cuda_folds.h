// What the text of a kernel with folds, its launch and its workspace must agree on.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// Threads of a block at most; the second where one team finishes its output alone.
inline constexpr int kCudaFoldThreads = 256;
inline constexpr int kCudaChainThreads = 512;
inline constexpr int kCudaWarp = 32;
/// At the begin of the workspace: always as many, so that a workspace serves one kernel after the other.
inline constexpr int kCudaTickets = 1024;
/// Parts of an output that one warp combines at the end.
inline constexpr int kCudaPartsOfWarp = 128;

/// The folds of a kernel's nest.
struct CudaFolds {
    std::vector<ir::NodeId> folds;
    /// Folds, holds and inner nests in their order.
    std::vector<ir::NodeId> phases;
    /// What a row keeps or stores element by element follows its folds, in one block.
    bool rows = false;
    /// Neighbouring threads share an output; else they have neighbouring outputs.
    bool team = false;
    /// A fold uses what another one gives, so that a block finishes its outputs.
    bool chained = false;
    /// Nodes of the nest that folds need, and the folds themselves.
    std::set<ir::NodeId> needed;
    bool any() const { return !folds.empty(); }
    /// Several blocks may share an output: the kernel has the workspace as its last parameter.
    bool shared() const { return any() && !chained; }
    int most_threads() const { return chained && team ? kCudaChainThreads : kCudaFoldThreads; }
};

CudaFolds cuda_folds(const ir::Function& kernel);

/// Where a kernel's rows lie on chip: places in the block's dynamic shared memory.
struct CudaRoom {
    struct Place {
        ir::NodeId hold;  ///< the first one there: its extents are the place's
        DType dtype = DType::f32_;
    };
    std::vector<Place> places;
    /// By value index. What is read for the last time gives its place to what is made of it: threads read
    /// and write elements of their own only.
    std::map<uint32_t, size_t> of;
};
CudaRoom cuda_room(const ir::Function& kernel, const CudaFolds& folds);

/// Elements of a row in a place for `count`: a multiple of 16 bytes whatever the type.
inline int64_t cuda_row_room(int64_t count) { return (count + 15) / 16 * 16; }

/// Elementwise and structural nodes that one element costs, with combining it.
size_t cuda_fold_work(const ir::Function& kernel, ir::NodeId fold);
/// Rounds of loads in flight in a thread of a team, for holds and inner nests too; 0: the element is compiled
/// once.
int cuda_fold_unroll(const ir::Function& kernel, ir::NodeId fold);
/// Lanes that a thread of a column takes at a time, a power of two.
int cuda_fold_together(const ir::Function& kernel, ir::NodeId fold);

/// sizeof of the state that a fold combines, and of its part in the workspace.
size_t cuda_state_bytes(const ir::Function& kernel, ir::NodeId fold);
size_t cuda_part_bytes(const ir::Function& kernel, ir::NodeId fold);

}  // namespace fuseline
