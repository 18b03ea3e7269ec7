// Runs chunks of a range on the processor's cores.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace fuseline {

/// Workers of one device. Thread-safe.
class ParallelFor {
public:
    /// `threads` 0: as many as the processor runs at once.
    explicit ParallelFor(int threads);
    ~ParallelFor();
    ParallelFor(const ParallelFor&) = delete;
    ParallelFor& operator=(const ParallelFor&) = delete;

    int threads() const { return threads_; }

    /// Calls `chunk(begin, end)` for pieces that cover [0, extent) and waits for all of them. A step is
    /// `elements` of `element_cost` (see CpuCost) each; a piece costs about `kGrain` at least, so that small
    /// ranges stay on the calling thread. Pieces begin at multiples of `together` steps; 0: of whole cache
    /// lines. Floating point runs in the default mode: to nearest,
    /// with denormals, without traps. The first exception of a piece is thrown again here.
    void run(int64_t extent, int64_t elements, int64_t element_cost,
             const std::function<void(int64_t, int64_t)>& chunk, int64_t together = 0);

    /// Some ten microseconds, several times what handing a piece to another thread takes.
    static constexpr int64_t kGrain = int64_t{1} << 18;
    /// Begins of pieces are multiples of this many elements, so that neighbouring threads share no cache
    /// line.
    static constexpr int64_t kStep = 64;

private:
    void run_pieces(int64_t pieces, const std::function<void(int64_t)>& piece);

    int threads_;
    struct Arena;
    std::unique_ptr<Arena> arena_;
};

}  // namespace fuseline
