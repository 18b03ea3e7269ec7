// CudaDevice: every call pushes the primary context and pops it again.
#include "runtime/cuda/cuda_device.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "compiler/codegen/emitters.h"
#include "compiler/support/errors.h"
#include "runtime/cuda/cuda_stages.h"
#include "runtime/cuda/loaded_kernel.h"

namespace fuseline::cuda {
namespace {

constexpr int kLargeParameterDriver = 12010;  ///< accepts 32 764 bytes of kernel parameters
constexpr uint32_t kPlainSharedBytes = 48 * 1024;

int attribute(const DriverTable& driver, DeviceHandle device, int which) {
    int value = 0;
    check(driver, driver.device_attribute(&value, which, device), "a GPU attribute cannot be read");
    return value;
}

struct CudaExecutable : Executable {
    explicit CudaExecutable(ir::Function k) : kernel(std::move(k)) {}

    /// As cuda_geometry; that of the last sizes is remembered, as computing it costs as much as half a
    /// launch.
    CudaGeometry geometry(const std::vector<int64_t>& sizes) const {
        const std::lock_guard lock(mutex);
        if (!last || last->first != sizes) last.emplace(sizes, cuda_geometry(kernel, sizes));
        return last->second;
    }

    ir::Function kernel;
    std::optional<LoadedKernel> loaded;
    mutable std::mutex mutex;
    mutable std::optional<std::pair<std::vector<int64_t>, CudaGeometry>> last;
};

/// An array without elements has no memory.
struct NoMemory : Allocation {};

/// Addresses of the operands; the driver reads each one's own width from the front of its 8 bytes.
std::vector<void*> parameter_list(const LaunchArguments& arguments) {
    std::vector<void*> list;
    list.reserve(arguments.buffers.size() + arguments.scalars.size() + arguments.sizes.size());
    for (void* const& buffer : arguments.buffers) list.push_back(const_cast<void**>(&buffer));
    for (const Scalar& scalar : arguments.scalars) list.push_back(const_cast<uint64_t*>(&scalar.bits));
    for (const int64_t& size : arguments.sizes) list.push_back(const_cast<int64_t*>(&size));
    return list;
}

}  // namespace

CudaDevice::CudaDevice(std::shared_ptr<const DriverTable> driver, int ordinal, const CudaCompiler& compiler)
    : gpu_(std::make_shared<GpuState>(std::move(driver), ordinal)),
      compiler_(compiler),
      name_(fmt::format("cuda:{}", ordinal)) {
    const DriverTable& d = gpu_->driver();
    int version = 0;
    check(d, d.driver_version(&version), "the driver's version cannot be read");
    char text[256] = {};
    check(d, d.device_name(text, sizeof text - 1, gpu_->device()), "the GPU's name cannot be read");
    target_ = cuda_target(fmt::format("sm_{}{}", attribute(d, gpu_->device(), kAttributeMajor),
                                      attribute(d, gpu_->device(), kAttributeMinor)),
                          version >= kLargeParameterDriver ? 32764 : 4096);
    description_ =
        fmt::format("{} ({}), driver {}.{}", text, target_.arch, version / 1000, version % 1000 / 10);
}

CudaDevice::~CudaDevice() {
    if (matmul_ == nullptr || gpu_->forked()) return;
    const ContextScope scope(gpu_->driver(), gpu_->context(), std::nothrow);
    matmul_ = nullptr;
}

std::string CudaDevice::compiler() const { return "nvrtc " + compiler_.version(); }

StreamHandle CudaDevice::stream_of(Stream stream) const {
    return stream != nullptr ? static_cast<StreamHandle>(stream) : gpu_->stream();
}

void CudaDevice::refuse_capture(Stream stream, const char* what) const {
    if (stream == nullptr || !gpu_->capturing(stream_of(stream))) return;
    throw ToolchainError(fmt::format(
        "{} waits for the GPU, which a stream in capture cannot do: do it before the capture begins, "
        "and pass arrays that are on the GPU",
        what));
}

std::shared_ptr<Allocation> CudaDevice::allocate(size_t bytes, Stream stream) {
    gpu_->test_process();
    if (bytes == 0) return std::make_shared<NoMemory>();
    return gpu_->allocate(bytes, stream_of(stream));
}

void CudaDevice::copy_to_device(void* device, const void* host, size_t bytes, Stream stream) {
    gpu_->test_process();
    if (bytes == 0) return;
    const DriverTable& d = gpu_->driver();
    const ContextScope scope(d, gpu_->context());
    refuse_capture(stream, "a copy to the GPU");
    check(d, d.copy_to_device(reinterpret_cast<Address>(device), host, bytes, stream_of(stream)),
          "a copy to the GPU failed");
    // The caller may reuse pinned memory as soon as the call returns.
    check(d, d.stream_synchronize(stream_of(stream)), "a copy to the GPU failed");
}

void CudaDevice::copy_to_host(void* host, const void* device, size_t bytes, Stream stream) {
    gpu_->test_process();
    if (bytes == 0) return;
    const DriverTable& d = gpu_->driver();
    const ContextScope scope(d, gpu_->context());
    refuse_capture(stream, "a copy from the GPU");
    check(d, d.copy_to_host(host, reinterpret_cast<Address>(device), bytes, stream_of(stream)),
          "a copy from the GPU failed");
    check(d, d.stream_synchronize(stream_of(stream)), "the GPU's work failed");
}

void CudaDevice::copy_device(void* to, const void* from, size_t bytes, Stream stream) {
    gpu_->test_process();
    if (bytes == 0) return;
    const DriverTable& d = gpu_->driver();
    const ContextScope scope(d, gpu_->context());
    check(d,
          d.copy_on_device(reinterpret_cast<Address>(to), reinterpret_cast<Address>(from), bytes,
                           stream_of(stream)),
          "a copy on the GPU failed");
}

std::shared_ptr<Executable> CudaDevice::build(const ir::Function& kernel, const std::string& symbol,
                                              const SourceMap* sources) {
    gpu_->test_process();
    const auto begin = std::chrono::steady_clock::now();
    auto executable = std::make_shared<CudaExecutable>(kernel);
    executable->symbol = symbol;
    executable->source = emit_cuda(kernel, symbol, sources);
    const CudaArchitecture arch = architecture_for(compiler_, target_.arch);
    const CudaOutput output = arch.own ? CudaOutput::cubin : CudaOutput::ptx;
    const std::string image = compiler_.compile(executable->source, symbol, arch.name, output, false).bytes;

    const std::string origin = fmt::format("{} for {} by NVRTC {}; {}", arch.own ? "cubin" : "PTX", arch.name,
                                           compiler_.version(), description_);
    const ContextScope scope(gpu_->driver(), gpu_->context());
    executable->loaded.emplace(gpu_, image, !arch.own, symbol, origin);
    executable->compile_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return executable;
}

std::shared_ptr<Allocation> CudaDevice::workspace_for(const CudaGeometry& g, Stream stream) {
    if (g.workspace_bytes == 0) return nullptr;
    const auto make = [&] {
        auto room = gpu_->allocate(g.workspace_bytes, stream_of(stream));
        const DriverTable& d = gpu_->driver();
        check(d, d.fill_bytes(reinterpret_cast<Address>(room->pointer), 0, g.ticket_bytes, stream_of(stream)),
              "a workspace cannot be cleared");
        return room;
    };
    if (stream != nullptr) return make();
    // Launches of one stream come one after the other, and each leaves the tickets as it found them.
    const std::lock_guard lock(workspace_mutex_);
    if (workspace_ == nullptr || workspace_->bytes < g.workspace_bytes) workspace_ = make();
    return workspace_;
}

void CudaDevice::launch(const Executable& e, const LaunchArguments& arguments, Stream stream) {
    gpu_->test_process();
    const auto& executable = static_cast<const CudaExecutable&>(e);
    const CudaGeometry g = executable.geometry(arguments.sizes);
    if (g.grid[0] == 0 || g.grid[1] == 0 || g.grid[2] == 0) return;
    std::vector<void*> parameters = parameter_list(arguments);
    const DriverTable& d = gpu_->driver();
    const ContextScope scope(d, gpu_->context());
    const std::shared_ptr<Allocation> workspace = workspace_for(g, stream);
    void* const room = workspace == nullptr ? nullptr : workspace->pointer;
    if (g.takes_workspace) parameters.push_back(const_cast<void**>(&room));
    if (g.shared_bytes > kPlainSharedBytes) {
        check(d, executable.loaded->allow_shared(g.shared_bytes),
              fmt::format("kernel {} cannot have its {} bytes of shared memory", e.symbol, g.shared_bytes));
    }
    const Result code =
        d.launch(executable.loaded->function(), g.grid[0], g.grid[1], g.grid[2], g.block[0], g.block[1],
                 g.block[2], g.shared_bytes, stream_of(stream), parameters.data(), nullptr);
    check(d, code, fmt::format("kernel {} cannot be launched", e.symbol));
    // What is allocated for a caller's stream is freed on the own one.
    if (workspace != nullptr) leave(stream);
}

OwnedEvent CudaDevice::make_event(unsigned flags) const {
    Event event = nullptr;
    check(gpu_->driver(), gpu_->driver().event_create(&event, flags), "an event cannot be made");
    return OwnedEvent(gpu_->shared_driver(), event);
}

double CudaDevice::timed_launch(const Executable& executable, const LaunchArguments& arguments,
                                Stream stream) {
    gpu_->test_process();
    const DriverTable& d = gpu_->driver();
    const ContextScope scope(d, gpu_->context());
    refuse_capture(stream, "a timed launch");
    const OwnedEvent begin = make_event(kEventDefault), end = make_event(kEventDefault);
    check(d, d.event_record(begin.get(), stream_of(stream)), "an event cannot be recorded");
    launch(executable, arguments, stream);
    check(d, d.event_record(end.get(), stream_of(stream)), "an event cannot be recorded");
    check(d, d.event_synchronize(end.get()), fmt::format("kernel {} failed", executable.symbol));
    float ms = 0;
    check(d, d.event_elapsed(&ms, begin.get(), end.get()), "the time between two events cannot be read");
    return static_cast<double>(ms);
}

void CudaDevice::synchronize(Stream stream) {
    gpu_->test_process();
    const DriverTable& d = gpu_->driver();
    const ContextScope scope(d, gpu_->context());
    refuse_capture(stream, "synchronising");
    check(d, d.stream_synchronize(stream_of(stream)), "the GPU's work failed");
}

void CudaDevice::matmul(const MatmulCall& call, Stream stream) {
    gpu_->test_process();
    if (call.k == 0) {
        const std::vector<std::byte> zeros(static_cast<size_t>(call.batch * call.m * call.n) *
                                           static_cast<size_t>(byte_size(call.dtype)));
        return copy_to_device(call.c, zeros.data(), zeros.size(), stream);
    }
    const CublasTable* table = open_cublas();
    require(table != nullptr, "products of matrices without cuBLASLt");
    const ContextScope scope(gpu_->driver(), gpu_->context());
    {
        const std::lock_guard lock(matmul_mutex_);
        if (matmul_ == nullptr) matmul_ = std::make_unique<Matmul>(gpu_, *table);
    }
    const std::shared_ptr<Allocation> scratch = matmul_->run(call, stream_of(stream));
    // It is freed on the own stream.
    if (scratch != nullptr) leave(stream);
}

void CudaDevice::order(StreamHandle earlier, StreamHandle later) {
    gpu_->test_process();
    const DriverTable& d = gpu_->driver();
    const ContextScope scope(d, gpu_->context());
    if (gpu_->capturing(earlier) || gpu_->capturing(later)) return;
    const OwnedEvent event = make_event(kEventNoTiming);
    check(d, d.event_record(event.get(), earlier), "an event cannot be recorded");
    check(d, d.stream_wait(later, event.get(), 0), "a stream cannot wait for another");
}

void CudaDevice::enter(Stream stream) {
    if (stream != nullptr) order(gpu_->stream(), stream_of(stream));
}

void CudaDevice::leave(Stream stream) {
    if (stream != nullptr) order(stream_of(stream), gpu_->stream());
}

std::string CudaDevice::stage_text(const Executable& executable, std::string_view stage) {
    return cuda_stage_text(compiler_, executable.source, executable.symbol, target_.arch, stage);
}

}  // namespace fuseline::cuda

namespace fuseline {

std::unique_ptr<Device> make_cuda_device(int ordinal) {
    return std::make_unique<cuda::CudaDevice>(cuda::open_driver(), ordinal);
}

std::string cuda_unavailable_reason() {
    try {
        const auto driver = cuda::open_driver();
        int count = 0;
        cuda::check(*driver, driver->device_count(&count), "the GPUs cannot be counted");
        if (count == 0) return "no CUDA GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES";
        nvrtc_version();
        return {};
    } catch (const ToolchainError& e) {
        return e.what();
    }
}

}  // namespace fuseline
