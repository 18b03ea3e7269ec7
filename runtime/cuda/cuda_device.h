// A CUDA GPU as a Device: primary context, own stream, stream-ordered memory.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "compiler/codegen/emitters.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/gpu_state.h"
#include "runtime/cuda/handles.h"
#include "runtime/cuda/matmul.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/device/device.h"

namespace fuseline::cuda {

/// Each call makes the primary context current and leaves the caller's as it was. A caller's stream may be in
/// capture: launches go into the graph, kernels are built and memory is allocated outside it, calls that wait
/// are refused.
class CudaDevice : public Device {
public:
    /// `driver` and `compiler` are the process's, or fakes in tests.
    CudaDevice(std::shared_ptr<const DriverTable> driver, int ordinal, const CudaCompiler& compiler = kNvrtc);
    ~CudaDevice() override;

    const Target& target() const override { return target_; }
    std::string name() const override { return name_; }
    std::string description() const override { return description_; }
    std::string compiler() const override;

    std::shared_ptr<Allocation> allocate(size_t bytes, Stream stream) override;
    bool shares_host_memory() const override { return false; }
    void copy_to_device(void* device, const void* host, size_t bytes, Stream stream) override;
    void copy_to_host(void* host, const void* device, size_t bytes, Stream stream) override;
    void copy_device(void* to, const void* from, size_t bytes, Stream stream) override;
    std::shared_ptr<Executable> build(const ir::Function& kernel, const std::string& symbol,
                                      const SourceMap* sources) override;
    void launch(const Executable& executable, const LaunchArguments& arguments, Stream stream) override;
    double timed_launch(const Executable& executable, const LaunchArguments& arguments,
                        Stream stream) override;
    void synchronize(Stream stream) override;
    bool has_matmul() override { return open_cublas() != nullptr; }
    void matmul(const MatmulCall& call, Stream stream) override;
    void enter(Stream stream) override;
    void leave(Stream stream) override;
    std::string stage_text(const Executable& executable, std::string_view stage) override;

private:
    StreamHandle stream_of(Stream stream) const;
    OwnedEvent make_event(unsigned flags) const;
    /// Throws ToolchainError where a caller's stream is in capture; `what` cannot be captured.
    void refuse_capture(Stream stream, const char* what) const;
    /// For one launch on `stream`; the own stream's launches share one.
    std::shared_ptr<Allocation> workspace_for(const CudaGeometry& geometry, Stream stream);
    /// Work on `later` waits for all that was enqueued on `earlier`, unless one is in capture.
    void order(StreamHandle earlier, StreamHandle later);

    std::shared_ptr<GpuState> gpu_;
    std::mutex workspace_mutex_;
    std::shared_ptr<Allocation> workspace_;  ///< of the own stream
    std::mutex matmul_mutex_;
    std::unique_ptr<Matmul> matmul_;  ///< made at the first product
    CudaCompiler compiler_;
    Target target_;
    std::string name_;
    std::string description_;
};

}  // namespace fuseline::cuda
