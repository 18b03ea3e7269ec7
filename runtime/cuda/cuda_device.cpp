// CudaDevice: every call pushes the primary context and pops it again.
#include "runtime/cuda/cuda_device.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "compiler/codegen/emitters.h"
#include "compiler/support/errors.h"
#include "runtime/cuda/nvrtc.h"

namespace fuseline::cuda {
namespace {

constexpr int kLargeParameterDriver = 12010;  ///< accepts 32 764 bytes of kernel parameters
constexpr uint32_t kPlainSharedBytes = 48 * 1024;

int attribute(const DriverTable& driver, DeviceHandle device, int which) {
    int value = 0;
    check(driver, driver.device_attribute(&value, which, device), "a GPU attribute cannot be read");
    return value;
}

class CudaAllocation : public Allocation {
public:
    CudaAllocation(std::shared_ptr<GpuState> gpu, Address address, size_t size) : gpu_(std::move(gpu)) {
        pointer = reinterpret_cast<void*>(address);
        bytes = size;
    }
    ~CudaAllocation() override {
        if (pointer == nullptr || ::getpid() != gpu_->process) return;
        const DriverTable& driver = *gpu_->driver;
        if (driver.context_push(gpu_->context) != kSuccess) return;
        const auto address = reinterpret_cast<Address>(pointer);
        if (gpu_->pool != nullptr) {
            // The own stream waits for every call on a caller's stream (see leave), so it is a safe place to free.
            driver.free_async(address, gpu_->stream.get());
        } else {
            driver.free(address);
        }
        Context ignored = nullptr;
        driver.context_pop(&ignored);
    }

private:
    std::shared_ptr<GpuState> gpu_;
};

class CudaExecutable : public Executable {
public:
    explicit CudaExecutable(ir::Function k) : kernel(std::move(k)) {}
    ~CudaExecutable() override {
        // The module is unloaded in its own context.
        if (gpu == nullptr || gpu->driver->context_push(gpu->context) != kSuccess) return;
        module = {};
        Context ignored = nullptr;
        gpu->driver->context_pop(&ignored);
    }
    ir::Function kernel;
    std::shared_ptr<GpuState> gpu;
    OwnedModule module;
    FunctionHandle function = nullptr;
    std::string image;
    bool is_cubin = true;
};

/// The newest architecture that both the GPU and NVRTC know, and whether it is the GPU's own.
std::pair<std::string, bool> usable_architecture(const std::string& gpu) {
    const int capability = std::stoi(gpu.substr(3));
    const std::vector<int> known = nvrtc_architectures();
    if (std::find(known.begin(), known.end(), capability) != known.end()) return {gpu, true};
    int newest = 0;
    for (int a : known) newest = a < capability ? std::max(newest, a) : newest;
    if (newest == 0) {
        throw ToolchainError(fmt::format("NVRTC {} does not compile for {}; install an older CUDA toolkit or use --device cpu",
                                         nvrtc_version(), gpu));
    }
    return {fmt::format("sm_{}", newest), false};
}

}  // namespace

GpuState::GpuState(std::shared_ptr<const DriverTable> d, int ordinal) : driver(std::move(d)), process(::getpid()) {
    int count = 0;
    check(*driver, driver->device_count(&count), "the GPUs cannot be counted");
    if (ordinal >= count) {
        throw ToolchainError(count == 0 ? "no CUDA GPU is visible; check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device cpu"
                                        : fmt::format("there is no cuda:{}; this machine has {} GPU{}", ordinal, count, count == 1 ? "" : "s"));
    }
    check(*driver, driver->device_get(&device, ordinal), "the GPU cannot be opened");
    check(*driver, driver->context_retain(&context, device), "the GPU's context cannot be made");
    retained = PrimaryContext(driver, device);
    const ContextScope scope(*driver, context);
    StreamHandle raw = nullptr;
    check(*driver, driver->stream_create(&raw, kStreamNonBlocking), "a stream cannot be made");
    stream = OwnedStream(driver, raw);
    const bool ordered = driver->allocate_async && driver->free_async && driver->default_pool && driver->pool_set;
    if (ordered && driver->default_pool(&pool, device) == kSuccess) {
        // Without this the pool gives all memory back at each synchronisation: 48 us an allocation instead of 2.
        uint64_t keep = UINT64_MAX;
        driver->pool_set(pool, kPoolReleaseThreshold, &keep);
    } else {
        pool = nullptr;
    }
}

GpuState::~GpuState() {
    if (::getpid() != process || driver->context_push(context) != kSuccess) return;
    driver->stream_synchronize(stream.get());
    stream = {};
    if (pool != nullptr && driver->pool_trim != nullptr) driver->pool_trim(pool, 0);
    Context ignored = nullptr;
    driver->context_pop(&ignored);
}

void GpuState::test_process() const {
    if (::getpid() == process) return;
    throw ToolchainError("a CUDA session cannot be used after fork: open it in the child process");
}

CudaDevice::CudaDevice(std::shared_ptr<const DriverTable> driver, int ordinal)
    : gpu_(std::make_shared<GpuState>(std::move(driver), ordinal)), name_(fmt::format("cuda:{}", ordinal)) {
    const DriverTable& d = *gpu_->driver;
    int version = 0;
    check(d, d.driver_version(&version), "the driver's version cannot be read");
    char text[256] = {};
    check(d, d.device_name(text, sizeof text - 1, gpu_->device), "the GPU's name cannot be read");
    target_.kind = TargetKind::cuda;
    target_.arch = fmt::format("sm_{}{}", attribute(d, gpu_->device, kAttributeMajor), attribute(d, gpu_->device, kAttributeMinor));
    target_.vector_bits = 0;
    target_.parameter_bytes = version >= kLargeParameterDriver ? 32764 : 4096;
    description_ = fmt::format("{} ({}), driver {}.{}", text, target_.arch, version / 1000, version % 1000 / 10);
}

std::string CudaDevice::compiler() const { return "nvrtc " + nvrtc_version(); }

StreamHandle CudaDevice::stream_of(Stream stream) const {
    return stream != nullptr ? static_cast<StreamHandle>(stream) : gpu_->stream.get();
}

std::shared_ptr<Allocation> CudaDevice::allocate(size_t bytes, Stream stream) {
    gpu_->test_process();
    if (bytes == 0) return std::make_shared<CudaAllocation>(gpu_, 0, 0);
    const DriverTable& d = *gpu_->driver;
    const ContextScope scope(d, gpu_->context);
    Address address = 0;
    const auto attempt = [&] {
        return gpu_->pool != nullptr ? d.allocate_async(&address, bytes, stream_of(stream)) : d.allocate(&address, bytes);
    };
    Result code = attempt();
    if (code == kOutOfMemory && gpu_->pool != nullptr && d.pool_trim != nullptr) {
        // Memory freed earlier on the stream may still wait in the pool: finish, give it back, try once more.
        d.stream_synchronize(gpu_->stream.get());
        d.pool_trim(gpu_->pool, 0);
        code = attempt();
    }
    if (code == kOutOfMemory) {
        size_t free = 0, total = 0;
        d.memory_info(&free, &total);
        throw ToolchainError(fmt::format("out of GPU memory on {}: {} bytes asked, {} of {} free", name_, bytes, free, total));
    }
    check(d, code, "GPU memory cannot be allocated");
    return std::make_shared<CudaAllocation>(gpu_, address, bytes);
}

void CudaDevice::copy_to_device(void* device, const void* host, size_t bytes, Stream stream) {
    gpu_->test_process();
    const DriverTable& d = *gpu_->driver;
    const ContextScope scope(d, gpu_->context);
    check(d, d.copy_to_device(reinterpret_cast<Address>(device), host, bytes, stream_of(stream)), "a copy to the GPU failed");
    // The caller may reuse pinned memory as soon as the call returns.
    check(d, d.stream_synchronize(stream_of(stream)), "a copy to the GPU failed");
}

void CudaDevice::copy_to_host(void* host, const void* device, size_t bytes, Stream stream) {
    gpu_->test_process();
    const DriverTable& d = *gpu_->driver;
    const ContextScope scope(d, gpu_->context);
    check(d, d.copy_to_host(host, reinterpret_cast<Address>(device), bytes, stream_of(stream)), "a copy from the GPU failed");
    check(d, d.stream_synchronize(stream_of(stream)), "the GPU's work failed");
}

std::shared_ptr<Executable> CudaDevice::build(const ir::Function& kernel, const std::string& symbol, const SourceMap* sources) {
    gpu_->test_process();
    const auto begin = std::chrono::steady_clock::now();
    auto executable = std::make_shared<CudaExecutable>(kernel);
    executable->symbol = symbol;
    executable->source = emit_cuda(kernel, symbol, sources);
    const auto [arch, own] = usable_architecture(target_.arch);
    executable->is_cubin = own;
    executable->image = nvrtc_compile(executable->source, symbol, arch, own ? CudaOutput::cubin : CudaOutput::ptx).bytes;

    const DriverTable& d = *gpu_->driver;
    const ContextScope scope(d, gpu_->context);
    executable->gpu = gpu_;
    ModuleHandle module = nullptr;
    check(d, d.module_load(&module, executable->image.c_str(), 0, nullptr, nullptr), fmt::format("kernel {} cannot be loaded", symbol));
    executable->module = OwnedModule(gpu_->driver, module);
    check(d, d.module_function(&executable->function, module, symbol.c_str()), fmt::format("kernel {} is not in its image", symbol));
    executable->compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return executable;
}

void CudaDevice::launch(const Executable& e, const LaunchArguments& arguments, Stream stream) {
    gpu_->test_process();
    const auto& executable = static_cast<const CudaExecutable&>(e);
    const CudaGeometry geometry = cuda_geometry(executable.kernel, arguments.sizes);
    if (geometry.grid[0] == 0 || geometry.grid[1] == 0 || geometry.grid[2] == 0) return;
    // The driver reads each parameter's own width from the front of its 8 bytes.
    std::vector<void*> parameters;
    for (void* const& buffer : arguments.buffers) parameters.push_back(const_cast<void**>(&buffer));
    for (const Scalar& scalar : arguments.scalars) parameters.push_back(const_cast<uint64_t*>(&scalar.bits));
    for (const int64_t& size : arguments.sizes) parameters.push_back(const_cast<int64_t*>(&size));

    const DriverTable& d = *gpu_->driver;
    const ContextScope scope(d, gpu_->context);
    if (geometry.shared_bytes > kPlainSharedBytes) {
        check(d, d.function_set(executable.function, kFunctionMaxDynamicShared, static_cast<int>(geometry.shared_bytes)),
              fmt::format("kernel {} needs {} bytes of shared memory", e.symbol, geometry.shared_bytes));
    }
    check(d,
          d.launch(executable.function, geometry.grid[0], geometry.grid[1], geometry.grid[2], geometry.block[0],
                   geometry.block[1], geometry.block[2], geometry.shared_bytes, stream_of(stream), parameters.data(), nullptr),
          fmt::format("kernel {} cannot be launched", e.symbol));
}

OwnedEvent CudaDevice::make_event(unsigned flags) const {
    Event event = nullptr;
    check(*gpu_->driver, gpu_->driver->event_create(&event, flags), "an event cannot be made");
    return OwnedEvent(gpu_->driver, event);
}

double CudaDevice::timed_launch(const Executable& executable, const LaunchArguments& arguments, Stream stream) {
    gpu_->test_process();
    const DriverTable& d = *gpu_->driver;
    const ContextScope scope(d, gpu_->context);
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
    const DriverTable& d = *gpu_->driver;
    const ContextScope scope(d, gpu_->context);
    check(d, d.stream_synchronize(stream_of(stream)), "the GPU's work failed");
}

void CudaDevice::order(StreamHandle earlier, StreamHandle later) {
    gpu_->test_process();
    const DriverTable& d = *gpu_->driver;
    const ContextScope scope(d, gpu_->context);
    for (StreamHandle stream : {earlier, later}) {
        int capturing = 0;
        if (d.stream_capturing(stream, &capturing) != kSuccess || capturing != 0) return;
    }
    const OwnedEvent event = make_event(kEventNoTiming);
    check(d, d.event_record(event.get(), earlier), "an event cannot be recorded");
    check(d, d.stream_wait(later, event.get(), 0), "a stream cannot wait for another");
}

void CudaDevice::enter(Stream stream) {
    if (stream != nullptr) order(gpu_->stream.get(), stream_of(stream));
}

void CudaDevice::leave(Stream stream) {
    if (stream != nullptr) order(stream_of(stream), gpu_->stream.get());
}

std::string CudaDevice::stage_text(const Executable& e, std::string_view stage) {
    const auto& executable = static_cast<const CudaExecutable&>(e);
    if (stage == "cuda") return executable.source;
    if (stage == "ptx") return nvrtc_compile(executable.source, e.symbol, usable_architecture(target_.arch).first, CudaOutput::ptx).bytes;
    if (stage == "sass" && executable.is_cubin) return disassemble(executable.image);
    throw UserError(fmt::format("{} has no stage '{}'", name_, stage));
}

}  // namespace fuseline::cuda

namespace fuseline {

std::unique_ptr<Device> make_cuda_device(int ordinal) { return std::make_unique<cuda::CudaDevice>(cuda::open_driver(), ordinal); }

std::string cuda_unavailable_reason() {
    try {
        const auto driver = cuda::open_driver();
        int count = 0;
        cuda::check(*driver, driver->device_count(&count), "the GPUs cannot be counted");
        if (count == 0) return "no CUDA GPU is visible";
        nvrtc_version();
        return {};
    } catch (const ToolchainError& e) {
        return e.what();
    }
}

}  // namespace fuseline
