// What each driver function does in a FakeDriver.
#include "tests/fakes/fake_driver/fake_functions.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace fuseline::testing {

using namespace cuda;

namespace {

template <class Handle>
uint64_t number(Handle handle) {
    return reinterpret_cast<uint64_t>(handle);
}

template <class Handle>
Handle handle_of(uint64_t number) {
    return reinterpret_cast<Handle>(number);
}

}  // namespace

FakeDriver*& current_fake() {
    static FakeDriver* current = nullptr;
    return current;
}

/// One function for each row of driver_functions.def, under the name of the table's member.
struct FakeFunctions {
    using Kind = FakeDriver::Kind;
    using Object = FakeDriver::Object;

    static Result init(FakeDriver& f, unsigned) { return f.gpu_.count == 0 ? kNoDevice : kSuccess; }
    static Result driver_version(FakeDriver& f, int* version) {
        return *version = f.gpu_.driver_version, kSuccess;
    }
    static Result error_name(FakeDriver&, Result code, const char** text) {
        *text = code == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
        return kSuccess;
    }
    static Result error_text(FakeDriver&, Result, const char** text) {
        return *text = "as the test ordered", kSuccess;
    }

    static Result device_count(FakeDriver& f, int* count) { return *count = f.gpu_.count, kSuccess; }
    static Result device_get(FakeDriver& f, DeviceHandle* device, int ordinal) {
        if (ordinal < 0 || ordinal >= f.gpu_.count) return kInvalidDevice;
        return *device = ordinal, kSuccess;
    }
    static Result device_name(FakeDriver& f, char* text, int length, DeviceHandle) {
        std::strncpy(text, f.gpu_.name.c_str(), static_cast<size_t>(length));
        return kSuccess;
    }
    static Result device_attribute(FakeDriver& f, int* value, int attribute, DeviceHandle) {
        if (attribute != kAttributeMajor && attribute != kAttributeMinor) return kInvalidValue;
        return *value = attribute == kAttributeMajor ? f.gpu_.major : f.gpu_.minor, kSuccess;
    }

    static Result context_retain(FakeDriver& f, Context* context, DeviceHandle) {
        if (f.retained_++ == 0) f.primary_ = f.add({.kind = Kind::context});
        return *context = handle_of<Context>(f.primary_), kSuccess;
    }
    static Result context_release(FakeDriver& f, DeviceHandle) {
        if (f.retained_ == 0) return f.note("released more often than retained"), kInvalidContext;
        return --f.retained_ == 0 ? f.release(std::exchange(f.primary_, 0), Kind::context) : kSuccess;
    }
    static Result context_push(FakeDriver& f, Context context) {
        if (f.find(number(context), Kind::context) == nullptr) return kInvalidContext;
        return f.make_current(context), kSuccess;
    }
    static Result context_pop(FakeDriver& f, Context* context) {
        std::vector<Context>& stack = f.stacks_[std::this_thread::get_id()];
        if (stack.empty()) return f.note("the stack is empty"), kInvalidContext;
        *context = stack.back();
        return stack.pop_back(), kSuccess;
    }

    static Result module_load(FakeDriver& f, ModuleHandle* module, const void* image, unsigned, int*,
                              void**) {
        *module =
            handle_of<ModuleHandle>(f.add({.kind = Kind::module, .symbol = static_cast<const char*>(image)}));
        return kSuccess;
    }
    static Result module_unload(FakeDriver& f, ModuleHandle module) {
        return f.release(number(module), Kind::module);
    }
    static Result module_function(FakeDriver& f, FunctionHandle* function, ModuleHandle module,
                                  const char* name) {
        return f.find_kernel(reinterpret_cast<uint64_t*>(function), Kind::function, number(module), name);
    }
    static Result function_set(FakeDriver& f, FunctionHandle function, int attribute, int value) {
        f.calls_.back() += fmt::format(" {}={}", attribute, value);
        return f.find(number(function), Kind::function) != nullptr ? kSuccess : kInvalidHandle;
    }
    static Result library_load(FakeDriver& f, LibraryHandle* library, const void* image, int*, void** values,
                               unsigned count, int*, void**, unsigned) {
        if (count == 2)
            std::strncpy(static_cast<char*>(values[0]), "ptxas: as the test ordered", number(values[1]) - 1);
        *library = handle_of<LibraryHandle>(
            f.add({.kind = Kind::library, .symbol = static_cast<const char*>(image)}));
        return kSuccess;
    }
    static Result library_unload(FakeDriver& f, LibraryHandle library) {
        return f.release(number(library), Kind::library);
    }
    static Result library_kernel(FakeDriver& f, KernelHandle* kernel, LibraryHandle library,
                                 const char* name) {
        return f.find_kernel(reinterpret_cast<uint64_t*>(kernel), Kind::kernel, number(library), name);
    }
    static Result kernel_set(FakeDriver& f, int attribute, int value, KernelHandle kernel, DeviceHandle) {
        f.calls_.back() += fmt::format(" {}={}", attribute, value);
        return f.find(number(kernel), Kind::kernel) != nullptr ? kSuccess : kInvalidHandle;
    }
    static Result launch(FakeDriver& f, FunctionHandle function, unsigned grid_x, unsigned grid_y,
                         unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                         unsigned shared_bytes, StreamHandle stream, void** parameters, void**) {
        f.note_handle(stream);
        const auto it = f.objects_.find(number(function));
        const bool known =
            it != f.objects_.end() && (it->second.kind == Kind::function || it->second.kind == Kind::kernel);
        if (!known || f.find(number(stream), Kind::stream) == nullptr) return kInvalidHandle;
        if (grid_x * grid_y * grid_z == 0) return f.note("a grid without blocks"), kInvalidValue;
        if (!f.on_launch) return kSuccess;
        f.on_launch({it->second.symbol,
                     {grid_x, grid_y, grid_z},
                     {block_x, block_y, block_z},
                     shared_bytes,
                     stream,
                     parameters});
        return kSuccess;
    }

