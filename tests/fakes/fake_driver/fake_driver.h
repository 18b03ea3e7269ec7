// A CUDA driver for tests: memory on the host, objects counted, misuse noted, any call made to fail.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cuda/driver.h"

namespace fuseline::testing {

/// The GPU and the driver that the fake plays.
struct FakeGpu {
    std::string name = "Fake GPU";
    int count = 1;
    int major = 9;
    int minor = 0;
    int driver_version = 13000;
    size_t memory = size_t{1} << 30;
    std::set<std::string> missing = {};  ///< symbols that the driver does not export

    /// A driver before stream-ordered memory and libraries.
    static FakeGpu old();
};

/// One launch; `parameters` is valid during `on_launch` only.
struct FakeLaunch {
    std::string symbol;
    unsigned grid[3] = {};
    unsigned block[3] = {};
    unsigned shared_bytes = 0;
    cuda::StreamHandle stream = nullptr;
    void** parameters = nullptr;
};

/// The functions of all tables act on the fake that was made last; when it goes, on the one before. Work on
/// streams is done at once. Thread-safe.
class FakeDriver {
public:
    explicit FakeDriver(FakeGpu gpu = {});
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    /// Through resolve_driver, so that a missing symbol throws what it throws for a real driver.
    std::shared_ptr<const cuda::DriverTable> table();

    /// The `number`-th call from now (from 1) gives `code` and does nothing; calls that release do their work
    /// all the same.
    void fail_call(int number, cuda::Result code);
    /// The same for the calls of one symbol.
    void fail_call_of(const std::string& symbol, cuda::Result code, int number = 1);

    /// Symbols in the order of their calls, each with the handles it got: "cuEventRecord event3 stream1".
    std::vector<std::string> calls() const;
    int count_of(const std::string& symbol) const;
    /// The symbol of the call that failed by order; "" when none has.
    std::string failed() const;

    /// What lives: "" for nothing, else "1 stream, 2 memory, 1 context".
    std::string live() const;
    /// What a caller did wrong: no current context, unknown or released handles, copies beyond memory. Each a
    /// sentence.
    std::vector<std::string> faults() const;
    /// Contexts on this thread's stack.
    size_t context_depth() const;

    /// A context and a stream of the caller's own, which `live` leaves out.
    cuda::Context make_caller_context();
    void make_current(cuda::Context context);
    cuda::StreamHandle make_caller_stream(bool capturing = false);
    /// "stream3", as in `calls`.
    std::string text_of(const void* handle) const;

    std::function<void(const FakeLaunch&)> on_launch;

private:
    friend struct FakeFunctions;
    enum class Kind { context, module, library, function, kernel, stream, event, pool, memory };
    struct Object {
        Kind kind;
        std::string symbol = {};  ///< of a function or kernel; the image of a module or library
        uint64_t parent = 0;      ///< of a function or kernel
        bool callers = false;
        bool capturing = false;
        std::vector<std::byte> bytes = {};  ///< of memory
    };

    /// Begins a call: its result if it fails, and whether it does nothing.
    cuda::Result enter(const char* symbol, bool* skip);
    uint64_t add(Object object);
    Object* find(uint64_t handle, Kind kind);
    cuda::Result release(uint64_t handle, Kind kind);
    cuda::Result test_memory(cuda::Address address, size_t bytes);
    cuda::Result allocate(cuda::Address* address, size_t bytes);
    cuda::Result find_kernel(uint64_t* handle, Kind kind, uint64_t parent, const char* name);
    void note(const std::string& fault) { faults_.push_back(call_ + ": " + fault); }
    void note_handle(const void* handle) { calls_.back() += " " + text_of(handle); }
    static const char* kind_text(Kind kind);

    FakeGpu gpu_;
    FakeDriver* outer_;
    mutable std::recursive_mutex mutex_;
    std::map<uint64_t, Object> objects_;
    std::map<std::thread::id, std::vector<cuda::Context>> stacks_;
    uint64_t primary_ = 0;
    int retained_ = 0;
    size_t used_ = 0;                       ///< with what waits in the pool
    size_t pooled_ = 0;                     ///< freed to the pool
    std::map<std::thread::id, int> modes_;  ///< of capture
    uint64_t next_ = 1;
    std::string call_;  ///< the symbol of the call in progress
    std::vector<std::string> calls_;
    std::vector<std::string> faults_;
    int fail_in_ = 0;
    std::string fail_symbol_;
    cuda::Result fail_code_ = 0;
    std::string failed_;
};

}  // namespace fuseline::testing
