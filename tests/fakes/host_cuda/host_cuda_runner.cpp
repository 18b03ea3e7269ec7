// Runs one launch of the host shim.
#include "tests/fakes/host_cuda/host_cuda_runner.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <mutex>
#include <vector>

#include "compiler/support/errors.h"
#include "tests/fakes/host_cuda/host_cuda_fiber.h"

namespace fuseline::host_cuda {
namespace {

constexpr unsigned kWarp = 32;

enum class Wait : uint8_t { ready, block, warp, finished };

struct Thread {
    Wait wait = Wait::ready;
    unsigned mask = 0;    ///< of the exchange it waits for
    unsigned parity = 0;  ///< of its next exchange
    FlHostIndex thread{};
};

/// Dynamic shared memory of a block, of exactly the bytes of the launch. A thread reads what it has written
/// itself, or what stood there at the last barrier of the block.
class SharedMemory {
public:
    explicit SharedMemory(size_t bytes) : bytes_(bytes), store_(bytes + 2 * kGuard), writers_(bytes) {}
    unsigned char* begin() {
        const auto at = reinterpret_cast<uintptr_t>(store_.data()) + kGuard;
        return reinterpret_cast<unsigned char*>(at / kGuard * kGuard);
    }
    void open_block() {
        std::fill(store_.begin(), store_.end(), 0xff);
        std::fill(writers_.begin(), writers_.end(), Writer{});
        epoch_ = 1;
    }
    void barrier() { ++epoch_; }
    /// Near the memory, so that a stray access is told from one elsewhere.
    bool near(const void* at) {
        const auto* p = static_cast<const unsigned char*>(at);
        return bytes_ != 0 && p >= store_.data() && p < store_.data() + store_.size();
    }
    /// "" or what is wrong.
    std::string_view access(const void* at, size_t bytes, bool write, unsigned thread) {
        const std::ptrdiff_t first = static_cast<const unsigned char*>(at) - begin();
        if (first < 0 || static_cast<size_t>(first) + bytes > bytes_)
            return "an access outside the block's dynamic shared memory";
        for (size_t k = static_cast<size_t>(first); k < static_cast<size_t>(first) + bytes; ++k) {
            Writer& w = writers_[k];
            if (!write && w.epoch == 0) return "a read of shared memory that nobody has written";
            if (w.epoch == epoch_ && w.thread != thread)
                return "two threads meet in shared memory without a barrier between";
            if (write) w = {thread, epoch_};
        }
        return {};
    }

private:
    static constexpr size_t kGuard = 1024;
    struct Writer {
        unsigned thread = 0, epoch = 0;
    };
    size_t bytes_;
    std::vector<unsigned char> store_;
    std::vector<Writer> writers_;
    unsigned epoch_ = 1;
};

/// The launch that runs; callbacks of the kernel reach it through `current`.
class Runner {
public:
    Runner(const Launch& launch, const Memory& memory)
        : l_(launch), memory_(memory), shared_(launch.geometry.shared_bytes) {
        find_stack();
    }

    Outcome run();

    void access(const void* at, size_t bytes, bool write);
    void fail(std::string_view what) {
        note(what);
        leave();
    }
    void barrier() { wait(Wait::block); }
    const unsigned long long* exchange(unsigned mask, unsigned long long value);

private:
    void note(std::string_view what);
    void leave();
    void find_stack();
    bool own(const void* at) const;
    void plain_block();
    void fiber_block();
    void start_fibers(unsigned count);
    static void fiber_main();
    void wait(Wait what);
    bool release();
    void release_warps();
    unsigned threads() const { return l_.geometry.block[0] * l_.geometry.block[1] * l_.geometry.block[2]; }
    FlHostIndex thread_index(unsigned number) const {
        const uint32_t* b = l_.geometry.block;
        return {number % b[0], number / b[0] % b[1], number / b[0] / b[1]};
    }