    static Result stream_create(FakeDriver& f, StreamHandle* stream, unsigned) {
        return *stream = handle_of<StreamHandle>(f.add({.kind = Kind::stream})), kSuccess;
    }
    static Result stream_destroy(FakeDriver& f, StreamHandle stream) {
        return f.release(number(stream), Kind::stream);
    }
    static Result stream_synchronize(FakeDriver& f, StreamHandle stream) { return waits(f, stream); }
    static Result stream_wait(FakeDriver& f, StreamHandle stream, Event event, unsigned) {
        f.note_handle(stream);
        f.note_handle(event);
        const bool known =
            f.find(number(stream), Kind::stream) != nullptr && f.find(number(event), Kind::event) != nullptr;
        return known ? kSuccess : kInvalidHandle;
    }
    static Result capture_mode(FakeDriver& f, int* mode) {
        std::swap(*mode, f.modes_[std::this_thread::get_id()]);
        return kSuccess;
    }
    static Result stream_capturing(FakeDriver& f, StreamHandle stream, int* status) {
        const Object* object = f.find(number(stream), Kind::stream);
        if (object == nullptr) return kInvalidHandle;
        return *status = object->capturing ? 1 : 0, kSuccess;
    }
    static Result event_create(FakeDriver& f, Event* event, unsigned) {
        return *event = handle_of<Event>(f.add({.kind = Kind::event})), kSuccess;
    }
    static Result event_destroy(FakeDriver& f, Event event) { return f.release(number(event), Kind::event); }
    static Result event_record(FakeDriver& f, Event event, StreamHandle stream) {
        f.note_handle(event);
        f.note_handle(stream);
        const bool known =
            f.find(number(stream), Kind::stream) != nullptr && f.find(number(event), Kind::event) != nullptr;
        return known ? kSuccess : kInvalidHandle;
    }
    static Result event_synchronize(FakeDriver& f, Event event) {
        return f.find(number(event), Kind::event) != nullptr ? kSuccess : kInvalidHandle;
    }
    static Result event_elapsed(FakeDriver& f, float* ms, Event begin, Event end) {
        *ms = 0.25f;
        const bool known =
            f.find(number(begin), Kind::event) != nullptr && f.find(number(end), Kind::event) != nullptr;
        return known ? kSuccess : kInvalidHandle;
    }

