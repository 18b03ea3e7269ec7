// FakeDriver: objects, failures, context stacks. What the driver's functions do is in fake_functions.cpp.
#include "tests/fakes/fake_driver/fake_driver.h"

#include <utility>

#include <fmt/format.h>

#include "tests/fakes/fake_driver/fake_functions.h"

namespace fuseline::testing {

using cuda::Result;

namespace {

/// Gives back an object or a place on a stack; a failure of such a call does not keep it.
bool releases(const std::string& symbol) {
    for (const char* word :
         {"Destroy", "Unload", "Release", "PopCurrent", "MemFree", "ExchangeStreamCapture"}) {
        if (symbol.find(word) != std::string::npos) return true;
    }
    return false;
}

bool needs_context(const std::string& symbol) {
    for (const char* word : {"cuInit", "cuDriver", "cuGetError", "cuDevice", "cuCtx", "cuMemPool",
                             "cuLibrary", "cuKernel", "cuThread"}) {
        if (symbol.starts_with(word)) return false;
    }
    return true;
}

}  // namespace

FakeGpu FakeGpu::old() {
    FakeGpu gpu;
    gpu.driver_version = 11000;
    gpu.missing = {"cuMemPoolCreate",    "cuMemPoolDestroy",    "cuMemPoolSetAttribute",   "cuMemPoolTrimTo",
                   "cuMemFreeAsync",     "cuLibraryLoadData",   "cuMemAllocFromPoolAsync", "cuLibraryUnload",
                   "cuLibraryGetKernel", "cuKernelSetAttribute"};
    return gpu;
}

FakeDriver::FakeDriver(FakeGpu gpu) : gpu_(std::move(gpu)), outer_(std::exchange(current_fake(), this)) {}

FakeDriver::~FakeDriver() { current_fake() = outer_; }

std::shared_ptr<const cuda::DriverTable> FakeDriver::table() {
    const auto resolve = [](const char* symbol, void* fake) -> void* {
        return static_cast<FakeDriver*>(fake)->gpu_.missing.contains(symbol) ? nullptr
                                                                             : fake_function(symbol);
    };
    return std::make_shared<cuda::DriverTable>(cuda::resolve_driver(resolve, this));
}

void FakeDriver::fail_call(int number, Result code) { fail_call_of("", code, number); }

void FakeDriver::fail_call_of(const std::string& symbol, Result code, int number) {
    const std::lock_guard lock(mutex_);
    fail_symbol_ = symbol;
    fail_code_ = code;
    fail_in_ = number;
    failed_.clear();
}

Result FakeDriver::enter(const char* symbol, bool* skip) {
    call_ = symbol;
    calls_.push_back(call_);
    const std::vector<cuda::Context>& stack = stacks_[std::this_thread::get_id()];
    const bool current =
        !stack.empty() && reinterpret_cast<uint64_t>(stack.back()) == primary_ && primary_ != 0;
    Result code = cuda::kSuccess;
    if (needs_context(call_) && !current) {
        note("the primary context is not current");
        code = kInvalidContext;
    }
    if (fail_in_ != 0 && (fail_symbol_.empty() || fail_symbol_ == call_) && --fail_in_ == 0) {
        failed_ = call_;
        code = fail_code_;
    }
    *skip = code != cuda::kSuccess && !releases(call_);
    return code;
}

std::vector<std::string> FakeDriver::calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
}

int FakeDriver::count_of(const std::string& symbol) const {
    int count = 0;
    for (const std::string& call : calls()) count += call.substr(0, call.find(' ')) == symbol;
    return count;
}

std::string FakeDriver::failed() const { return failed_; }

std::vector<std::string> FakeDriver::faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
}

const char* FakeDriver::kind_text(Kind kind) {
    constexpr const char* kTexts[] = {"context", "module", "library", "function", "kernel",
                                      "stream",  "event",  "pool",    "memory"};
    return kTexts[static_cast<size_t>(kind)];
}

std::string FakeDriver::live() const {
    const std::lock_guard lock(mutex_);
    std::map<Kind, int> counts;
    for (const auto& [handle, object] : objects_) {
        if (!object.callers && object.kind != Kind::function && object.kind != Kind::kernel)
            ++counts[object.kind];
    }
    std::string text;
    for (const auto& [kind, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind_text(kind));
    return text;
}

size_t FakeDriver::context_depth() const {
    const std::lock_guard lock(mutex_);
    const auto it = stacks_.find(std::this_thread::get_id());
    return it == stacks_.end() ? 0 : it->second.size();
}

cuda::Context FakeDriver::make_caller_context() {
    const std::lock_guard lock(mutex_);
    return reinterpret_cast<cuda::Context>(add({.kind = Kind::context, .callers = true}));
}

void FakeDriver::make_current(cuda::Context context) {
    const std::lock_guard lock(mutex_);
    stacks_[std::this_thread::get_id()].push_back(context);
}

cuda::StreamHandle FakeDriver::make_caller_stream(bool capturing) {
    const std::lock_guard lock(mutex_);
    return reinterpret_cast<cuda::StreamHandle>(
        add({.kind = Kind::stream, .callers = true, .capturing = capturing}));
}

std::string FakeDriver::text_of(const void* handle) const {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(reinterpret_cast<uint64_t>(handle));
    return it == objects_.end() ? "unknown" : fmt::format("{}{}", kind_text(it->second.kind), it->first);
}

uint64_t FakeDriver::add(Object object) {
    // Memory has its own address; every other handle is a small number.
    const uint64_t handle = object.bytes.empty() ? next_++ : reinterpret_cast<uint64_t>(object.bytes.data());
    objects_.emplace(handle, std::move(object));
    return handle;
}

FakeDriver::Object* FakeDriver::find(uint64_t handle, Kind kind) {
    const auto it = objects_.find(handle);
    if (it != objects_.end() && it->second.kind == kind) return &it->second;
    note(fmt::format("no such {}", kind_text(kind)));
    return nullptr;
}

Result FakeDriver::release(uint64_t handle, Kind kind) {
    const Object* object = find(handle, kind);
    if (object == nullptr) return kInvalidHandle;
    if (kind == Kind::memory) used_ -= object->bytes.size();
    objects_.erase(handle);
    std::erase_if(objects_, [&](const auto& entry) { return entry.second.parent == handle; });
    return cuda::kSuccess;
}

Result FakeDriver::test_memory(cuda::Address address, size_t bytes) {
    for (const auto& [start, object] : objects_) {
        const bool inside =
            object.kind == Kind::memory && address >= start && address - start <= object.bytes.size();
        if (inside && bytes <= object.bytes.size() - (address - start)) return cuda::kSuccess;
    }
    note(fmt::format("{} bytes outside every allocation", bytes));
    return kInvalidValue;
}

Result FakeDriver::allocate(cuda::Address* address, size_t bytes) {
    if (bytes == 0) return note("an allocation of no bytes"), kInvalidValue;
    if (bytes > gpu_.memory - used_) return cuda::kOutOfMemory;
    used_ += bytes;
    *address = add({.kind = Kind::memory, .bytes = std::vector<std::byte>(bytes)});
    return cuda::kSuccess;
}

Result FakeDriver::find_kernel(uint64_t* handle, Kind kind, uint64_t parent, const char* name) {
    const auto it = objects_.find(parent);
    if (it == objects_.end()) return kInvalidHandle;
    if (it->second.symbol.find(name) == std::string::npos) return kNotFound;
    *handle = add({.kind = kind, .symbol = name, .parent = parent});
    return cuda::kSuccess;
}

}  // namespace fuseline::testing
