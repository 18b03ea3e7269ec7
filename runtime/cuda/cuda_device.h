// A CUDA GPU as a Device: primary context, own stream, stream-ordered memory.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "runtime/cuda/driver.h"
#include "runtime/cuda/handles.h"
#include "runtime/device/device.h"

namespace fuseline::cuda {

/// What allocations share with their device, so that memory can outlive it.
struct GpuState {
    GpuState(std::shared_ptr<const DriverTable> driver, int ordinal);
    ~GpuState();
    GpuState(const GpuState&) = delete;
    GpuState& operator=(const GpuState&) = delete;

    /// Throws ToolchainError in a process that was forked after the device was opened.
    void test_process() const;

    std::shared_ptr<const DriverTable> driver;
    DeviceHandle device = 0;
    pid_t process = 0;
    PrimaryContext retained;
    Context context = nullptr;
    OwnedStream stream;
    MemoryPool pool = nullptr;  ///< null: the driver has no stream-ordered memory
};

/// `driver` is the process's table, or a fake one in tests.
class CudaDevice : public Device {
public:
    CudaDevice(std::shared_ptr<const DriverTable> driver, int ordinal);

    const Target& target() const override { return target_; }
    std::string name() const override { return name_; }
    std::string description() const override { return description_; }
    std::string compiler() const override;

    std::shared_ptr<Allocation> allocate(size_t bytes, Stream stream) override;
    bool shares_host_memory() const override { return false; }
    void copy_to_device(void* device, const void* host, size_t bytes, Stream stream) override;
    void copy_to_host(void* host, const void* device, size_t bytes, Stream stream) override;
    std::shared_ptr<Executable> build(const ir::Function& kernel, const std::string& symbol, const SourceMap* sources) override;
    void launch(const Executable& executable, const LaunchArguments& arguments, Stream stream) override;
    double timed_launch(const Executable& executable, const LaunchArguments& arguments, Stream stream) override;
    void synchronize(Stream stream) override;
    void enter(Stream stream) override;
    void leave(Stream stream) override;
    std::string stage_text(const Executable& executable, std::string_view stage) override;

private:
    StreamHandle stream_of(Stream stream) const;
    OwnedEvent make_event(unsigned flags) const;
    /// Work on `later` waits for all that was enqueued on `earlier`, unless one is being captured.
    void order(StreamHandle earlier, StreamHandle later);

    std::shared_ptr<GpuState> gpu_;
    Target target_;
    std::string name_;
    std::string description_;
};

}  // namespace fuseline::cuda
