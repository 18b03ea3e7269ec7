// One opened GPU: primary context, own stream, memory. Shared by the device, its memory and its kernels.
#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cuda/driver.h"
#include "runtime/cuda/handles.h"
#include "runtime/device/device.h"

namespace fuseline::cuda {

/// Lives until the last of device, allocations and executables is gone.
class GpuState : public std::enable_shared_from_this<GpuState> {
public:
    /// Throws ToolchainError when there is no such GPU.
    GpuState(std::shared_ptr<const DriverTable> driver, int ordinal);
    ~GpuState();
    GpuState(const GpuState&) = delete;
    GpuState& operator=(const GpuState&) = delete;

    const DriverTable& driver() const { return *driver_; }
    const std::shared_ptr<const DriverTable>& shared_driver() const { return driver_; }
    DeviceHandle device() const { return device_; }
    Context context() const { return context_; }
    StreamHandle stream() const { return stream_.get(); }

    /// True in a child of the process that opened the GPU: nothing of it may be used or released there.
    bool forked() const;
    /// Throws ToolchainError where `forked`.
    void test_process() const;
    /// The context must be current. Throws ToolchainError.
    bool capturing(StreamHandle stream) const;

    /// Stream-ordered memory of `bytes` > 0. While `stream` is captured the memory stays until the state
    /// goes, as the captured graph may run again. Throws ToolchainError with the sizes when the GPU is full.
    std::shared_ptr<Allocation> allocate(size_t bytes, StreamHandle stream);
    /// Gives memory back behind the own stream's work. Never throws.
    void free(Address address);

private:
    void make_pool();
    Result allocate_once(Address* address, size_t bytes, StreamHandle stream, bool kept);
    void trim();

    std::shared_ptr<const DriverTable> driver_;
    DeviceHandle device_ = 0;
    pid_t process_ = 0;
    PrimaryContext retained_;
    Context context_ = nullptr;
    OwnedStream stream_;
    OwnedPool pool_;  ///< empty: the driver has no stream-ordered memory
    std::mutex mutex_;
    std::vector<Address> kept_;  ///< memory of captured graphs
};

}  // namespace fuseline::cuda
