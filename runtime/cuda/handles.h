// Owners of driver objects.
#pragma once

#include <memory>
#include <new>
#include <utility>

#include "runtime/cuda/driver.h"

namespace fuseline::cuda {

/// Owns one handle; `release` is the table's function that gives it back. Move-only; never throws on release.
template <class Raw, Result (*DriverTable::*release)(Raw)>
class Handle {
public:
    Handle() = default;
    Handle(std::shared_ptr<const DriverTable> driver, Raw raw) : driver_(std::move(driver)), raw_(raw) {}
    Handle(Handle&& other) noexcept
        : driver_(std::move(other.driver_)), raw_(std::exchange(other.raw_, Raw{})) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(driver_, other.driver_);
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~Handle() {
        if (driver_ != nullptr) (driver_.get()->*release)(raw_);
    }
    Raw get() const { return raw_; }
    explicit operator bool() const { return driver_ != nullptr; }
    /// In a forked child: the object belongs to the parent.
    void forget() { driver_ = nullptr; }

private:
    std::shared_ptr<const DriverTable> driver_;
    Raw raw_{};
};

using PrimaryContext = Handle<DeviceHandle, &DriverTable::context_release>;
using OwnedModule = Handle<ModuleHandle, &DriverTable::module_unload>;
using OwnedLibrary = Handle<LibraryHandle, &DriverTable::library_unload>;
using OwnedStream = Handle<StreamHandle, &DriverTable::stream_destroy>;
using OwnedEvent = Handle<Event, &DriverTable::event_destroy>;
using OwnedPool = Handle<MemoryPool, &DriverTable::pool_destroy>;

/// Makes a context current for a scope and leaves the caller's as it was.
class ContextScope {
public:
    ContextScope(const DriverTable& driver, Context context) : driver_(driver) {
        check(driver, driver.context_push(context), "the CUDA context cannot be used");
    }
    /// For destructors: goes on where the context cannot be made current, as releasing may still work.
    ContextScope(const DriverTable& driver, Context context, std::nothrow_t)
        : driver_(driver), pushed_(driver.context_push(context) == kSuccess) {}
    ~ContextScope() {
        Context ignored = nullptr;
        if (pushed_) driver_.context_pop(&ignored);
    }
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

private:
    const DriverTable& driver_;
    bool pushed_ = true;
};

/// Lets this thread allocate memory and load code while some stream is being captured, without spoiling the
/// capture.
class RelaxedCapture {
public:
    explicit RelaxedCapture(const DriverTable& driver) : driver_(driver) {
        check(driver, driver.capture_mode(&mode_), "the thread's capture mode cannot be set");
    }
    ~RelaxedCapture() { driver_.capture_mode(&mode_); }
    RelaxedCapture(const RelaxedCapture&) = delete;
    RelaxedCapture& operator=(const RelaxedCapture&) = delete;

private:
    const DriverTable& driver_;
    int mode_ = kCaptureRelaxed;  ///< exchanged: the thread's own mode while this lives
};

}  // namespace fuseline::cuda
