// The GPU through the driver, and the host.
#include "bench/gpu/machine.h"

#include <chrono>

#include "runtime/cuda/handles.h"

namespace fuseline::bench {
namespace {

using cuda::Address;
using cuda::check;
using cuda::ContextScope;
using cuda::DriverTable;

/// The device's primary context, which the session uses too, and a stream of the benchmark's own.
struct Opened {
    explicit Opened(int ordinal) : driver(cuda::open_driver()) {
        cuda::DeviceHandle device = 0;
        check(*driver, driver->device_get(&device, ordinal), "the GPU cannot be opened");
        check(*driver, driver->context_retain(&context, device), "the GPU's context cannot be made");
        retained = cuda::PrimaryContext(driver, device);
        const ContextScope scope(*driver, context);
        cuda::StreamHandle raw = nullptr;
        check(*driver, driver->stream_create(&raw, cuda::kStreamNonBlocking), "a stream cannot be made");
        stream = cuda::OwnedStream(driver, raw);
    }
    void wait() const { check(*driver, driver->stream_synchronize(stream.get()), "the GPU's work failed"); }

    std::shared_ptr<const DriverTable> driver;
    cuda::Context context = nullptr;
    cuda::PrimaryContext retained;
    cuda::OwnedStream stream;
};

class GpuMemory : public Memory {
public:
    GpuMemory(std::shared_ptr<const Opened> gpu, int64_t elements) : gpu_(std::move(gpu)) {
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
        gpu_->wait();
        return values;
    }

private:
    std::shared_ptr<const Opened> gpu_;
    Address address_ = 0;
};

class Gpu : public Machine {
public:
    explicit Gpu(int ordinal) : gpu_(std::make_shared<const Opened>(ordinal)) {}
    std::unique_ptr<Memory> allocate(int64_t elements) override {
        return std::make_unique<GpuMemory>(gpu_, elements);
    }
    void* stream() const override { return gpu_->stream.get(); }
    void wait() override {
        const ContextScope scope(*gpu_->driver, gpu_->context);
        gpu_->wait();
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

    std::shared_ptr<const Opened> gpu_;
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
