// Kernels in memory by content key: each is compiled once, however many threads ask at the same time.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "compiler/support/hash.h"
#include "runtime/device/device.h"

namespace fuseline {

class KernelCache {
public:
    using Build = std::function<std::shared_ptr<Executable>()>;

    struct Found {
        std::shared_ptr<Executable> executable;
        bool compiled = false;  ///< by this call; false: it was there, or another thread compiled it
    };

    /// The executable of a key; `text` is compared on a hit, so that two kernels of one hash never share
    /// code. An exception of `build` reaches everyone who waits and is not kept: the next call tries again.
    Found get(const Hash128& hash, const std::string& text, const Build& build);

private:
    using Future = std::shared_future<std::shared_ptr<Executable>>;
    struct Entry {
        std::string text;
        Future future;
    };
    std::unordered_multimap<Hash128, Entry>::iterator find(const Hash128& hash, const std::string& text);

    std::mutex mutex_;
    std::unordered_multimap<Hash128, Entry> entries_;
};

}  // namespace fuseline
