// The state of a session: settings, device, kernels, counters.
#pragma once

#include <memory>
#include <string>

#include "fuseline/fuseline.h"
#include "runtime/cache/kernel_cache.h"
#include "runtime/device/device.h"
#include "runtime/session/recorder.h"

namespace fuseline {

/// Opens a device by the name that Settings::device takes; null for "interpreter". Throws UserError for an
/// unknown name, ToolchainError for a device that is not there.
std::shared_ptr<Device> open_device(const Settings& settings);

struct SessionImpl {
    /// `device` null: the reference interpreter.
    SessionImpl(const Settings& settings, std::shared_ptr<Device> device);

    Settings settings;
    std::shared_ptr<Device> device;
    KernelCache kernels;
    Recorder recorder;

    /// What passes compile for: the device's, with the settings' choices; the interpreter, which runs none,
    /// answers with its own kind.
    const Target& target() const { return target_; }

private:
    Target target_;
};

class Session::Impl : public SessionImpl {
public:
    using SessionImpl::SessionImpl;
};

}  // namespace fuseline
