// Where there are fewer outputs than threads, the chunks of each fold in turn are computed in pieces, and one
// call at the end combines them.
#include "runtime/cpu/fold_launch.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "compiler/ir/reduction_order.h"

namespace fuseline {
namespace {

constexpr int64_t kMost = int64_t{1} << 60;

int64_t times(int64_t a, int64_t b) {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? kMost : std::min(product, kMost);
}

/// One launch with few outputs.
class ChunkedLaunch {
public:
    ChunkedLaunch(ParallelFor& workers, CpuFoldKernel kernel, const CpuRange& range, const CpuCost& cost,
                  const LaunchArguments& arguments)
        : workers_(workers), kernel_(kernel), range_(range), cost_(cost), arguments_(arguments) {
        words_.resize(CpuParts::kArrays);
        words_[CpuParts::kFold] = -1;
        for (const CpuRange::Loop& fold : range.loops) words_.resize(words_.size() + fold.parts, 0);
    }

    void run() {
        size_t array = CpuParts::kArrays;
        for (size_t number = 0; number < range_.loops.size(); ++number) {
            // One chunk is computed where it is needed.
            if (range_.loops[number].chunks > 1) compute(number, array);
            array += range_.loops[number].parts;
        }
        // On this thread, in the mode of floating point that pieces have.
        workers_.run(1, 1, 1, [&](int64_t, int64_t) { call(words_); });
    }

private:
    void compute(size_t number, size_t array) {
        const CpuRange::Loop& fold = range_.loops[number];
        const int64_t outputs = times(range_.extent, range_.work_per_step);
        for (size_t part = 0; part < fold.parts; ++part) {
            const auto slots = static_cast<size_t>(times(outputs, fold.chunks));
            arrays_.push_back(std::make_unique_for_overwrite<uint64_t[]>(slots));
            words_[array + part] = reinterpret_cast<int64_t>(arrays_.back().get());
        }
        const auto piece = [&](int64_t first, int64_t last) {
            std::vector<int64_t> words = words_;
            words[CpuParts::kFold] = static_cast<int64_t>(number);
            words[CpuParts::kFirstChunk] = first;
            words[CpuParts::kLastChunk] = last;
            call(words);
        };
        workers_.run(fold.chunks, times(outputs, ir::kReduceChunk), cost_.loops[number], piece, 1);
    }

    void call(const std::vector<int64_t>& words) const {
        kernel_(arguments_.buffers.data(), arguments_.scalars.data(), arguments_.sizes.data(), 0,
                range_.extent, words.data());
    }

    ParallelFor& workers_;
    CpuFoldKernel kernel_;
    const CpuRange& range_;
    const CpuCost& cost_;
    const LaunchArguments& arguments_;
    std::vector<int64_t> words_;
    std::vector<std::unique_ptr<uint64_t[]>> arrays_;
};

}  // namespace

void launch_folds(ParallelFor& workers, CpuFoldKernel kernel, const CpuRange& range, const CpuCost& cost,
                  int64_t together, const LaunchArguments& arguments) {
    int64_t point = cost.point, chunks = 0;
    size_t parts = 0;
    for (size_t k = 0; k < range.loops.size(); ++k) {
        point = std::min(kMost, point + times(range.loops[k].elements, cost.loops[k]));
        chunks = std::max(chunks, range.loops[k].chunks);
        parts += range.loops[k].parts;
    }
    const int64_t units = range.extent / together + (range.extent % together != 0 ? 1 : 0);
    const int64_t all = times(times(range.extent, range.work_per_step), point);
    if (workers.threads() > 1 && units < 2 * workers.threads() && chunks > units &&
        all > 2 * ParallelFor::kGrain) {
        return ChunkedLaunch(workers, kernel, range, cost, arguments).run();
    }
    std::vector<int64_t> words(CpuParts::kArrays + parts, 0);
    words[CpuParts::kFold] = -1;
    const auto piece = [&](int64_t begin, int64_t end) {
        kernel(arguments.buffers.data(), arguments.scalars.data(), arguments.sizes.data(), begin, end,
               words.data());
    };
    workers.run(range.extent, range.work_per_step, point, piece, together);
}

}  // namespace fuseline
