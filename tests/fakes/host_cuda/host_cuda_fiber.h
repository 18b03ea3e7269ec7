// Fibers: functions that give the processor back in the middle and go on later.
#pragma once

#include <ucontext.h>

#include <csetjmp>
#include <cstddef>
#include <memory>
#include <vector>

namespace fuseline::host_cuda {

/// Numbered fibers that start at one function, and the scheduler that resumes them one at a time. A switch
/// costs two jumps; only a fiber's start asks the kernel of the operating system.
class Fibers {
public:
    /// Makes `count` fibers that start at `entry`, which calls `back` instead of returning. Those of before
    /// are forgotten where they stand; none may be running.
    void start(size_t count, void (*entry)());
    /// Runs a fiber until it calls `back`.
    void resume(size_t number);
    /// From the running fiber to the scheduler.
    void back(size_t number);
    /// Whether an address lies on a fiber's stack.
    bool holds(const char* at) const { return at >= stacks_.get() && at < stacks_.get() + bytes_; }

private:
    struct Fiber {
        ucontext_t context{};
        jmp_buf place{};
        bool started = false;
    };
    std::vector<Fiber> fibers_;
    /// Not cleared: most of it is never touched.
    std::unique_ptr<char[]> stacks_;
    size_t bytes_ = 0;
    [[maybe_unused]] ucontext_t scheduler_{};  ///< where sanitizers watch stacks
    jmp_buf scheduler_place_{};
};

}  // namespace fuseline::host_cuda
