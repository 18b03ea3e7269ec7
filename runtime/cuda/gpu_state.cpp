// GpuState: opening, memory, closing.
#include "runtime/cuda/gpu_state.h"

#include <unistd.h>

#include <fmt/format.h>

#include "compiler/support/errors.h"

namespace fuseline::cuda {
namespace {

/// Memory that goes back to the state it came from; `kept` memory only with the state.
class GpuAllocation : public Allocation {
public:
    GpuAllocation(std::shared_ptr<GpuState> gpu, size_t size, bool kept) : gpu_(std::move(gpu)), kept_(kept) {
        bytes = size;
    }
    ~GpuAllocation() override {
        if (pointer != nullptr && !kept_) gpu_->free(reinterpret_cast<Address>(pointer));
    }

private:
    std::shared_ptr<GpuState> gpu_;
    bool kept_;
};

void test_ordinal(const DriverTable& driver, int ordinal) {
    int count = 0;
    check(driver, driver.device_count(&count), "the GPUs cannot be counted");
    if (ordinal >= 0 && ordinal < count) return;
    if (count == 0)
        throw ToolchainError(
            "no CUDA GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device cpu");
    throw ToolchainError(
        fmt::format("there is no cuda:{}: use {}", ordinal,
                    count == 1 ? "cuda:0, the only GPU" : fmt::format("cuda:0 to cuda:{}", count - 1)));
}

}  // namespace

GpuState::GpuState(std::shared_ptr<const DriverTable> driver, int ordinal)
    : driver_(std::move(driver)), process_(::getpid()) {
    const DriverTable& d = *driver_;
    test_ordinal(d, ordinal);
    check(d, d.device_get(&device_, ordinal), "the GPU cannot be opened");
    check(d, d.context_retain(&context_, device_), "the GPU's context cannot be made");
    retained_ = PrimaryContext(driver_, device_);
    const ContextScope scope(d, context_);
    StreamHandle raw = nullptr;
    check(d, d.stream_create(&raw, kStreamNonBlocking), "a stream cannot be made");
    stream_ = OwnedStream(driver_, raw);
    make_pool();
}

void GpuState::make_pool() {
    const DriverTable& d = *driver_;
    const bool there =
        d.pool_create && d.pool_destroy && d.pool_set && d.pool_trim && d.allocate_async && d.free_async;
    if (!there) return;
    // A pool of our own: the device's default pool is the caller's, its threshold too.
    PoolProperties properties;
    properties.device = device_;
    MemoryPool raw = nullptr;
    if (d.pool_create(&raw, &properties) != kSuccess) return;
    pool_ = OwnedPool(driver_, raw);
    // Without this the pool gives all memory back at each synchronisation: 48 us an allocation instead of 2.
    uint64_t keep = UINT64_MAX;
    d.pool_set(raw, kPoolReleaseThreshold, &keep);
}

GpuState::~GpuState() {
    if (forked()) {
        stream_.forget();
        pool_.forget();
        retained_.forget();
        return;
    }
    const ContextScope scope(*driver_, context_, std::nothrow);
    if (stream_) driver_->stream_synchronize(stream_.get());
    for (Address address : kept_) driver_->free(address);
    pool_ = {};
    stream_ = {};
}

bool GpuState::forked() const { return ::getpid() != process_; }

void GpuState::test_process() const {
    if (!forked()) return;
    throw ToolchainError(
        "a CUDA session cannot be used after fork: open it in the child only, or start the child with exec");
}

bool GpuState::capturing(StreamHandle stream) const {
    int status = 0;
    const Result code = driver_->stream_capturing(stream, &status);
    // The legacy stream cannot even be asked while another is in capture.
    if (code == kCaptureImplicit) return true;
    check(*driver_, code, "a stream cannot be asked for its state");
    return status != 0;
}

Result GpuState::allocate_once(Address* address, size_t bytes, StreamHandle stream, bool kept) {
    if (!kept && pool_) return driver_->allocate_async(address, bytes, pool_.get(), stream);
    if (!kept) return driver_->allocate(address, bytes);
    const RelaxedCapture relaxed(*driver_);
    return driver_->allocate(address, bytes);
}

void GpuState::trim() {
    // Memory that was freed on the own stream may still wait in the pool: finish, then give it back.
    driver_->stream_synchronize(stream_.get());
    if (pool_) driver_->pool_trim(pool_.get(), 0);
}

std::shared_ptr<Allocation> GpuState::allocate(size_t bytes, StreamHandle stream) {
    const DriverTable& d = *driver_;
    const ContextScope scope(d, context_);
    const bool kept = stream != stream_.get() && capturing(stream);
    auto allocation = std::make_shared<GpuAllocation>(shared_from_this(), bytes, kept);
    Address address = 0;
    Result code = allocate_once(&address, bytes, stream, kept);
    if (code == kOutOfMemory) {
        trim();
        code = allocate_once(&address, bytes, stream, kept);
    }
    if (code == kOutOfMemory) {
        size_t free = 0, total = 0;
        d.memory_info(&free, &total);
        check(d, code,
              fmt::format("{} bytes of GPU memory cannot be had ({} of {} free)", bytes, free, total));
    }
    check(d, code, "GPU memory cannot be allocated");
    allocation->pointer = reinterpret_cast<void*>(address);
    if (kept) {
        const std::lock_guard lock(mutex_);
        kept_.push_back(address);
    }
    return allocation;
}

void GpuState::free(Address address) {
    if (forked()) return;
    const ContextScope scope(*driver_, context_, std::nothrow);
    if (pool_) {
        // The own stream waits for every call on a caller's stream (CudaDevice::leave), so it is a safe place
        // to free.
        driver_->free_async(address, stream_.get());
    } else {
        driver_->free(address);
    }
}

}  // namespace fuseline::cuda
