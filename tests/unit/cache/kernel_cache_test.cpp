// The kernel cache: one build a key, failures not kept, text compared.
#include "runtime/cache/kernel_cache.h"

#include <atomic>
#include <condition_variable>
#include <thread>

#include "compiler/support/errors.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

constexpr int kThreads = 8;

std::shared_ptr<Executable> executable(const std::string& symbol) {
    auto e = std::make_shared<Executable>();
    e->symbol = symbol;
    return e;
}

/// Opens once all `kThreads` threads are at their call.
class Gate {
public:
    void arrive() {
        std::unique_lock lock(mutex_);
        ++arrived_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return arrived_ >= kThreads; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int arrived_ = 0;
};

/// Runs `work(thread)` on all threads at once.
template <class Work>
void together(const Work& work) {
    Gate gate;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            gate.arrive();
            work(t);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("many threads that ask for one key build it once and share it", "[cache]") {
    KernelCache cache;
    std::atomic<int> builds = 0, compiled = 0;
    std::vector<std::shared_ptr<Executable>> got(kThreads);
    together([&](int t) {
        const KernelCache::Found found = cache.get(hash128("k"), "k", [&] {
            ++builds;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return executable("k");
        });
        compiled += found.compiled;
        got[static_cast<size_t>(t)] = found.executable;
    });
    CHECK(builds == 1);
    CHECK(compiled == 1);
    for (const auto& e : got) CHECK(e == got[0]);
}

TEST_CASE("keys are built at the same time, not one after the other", "[cache]") {
    KernelCache cache;
    Gate inside;
    // Every build waits until all builds have begun.
    together([&](int t) {
        const std::string text = std::to_string(t);
        cache.get(hash128(text), text, [&] {
            inside.arrive();
            return executable(text);
        });
    });
    CHECK_FALSE(cache.get(hash128("3"), "3", [] { return executable("again"); }).compiled);
}

TEST_CASE("a failed build reaches all who wait, and the next call tries again", "[cache]") {
    KernelCache cache;
    std::atomic<int> builds = 0, failures = 0;
    together([&](int) {
        try {
            cache.get(hash128("k"), "k", [&]() -> std::shared_ptr<Executable> {
                ++builds;
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                throw ToolchainError("no compiler");
            });
        } catch (const ToolchainError& e) {
            failures += std::string(e.what()) == "no compiler";
        }
    });
    CHECK(failures == kThreads);
    CHECK(builds >= 1);
    const KernelCache::Found found = cache.get(hash128("k"), "k", [] { return executable("k"); });
    CHECK(found.compiled);
    CHECK(found.executable->symbol == "k");
}

TEST_CASE("another text under an equal hash is another kernel", "[cache]") {
    KernelCache cache;
    const Hash128 hash = hash128("same");
    CHECK(cache.get(hash, "first", [] { return executable("first"); }).compiled);
    CHECK(cache.get(hash, "second", [] { return executable("second"); }).compiled);
    const auto never = []() -> std::shared_ptr<Executable> { throw InternalError("built again"); };
    CHECK(cache.get(hash, "first", never).executable->symbol == "first");
    CHECK(cache.get(hash, "second", never).executable->symbol == "second");
}

TEST_CASE("a failure of one text leaves its neighbour under the same hash", "[cache]") {
    KernelCache cache;
    const Hash128 hash = hash128("same");
    cache.get(hash, "good", [] { return executable("good"); });
    CHECK_THROWS_AS(
        cache.get(hash, "bad", []() -> std::shared_ptr<Executable> { throw ToolchainError("no"); }),
        ToolchainError);
    CHECK_FALSE(cache.get(hash, "good", [] { return executable("new"); }).compiled);
    CHECK(cache.get(hash, "bad", [] { return executable("bad"); }).compiled);
}