    static Result memory_info(FakeDriver& f, size_t* free, size_t* total) {
        *total = f.gpu_.memory;
        return *free = f.gpu_.memory - f.used_, kSuccess;
    }
    static Result copy_to_device(FakeDriver& f, Address to, const void* from, size_t bytes,
                                 StreamHandle stream) {
        if (const Result code = f.test_memory(to, bytes); code != kSuccess) return code;
        std::memcpy(handle_of<void*>(to), from, bytes);
        return stream_known(f, stream);
    }
    static Result copy_to_host(FakeDriver& f, void* to, Address from, size_t bytes, StreamHandle stream) {
        if (const Result code = f.test_memory(from, bytes); code != kSuccess) return code;
        std::memcpy(to, handle_of<const void*>(from), bytes);
        return stream_known(f, stream);
    }
    static Result copy_on_device(FakeDriver& f, Address to, Address from, size_t bytes, StreamHandle stream) {
        for (Address address : {to, from}) {
            if (const Result code = f.test_memory(address, bytes); code != kSuccess) return code;
        }
        std::memcpy(handle_of<void*>(to), handle_of<const void*>(from), bytes);
        return stream_known(f, stream);
    }
    static Result fill_bytes(FakeDriver& f, Address to, unsigned char value, size_t bytes, StreamHandle stream) {
        if (const Result code = f.test_memory(to, bytes); code != kSuccess) return code;
        std::memset(handle_of<void*>(to), value, bytes);
        return stream_known(f, stream);
    }
    static Result allocate(FakeDriver& f, Address* address, size_t bytes) {
        const bool strict = f.modes_[std::this_thread::get_id()] != kCaptureRelaxed;
        for (const auto& [handle, object] : f.objects_) {
            if (strict && object.capturing) return f.note("it spoils a capture"), kCaptureUnsupported;
        }
        return f.allocate(address, bytes);
    }
    static Result free(FakeDriver& f, Address address) { return f.release(address, Kind::memory); }
    static Result pool_create(FakeDriver& f, MemoryPool* pool, const PoolProperties*) {
        return *pool = handle_of<MemoryPool>(f.add({.kind = Kind::pool})), kSuccess;
    }
    static Result pool_destroy(FakeDriver& f, MemoryPool pool) { return f.release(number(pool), Kind::pool); }
    static Result pool_set(FakeDriver& f, MemoryPool pool, int, void*) {
        return f.find(number(pool), Kind::pool) != nullptr ? kSuccess : kInvalidHandle;
    }
    static Result pool_trim(FakeDriver& f, MemoryPool pool, size_t) {
        f.used_ -= std::exchange(f.pooled_, 0);
        return f.find(number(pool), Kind::pool) != nullptr ? kSuccess : kInvalidHandle;
    }
    static Result allocate_async(FakeDriver& f, Address* address, size_t bytes, MemoryPool pool,
                                 StreamHandle stream) {
        f.note_handle(stream);
        if (f.find(number(pool), Kind::pool) == nullptr) return kInvalidHandle;
        const Object* object = f.find(number(stream), Kind::stream);
        if (object == nullptr) return kInvalidHandle;
        if (object->capturing) f.note("memory of the pool goes into a captured graph");
        return f.allocate(address, bytes);
    }
    static Result free_async(FakeDriver& f, Address address, StreamHandle stream) {
        f.note_handle(stream);
        const size_t before = f.used_;
        if (const Result code = f.release(address, Kind::memory); code != kSuccess) return code;
        // The bytes stay in the pool until it is trimmed.
        f.pooled_ += before - f.used_;
        f.used_ = before;
        return stream_known(f, stream);
    }

    static Result stream_known(FakeDriver& f, StreamHandle stream) {
        return f.find(number(stream), Kind::stream) != nullptr ? kSuccess : kInvalidHandle;
    }
    static Result waits(FakeDriver& f, StreamHandle stream) {
        f.note_handle(stream);
        const Object* object = f.find(number(stream), Kind::stream);
        if (object == nullptr) return kInvalidHandle;
        if (!object->capturing) return kSuccess;
        return f.note("waits for a stream in capture"), kCaptureInvalidated;
    }

    /// Begins the call, fails where the fake is told to, else does the work.
    template <class... P>
    static Result run(const char* symbol, Result (*work)(FakeDriver&, P...), P... parameters) {
        FakeDriver& f = *current_fake();
        const std::lock_guard lock(f.mutex_);
        bool skip = false;
        const Result ordered = f.enter(symbol, &skip);
        if (skip) return ordered;
        const Result code = work(f, parameters...);
        return ordered != kSuccess ? ordered : code;
    }
};

namespace {

#define DRIVER(member, exported, version, needed, parameters) \
    struct Symbol_##member {                                  \
        static constexpr const char* kText = exported;        \
        static constexpr auto kWork = &FakeFunctions::member; \
    };
#include "runtime/cuda/driver_functions.def"
#undef DRIVER

/// A function with the driver's own signature for one row.
template <class Symbol, auto member>
struct Entry;
template <class Symbol, class... P, Result (*DriverTable::*member)(P...)>
struct Entry<Symbol, member> {
    static Result call(P... parameters) {
        return FakeFunctions::run<P...>(Symbol::kText, Symbol::kWork, parameters...);
    }
};

}  // namespace

void* fake_function(const char* symbol) {
    const std::string name = symbol;
#define DRIVER(member, exported, version, needed, parameters) \
    if (name == exported) return reinterpret_cast<void*>(&Entry<Symbol_##member, &DriverTable::member>::call);
#include "runtime/cuda/driver_functions.def"
#undef DRIVER
    return nullptr;
}

}  // namespace fuseline::testing
