// The GPU through the driver, and the host.
#include "bench/gpu/machine.h"

#include <chrono>

#include "runtime/cuda/cuda_device.h"

namespace fuseline::bench {
namespace {

using cuda::Address;
using cuda::ContextScope;
using cuda::DriverTable;

class GpuMemory : public Memory {
public:
    GpuMemory(std::shared_ptr<cuda::GpuState> gpu, int64_t elements) : gpu_(std::move(gpu)) {
        const ContextScope scope(*gpu_->driver, gpu_->context);
        check(*gpu_->driver, gpu_->driver->allocate(&address_, static_cast<size_t>(elements) * sizeof(float)),
              "no GPU memory");
    }
    ~GpuMemory() override {
        if (gpu_->driver->context_push(gpu_->context) != cuda::kSuccess) return;
        gpu_->driver->free(address_);
        cuda::Context ignored = nullptr;
        gpu_->driver->context_pop(&ignored);
    }
    GpuMemory(const GpuMemory&) = delete;
    GpuMemory& operator=(const GpuMemory&) = delete;

    Argument argument(std::vector<int64_t> shape) const override {
        return DeviceSpan{address_, DType::f32_, std::move(shape)};
    }
    Output output(std::vector<int64_t> shape) override {
        return DeviceSpan{address_, DType::f32_, std::move(shape)};
    }
    std::vector<float> read(int64_t first, int64_t count) const override {
        const DriverTable& d = *gpu_->driver;
        const ContextScope scope(d, gpu_->context);
        std::vector<float> values(static_cast<size_t>(count));
        const Address from = address_ + static_cast<Address>(first) * sizeof(float);
        check(d, d.copy_to_host(values.data(), from, values.size() * sizeof(float), gpu_->stream.get()),
              "a copy failed");
        check(d, d.stream_synchronize(gpu_->stream.get()), "the GPU's work failed");
        return values;
    }

private:
    std::shared_ptr<cuda::GpuState> gpu_;
    Address address_ = 0;
};

class Gpu : public Machine {
public:
    explicit Gpu(int ordinal) : gpu_(std::make_shared<cuda::GpuState>(cuda::open_driver(), ordinal)) {}
    std::unique_ptr<Memory> allocate(int64_t elements) override {
        return std::make_unique<GpuMemory>(gpu_, elements);
    }
    void* stream() const override { return gpu_->stream.get(); }
    void wait() override {
        const ContextScope scope(*gpu_->driver, gpu_->context);
        check(*gpu_->driver, gpu_->driver->stream_synchronize(gpu_->stream.get()), "the GPU's work failed");
    }
    std::vector<double> time(int runs, const std::function<void()>& call) override {
        const DriverTable& d = *gpu_->driver;
        const ContextScope scope(d, gpu_->context);
        std::vector<cuda::OwnedEvent> events;
        for (int i = 0; i < 2 * runs; ++i) events.push_back(make_event());
        for (int i = 0; i < runs; ++i) {
            record(events[2 * i]);
            call();
            record(events[2 * i + 1]);
        }
        wait();
        std::vector<double> times;
        for (int i = 0; i < runs; ++i) {
            float ms = 0;
            check(d, d.event_elapsed(&ms, events[2 * i].get(), events[2 * i + 1].get()),
                  "an event cannot be read");
            times.push_back(static_cast<double>(ms));
        }
        return times;
    }
    std::string clock() const override { return "events"; }

private:
    cuda::OwnedEvent make_event() const {
        cuda::Event event = nullptr;
        check(*gpu_->driver, gpu_->driver->event_create(&event, cuda::kEventDefault),
              "an event cannot be made");
        return {gpu_->driver, event};
    }
    void record(const cuda::OwnedEvent& event) const {
        check(*gpu_->driver, gpu_->driver->event_record(event.get(), gpu_->stream.get()),
              "an event cannot be recorded");
    }

    std::shared_ptr<cuda::GpuState> gpu_;
};

class HostMemory : public Memory {
public:
    explicit HostMemory(int64_t elements) : values_(static_cast<size_t>(elements)) {}
    Argument argument(std::vector<int64_t> shape) const override {
        return HostSpan{values_.data(), DType::f32_, std::move(shape)};
    }
    Output output(std::vector<int64_t> shape) override {
        return MutableHostSpan{values_.data(), DType::f32_, std::move(shape)};
    }
    std::vector<float> read(int64_t first, int64_t count) const override {
        return {values_.begin() + first, values_.begin() + first + count};
    }

private:
    std::vector<float> values_;
};

class Host : public Machine {
public:
    std::unique_ptr<Memory> allocate(int64_t elements) override {
        return std::make_unique<HostMemory>(elements);
    }
    void* stream() const override { return nullptr; }
    void wait() override {}
    std::vector<double> time(int runs, const std::function<void()>& call) override {
        std::vector<double> times;
        for (int i = 0; i < runs; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            call();
            times.push_back(
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        }
        return times;
    }
    std::string clock() const override { return "host"; }
};

}  // namespace

std::unique_ptr<Machine> make_machine(const std::string& device) {
    if (!device.starts_with("cuda")) return std::make_unique<Host>();
    return std::make_unique<Gpu>(device.size() > 5 ? std::stoi(device.substr(5)) : 0);
}

}  // namespace fuseline::bench
