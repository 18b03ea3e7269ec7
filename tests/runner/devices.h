// The devices that tests run on: every back end of this machine, in variants that must not matter.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuseline/fuseline.h"
#include "runtime/device/device.h"

namespace fuseline::testing {

/// One way to run a program. A null `device` is the reference interpreter.
struct TestDevice {
    std::string name;  ///< "interpreter", "cpu", "cpu-128", "cpu-unfused", "cuda-on-host", "cuda"
    std::shared_ptr<Device> device;
    std::string missing;   ///< why it is not there; "" where it is
    bool unfused = false;  ///< each step of the graph is a kernel of its own, with 64-bit indices

    bool interpreter() const { return device == nullptr && missing.empty(); }
};

/// Those that were asked for by name or by their first word ("cpu" gives "cpu-128" too), in a fixed order;
/// all where `names` is empty, `cuda` only where there is a GPU. Throws UserError for an unknown name.
std::vector<TestDevice> test_devices(const std::vector<std::string>& names);

/// A session of its own, without kernels, on a device that may be shared.
Session session_on(const TestDevice& device, const Settings& settings = {});

/// Compiles the kernels of many graphs for the host shim in few runs of its compiler, where `device` is the
/// shim.
void prepare_kernels(const TestDevice& device, const std::vector<const ir::Function*>& graphs);

}  // namespace fuseline::testing
