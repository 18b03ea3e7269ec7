// Cutting a range into pieces; oneTBB runs them, or plain threads where a thread sanitizer looks on.
#include "runtime/cpu/parallel_for.h"

#include <algorithm>
#include <thread>

#if defined(FUSELINE_PLAIN_THREADS)
#include <atomic>
#include <exception>
#include <mutex>
#include <vector>
#else
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace fuseline {
namespace {

/// The host program may have set another rounding mode or flush to zero.
class DefaultFloatMode {
public:
#if defined(__SSE2__)
    DefaultFloatMode() : saved_(_mm_getcsr()) {
        if (saved_ != kDefault) _mm_setcsr(kDefault);
    }
    ~DefaultFloatMode() {
        // Sticky exception flags that kernels raise are not the caller's.
        _mm_setcsr(saved_);
    }

private:
    static constexpr unsigned kDefault = 0x1F80;
    unsigned saved_;
#else
    DefaultFloatMode() {}
    ~DefaultFloatMode() {}
#endif
};

int64_t divided_up(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Steps of one piece.
int64_t piece_steps(int64_t extent, int64_t elements, int64_t element_cost, int threads, int64_t together) {
    const int64_t least_elements = divided_up(ParallelFor::kGrain, std::max<int64_t>(1, element_cost));
    const int64_t least = divided_up(least_elements, std::max<int64_t>(1, elements));
    // Four pieces a thread even out cores of different speed.
    const int64_t steps = std::max(least, divided_up(extent, 4 * int64_t{threads}));
    if (together == 0) together = elements < ParallelFor::kStep ? ParallelFor::kStep : 1;
    return divided_up(steps, together) * together;
}

}  // namespace

#if defined(FUSELINE_PLAIN_THREADS)

static int all_threads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

struct ParallelFor::Arena {
    explicit Arena(int) {}
};

void ParallelFor::run_pieces(int64_t pieces, const std::function<void(int64_t)>& piece) {
    std::atomic<int64_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&] {
        for (int64_t k = next++; k < pieces; k = next++) {
            try {
                piece(k);
            } catch (...) {
                const std::lock_guard lock(failing);
                if (!failure) failure = std::current_exception();
                next = pieces;
            }
        }
    };
    std::vector<std::thread> helpers;
    for (int64_t k = 1; k < std::min<int64_t>(threads_, pieces); ++k) helpers.emplace_back(work);
    work();
    for (std::thread& t : helpers) t.join();
    if (failure) std::rethrow_exception(failure);
}

#else

static int all_threads() { return tbb::info::default_concurrency(); }

struct ParallelFor::Arena {
    // oneTBB writes a warning when it is asked for more threads than there are.
    explicit Arena(int threads) : arena(std::min(threads, all_threads())) {}
    tbb::task_arena arena;
};

void ParallelFor::run_pieces(int64_t pieces, const std::function<void(int64_t)>& piece) {
    arena_->arena.execute([&] { tbb::parallel_for(int64_t{0}, pieces, piece, tbb::simple_partitioner()); });
}

#endif

ParallelFor::ParallelFor(int threads)
    : threads_(threads > 0 ? threads : all_threads()), arena_(std::make_unique<Arena>(threads_)) {}

ParallelFor::~ParallelFor() = default;

void ParallelFor::run(int64_t extent, int64_t elements, int64_t element_cost,
                      const std::function<void(int64_t, int64_t)>& chunk, int64_t together) {
    if (extent <= 0) return;
    const int64_t steps =
        threads_ == 1 ? extent : piece_steps(extent, elements, element_cost, threads_, together);
    if (steps >= extent) {
        const DefaultFloatMode mode;
        return chunk(0, extent);
    }
    run_pieces(divided_up(extent, steps), [&](int64_t k) {
        const DefaultFloatMode mode;
        chunk(k * steps, std::min(extent, (k + 1) * steps));
    });
}

}  // namespace fuseline
