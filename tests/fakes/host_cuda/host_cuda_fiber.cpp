// Fibers by ucontext, which makes their stacks, and by jumps, which cost no system call.
// A fortified longjmp refuses to change stacks.
#undef _FORTIFY_SOURCE
#include "tests/fakes/host_cuda/host_cuda_fiber.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FL_WATCHED_STACKS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FL_WATCHED_STACKS 1
#endif

namespace fuseline::host_cuda {
namespace {

constexpr size_t kStack = 256 * 1024;

}  // namespace

void Fibers::start(size_t count, void (*entry)()) {
    fibers_.resize(count);
    if (bytes_ < count * kStack) {
        bytes_ = count * kStack;
        stacks_ = std::make_unique_for_overwrite<char[]>(bytes_);
    }
    for (size_t k = 0; k < count; ++k) {
        Fiber& f = fibers_[k];
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = stacks_.get() + k * kStack;
        f.context.uc_stack.ss_size = kStack;
        f.context.uc_link = nullptr;
        f.started = false;
        makecontext(&f.context, entry, 0);
    }
}

#ifdef FL_WATCHED_STACKS

// Sanitizers follow a change of stacks by ucontext only.
void Fibers::resume(size_t number) { swapcontext(&scheduler_, &fibers_[number].context); }
void Fibers::back(size_t number) { swapcontext(&fibers_[number].context, &scheduler_); }

#else

void Fibers::resume(size_t number) {
    Fiber& f = fibers_[number];
    if (_setjmp(scheduler_place_) != 0) return;
    if (f.started) _longjmp(f.place, 1);
    f.started = true;
    setcontext(&f.context);
}

void Fibers::back(size_t number) {
    if (_setjmp(fibers_[number].place) == 0) _longjmp(scheduler_place_, 1);
}

#endif

}  // namespace fuseline::host_cuda
