// Owners of driver objects.
#pragma once

#include <memory>
#include <utility>

#include "runtime/cuda/driver.h"

namespace fuseline::cuda {

/// Owns one handle; `release` is the table's function that gives it back. Move-only; never throws on release.
template <class Raw, Result (*DriverTable::*release)(Raw)>
class Handle {
public:
    Handle() = default;
    Handle(std::shared_ptr<const DriverTable> driver, Raw raw) : driver_(std::move(driver)), raw_(raw) {}
    Handle(Handle&& other) noexcept : driver_(std::move(other.driver_)), raw_(std::exchange(other.raw_, Raw{})) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(driver_, other.driver_);
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~Handle() {
        if (driver_ != nullptr) (driver_.get()->*release)(raw_);
    }
    Raw get() const { return raw_; }

private:
    std::shared_ptr<const DriverTable> driver_;
    Raw raw_{};
};

using PrimaryContext = Handle<DeviceHandle, &DriverTable::context_release>;
using OwnedModule = Handle<ModuleHandle, &DriverTable::module_unload>;
using OwnedStream = Handle<StreamHandle, &DriverTable::stream_destroy>;
using OwnedEvent = Handle<Event, &DriverTable::event_destroy>;

/// Makes a context current for a scope and leaves the caller's as it was.
class ContextScope {
public:
    ContextScope(const DriverTable& driver, Context context) : driver_(driver) {
        check(driver, driver.context_push(context), "the CUDA context cannot be used");
    }
    ~ContextScope() {
        Context ignored = nullptr;
        driver_.context_pop(&ignored);
    }
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

private:
    const DriverTable& driver_;
};

}  // namespace fuseline::cuda
