// KernelCache: a map of shared futures; the first caller of a key builds outside the lock.
#include "runtime/cache/kernel_cache.h"

namespace fuseline {

std::unordered_multimap<Hash128, KernelCache::Entry>::iterator KernelCache::find(const Hash128& hash,
                                                                                 const std::string& text) {
    const auto [first, last] = entries_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        if (it->second.text == text) return it;
    }
    return entries_.end();
}

KernelCache::Found KernelCache::get(const Hash128& hash, const std::string& text, const Build& build) {
    std::promise<std::shared_ptr<Executable>> promise;
    {
        std::unique_lock lock(mutex_);
        const auto it = find(hash, text);
        if (it != entries_.end()) {
            const Future future = it->second.future;
            lock.unlock();
            return {future.get(), false};
        }
        entries_.emplace(hash, Entry{text, promise.get_future().share()});
    }
    try {
        std::shared_ptr<Executable> executable = build();
        promise.set_value(executable);
        return {std::move(executable), true};
    } catch (...) {
        {
            // Out of the map first: whoever comes from now on tries again.
            const std::lock_guard lock(mutex_);
            entries_.erase(find(hash, text));
        }
        promise.set_exception(std::current_exception());
        throw;
    }
}

}  // namespace fuseline