    const Launch& l_;
    const Memory& memory_;
    SharedMemory shared_;
    Outcome outcome_;
    const char* stack_begin_ = nullptr;
    const char* stack_end_ = nullptr;
    jmp_buf fault_{};
    std::vector<Thread> threads_;
    Fibers fibers_;
    std::vector<unsigned long long> slots_;  ///< two rows of one value a thread
    unsigned running_ = 0;
    bool stop_ = false;
};

thread_local Runner* current = nullptr;

void Runner::find_stack() {
    pthread_attr_t attributes;
    void* begin = nullptr;
    size_t size = 0;
    require(pthread_getattr_np(pthread_self(), &attributes) == 0, "the host shim cannot find its stack");
    pthread_attr_getstack(&attributes, &begin, &size);
    pthread_attr_destroy(&attributes);
    stack_begin_ = static_cast<const char*>(begin);
    stack_end_ = stack_begin_ + size;
}

/// Local variables and constants of the kernel itself.
bool Runner::own(const void* at) const {
    const char* p = static_cast<const char*>(at);
    if (p >= stack_begin_ && p < stack_end_) return true;
    if (p >= l_.state->image_begin && p < l_.state->image_end) return true;
    const char* slots = reinterpret_cast<const char*>(slots_.data());
    if (p >= slots && p < slots + slots_.size() * sizeof(slots_[0])) return true;
    return fibers_.holds(p);
}

void Runner::access(const void* at, size_t bytes, bool write) {
    if (own(at)) return;
    if (shared_.near(at)) {
        const std::string_view wrong = shared_.access(at, bytes, write, running_);
        if (wrong.empty()) return;
        note(wrong);
        leave();
    }
    if (!memory_.holds(at, bytes)) {
        note(fmt::format("{} of {} bytes {}", write ? "a write" : "a read", bytes, memory_.describe(at)));
        leave();
    }
    (write ? outcome_.count.written_bytes : outcome_.count.read_bytes) += bytes;
    if (write && bytes == 16) outcome_.count.wide_stores++;
}

void Runner::note(std::string_view what) {
    const FlHostState& s = *l_.state;
    outcome_.fault = fmt::format("block ({}, {}, {}) thread ({}, {}, {}): {}", s.block.x, s.block.y,
                                 s.block.z, s.thread.x, s.thread.y, s.thread.z, what);
}

/// Leaves the kernel without unwinding: neither its frames nor those of the callbacks own anything here.
void Runner::leave() {
    if (threads_.empty()) longjmp(fault_, 1);
    stop_ = true;
    fibers_.back(running_);
}

void Runner::plain_block() {
    for (unsigned t = 0; t < threads(); ++t) {
        l_.state->thread = thread_index(t);
        l_.entry(l_.buffers, l_.scalars, l_.sizes);
    }
}

void Runner::fiber_main() {
    Runner& r = *current;
    r.l_.entry(r.l_.buffers, r.l_.scalars, r.l_.sizes);
    r.threads_[r.running_].wait = Wait::finished;
    r.fibers_.back(r.running_);
}

void Runner::start_fibers(unsigned count) {
    threads_.assign(count, {});
    slots_.assign(2 * count, 0);
    fibers_.start(count, fiber_main);
    for (unsigned t = 0; t < count; ++t) threads_[t].thread = thread_index(t);
}

void Runner::wait(Wait what) {
    if (threads_.empty()) fail("a kernel without barriers waits");
    Thread& f = threads_[running_];
    f.wait = what;
    fibers_.back(running_);
}

const unsigned long long* Runner::exchange(unsigned mask, unsigned long long value) {
    if (threads_.empty()) fail("a kernel without exchanges waits");
    Thread& f = threads_[running_];
    unsigned long long* row = slots_.data() + f.parity * threads_.size();
    row[running_] = value;
    f.parity ^= 1;
    f.mask = mask;
    wait(Wait::warp);
    return row + running_ / kWarp * kWarp;
}

/// Lets the lanes of a warp go on whose partners have all arrived.
void Runner::release_warps() {
    for (size_t first = 0; first < threads_.size(); first += kWarp) {
        const size_t end = std::min<size_t>(first + kWarp, threads_.size());
        unsigned arrived = 0;
        for (size_t t = first; t < end; ++t) {
            const Wait w = threads_[t].wait;
            if (w == Wait::warp || w == Wait::finished) arrived |= 1u << (t - first);
        }
        for (size_t t = end - first; t < kWarp; ++t) arrived |= 1u << t;
        for (size_t t = first; t < end; ++t) {
            Thread& f = threads_[t];
            if (f.wait == Wait::warp && (f.mask & ~arrived) == 0) f.wait = Wait::ready;
        }
    }
}

/// Makes waiting fibers ready again; false when all have finished.
bool Runner::release() {
    release_warps();
    bool ready = false, finished = true, block = true;
    for (const Thread& f : threads_) {
        ready = ready || f.wait == Wait::ready;
        finished = finished && f.wait == Wait::finished;
        block = block && (f.wait == Wait::block || f.wait == Wait::finished);
    }
    if (finished) return false;
    if (ready) return true;
    if (!block) {
        outcome_.fault = "threads of a block wait for each other at different places";
        return false;
    }
    shared_.barrier();
    for (Thread& f : threads_) {
        if (f.wait == Wait::block) f.wait = Wait::ready;
    }
    return true;
}

void Runner::fiber_block() {
    start_fibers(threads());
    while (!stop_ && release()) {
        for (running_ = 0; !stop_ && running_ < threads_.size(); ++running_) {
            Thread& f = threads_[running_];
            if (f.wait != Wait::ready) continue;
            l_.state->thread = f.thread;
            fibers_.resume(running_);
        }
    }
    stop_ = stop_ || !outcome_.fault.empty();
}

Outcome Runner::run() {
    FlHostState& s = *l_.state;
    s.access = [](const void* at, unsigned long bytes, bool write) { current->access(at, bytes, write); };
    s.misaligned = [](const void*) { current->fail("an access without the alignment of its type"); };
    s.barrier = [] { current->barrier(); };
    s.exchange = [](unsigned mask, unsigned long long value) { return current->exchange(mask, value); };
    const CudaGeometry& g = l_.geometry;
    s.block_dim = {g.block[0], g.block[1], g.block[2]};
    s.shared = shared_.begin();
    s.grid_dim = {g.grid[0], g.grid[1], g.grid[2]};
    current = this;
    if (setjmp(fault_) == 0) {
        for (s.block.z = 0; s.block.z < g.grid[2]; ++s.block.z) {
            for (s.block.y = 0; s.block.y < g.grid[1]; ++s.block.y) {
                for (s.block.x = 0; s.block.x < g.grid[0] && !stop_; ++s.block.x) {
                    shared_.open_block();
                    if (l_.waits) {
                        fiber_block();
                    } else {
                        plain_block();
                    }
                }
            }
        }
    }
    current = nullptr;
    return outcome_;
}

}  // namespace

Outcome run(const Launch& launch, const Memory& memory) { return Runner(launch, memory).run(); }

}  // namespace fuseline::host_cuda
