// A CUDA device without a GPU: emitted kernels are compiled by g++ and run on the CPU, every access tested.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/device.h"
#include "tests/fakes/host_cuda/host_cuda_runner.h"

namespace fuseline {

/// `--device cuda-on-host` of test builds. Launches run one at a time; a kernel that reaches outside the
/// device's buffers or breaks an alignment throws InternalError.
class HostCudaDevice : public Device {
public:
    const Target& target() const override { return target_; }
    std::string name() const override { return "cuda-on-host"; }
    std::string description() const override { return "emitted CUDA on the CPU (host shim)"; }
    std::string compiler() const override { return "g++ host shim"; }

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
    void synchronize(Stream) override {}
    std::string stage_text(const Executable& executable, std::string_view stage) override;

    /// Compiles many kernels on all cores, many to a file; later builds of the same kernels find them. One
    /// that the compiler refuses is left out: its build reports it. Symbols differ.
    void prepare(const std::vector<std::pair<const ir::Function*, std::string>>& kernels);
    /// The next allocations begin so many bytes off a boundary of 256.
    void set_skew(size_t bytes) { skew_ = bytes; }
    /// In place of the computed geometry: the same blocks in rows of `width`.
    void set_grid_width(uint32_t width) { grid_width_ = width; }
    /// Changes the computed geometry of each launch, with its workspace.
    void set_adjustment(std::function<void(CudaGeometry&)> adjust) { adjust_ = std::move(adjust); }
    /// Of the last launch.
    const host_cuda::AccessCount& last_count() const { return count_; }

private:
    std::shared_ptr<Allocation> workspace_for(const CudaGeometry& geometry);
    std::shared_ptr<host_cuda::Library> compile(const std::vector<host_cuda::KernelText>& texts);
    void prepare_batch(const std::vector<host_cuda::KernelText>& texts);
    std::shared_ptr<host_cuda::Library> library(const host_cuda::KernelText& text);

    Target target_ = cuda_target("sm_90");
    std::mutex mutex_;
    host_cuda::TemporaryFolder folder_;
    host_cuda::Memory memory_;
    std::map<std::string, std::shared_ptr<host_cuda::Library>> libraries_;  ///< by identity
    std::atomic<size_t> files_ = 0;
    size_t skew_ = 0;
    uint32_t grid_width_ = 0;
    std::function<void(CudaGeometry&)> adjust_;
    host_cuda::AccessCount count_;
};

}  // namespace fuseline
