// The devices of a test run.
#include "tests/runner/devices.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "compiler/pipeline/pipeline.h"
#include "compiler/support/errors.h"
#include "runtime/session/session_impl.h"
#include "tests/fakes/host_cuda/host_cuda_device.h"

namespace fuseline::testing {
namespace {

/// Another device under a target that fuses nothing, and with indices of 64 bits, which other tests have no
/// arrays large enough for.
class UnfusedDevice : public Device {
public:
    explicit UnfusedDevice(std::shared_ptr<Device> device)
        : device_(std::move(device)), target_(device_->target()) {
        target_.fuse = false;
    }
    const std::shared_ptr<Device>& inner() const { return device_; }
    static ir::Function wide(ir::Function kernel) {
        kernel.index_bits = 64;
        return kernel;
    }

    const Target& target() const override { return target_; }
    std::string name() const override { return device_->name(); }
    std::string description() const override { return device_->description(); }
    std::string compiler() const override { return device_->compiler(); }
    std::shared_ptr<Allocation> allocate(size_t bytes, Stream stream) override {
        return device_->allocate(bytes, stream);
    }
    bool shares_host_memory() const override { return device_->shares_host_memory(); }
    void copy_to_device(void* device, const void* host, size_t bytes, Stream stream) override {
        device_->copy_to_device(device, host, bytes, stream);
    }
    void copy_to_host(void* host, const void* device, size_t bytes, Stream stream) override {
        device_->copy_to_host(host, device, bytes, stream);
    }
    void copy_device(void* to, const void* from, size_t bytes, Stream stream) override {
        device_->copy_device(to, from, bytes, stream);
    }
    std::shared_ptr<Executable> build(const ir::Function& kernel, const std::string& symbol,
                                      const SourceMap* sources) override {
        return device_->build(wide(kernel), symbol, sources);
    }
    void launch(const Executable& executable, const LaunchArguments& arguments, Stream stream) override {
        device_->launch(executable, arguments, stream);
    }
    double timed_launch(const Executable& executable, const LaunchArguments& arguments,
                        Stream stream) override {
        return device_->timed_launch(executable, arguments, stream);
    }
    void synchronize(Stream stream) override { device_->synchronize(stream); }
    bool has_matmul() override { return device_->has_matmul(); }
    void matmul(const MatmulCall& call, Stream stream) override { device_->matmul(call, stream); }
    void enter(Stream stream) override { device_->enter(stream); }
    void leave(Stream stream) override { device_->leave(stream); }
    std::string stage_text(const Executable& executable, std::string_view stage) override {
        return device_->stage_text(executable, stage);
    }

private:
    std::shared_ptr<Device> device_;
    Target target_;
};

/// Runs what may fail for want of a processor feature, driver or compiler and keeps the reason.
template <class Make>
TestDevice made(std::string name, Make make) {
    TestDevice device{std::move(name), nullptr, {}};
    try {
        device.device = make();
    } catch (const std::exception& e) {
        device.missing = e.what();
    }
    return device;
}

TestDevice unfused(const TestDevice& of) {
    TestDevice device{of.name + "-unfused", nullptr, of.missing, true};
    if (of.device != nullptr) device.device = std::make_shared<UnfusedDevice>(of.device);
    return device;
}

bool asked_for(const std::string& name, const std::vector<std::string>& names) {
    if (names.empty()) return true;
    return std::any_of(names.begin(), names.end(), [&](const std::string& wanted) {
        return name == wanted ||
               (name.starts_with(wanted + "-") && !(wanted == "cuda" && name.starts_with("cuda-on-host")));
    });
}

struct Row {
    const char* name;
    std::shared_ptr<Device> (*make)();
};

/// More threads than cores, so that work is split on a small machine too.
constexpr int kManyThreads = 4;

constexpr Row kRows[] = {
    {"cpu", [] { return std::shared_ptr<Device>(make_cpu_device(0)); }},
    {"cpu-128", [] { return std::shared_ptr<Device>(make_cpu_device(1, 128)); }},
    {"cpu-256", [] { return std::shared_ptr<Device>(make_cpu_device(kManyThreads, 256)); }},
    {"cpu-512", [] { return std::shared_ptr<Device>(make_cpu_device(1, 512)); }},
    {"cuda-on-host", []() -> std::shared_ptr<Device> { return std::make_shared<HostCudaDevice>(); }},
    {"cuda", [] { return std::shared_ptr<Device>(make_cuda_device(0)); }},
};

/// Devices on which programs run without fusion as well.
constexpr const char* kUnfused[] = {"cpu", "cuda-on-host", "cuda"};

HostCudaDevice* host_cuda(const TestDevice& device) {
    const auto* wrapped = dynamic_cast<const UnfusedDevice*>(device.device.get());
    return dynamic_cast<HostCudaDevice*>(wrapped != nullptr ? wrapped->inner().get() : device.device.get());
}

}  // namespace

std::vector<TestDevice> test_devices(const std::vector<std::string>& names) {
    std::vector<TestDevice> devices;
    if (asked_for("interpreter", names)) devices.push_back({"interpreter", nullptr, {}});
    for (const Row& r : kRows) {
        const bool split = std::find(std::begin(kUnfused), std::end(kUnfused), std::string_view(r.name)) !=
                           std::end(kUnfused);
        const bool both = split && asked_for(std::string(r.name) + "-unfused", names);
        if (!asked_for(r.name, names) && !both) continue;
        const TestDevice device = made(r.name, r.make);
        if (asked_for(r.name, names)) devices.push_back(device);
        if (both) devices.push_back(unfused(device));
    }
    if (devices.empty())
        throw UserError(fmt::format("no device of the tests is called {}", fmt::join(names, " or ")));
    return devices;
}

Session session_on(const TestDevice& device, const Settings& settings) {
    return Session(std::make_shared<Session::Impl>(settings, device.device));
}

void prepare_kernels(const TestDevice& device, const std::vector<const ir::Function*>& graphs) {
    HostCudaDevice* shim = host_cuda(device);
    if (shim == nullptr) return;
    std::map<std::string, ir::Function> by_symbol;
    for (const ir::Function* graph : graphs) {
        std::optional<Compiled> made;
        try {
            made = compile(*graph, device.device->target());
        } catch (const std::exception&) {
            continue;  // The case itself reports it.
        }
        for (ir::Function& kernel : made->kernels) {
            // Sessions ask for 32 bits, all sizes of tests being small, and name the kernel so.
            const std::string symbol =
                kernel_key(kernel, 32, device.device->target(), shim->compiler()).symbol;
            kernel.index_bits = device.unfused ? 64 : 32;
            by_symbol.try_emplace(symbol, std::move(kernel));
        }
    }
    std::vector<std::pair<const ir::Function*, std::string>> kernels;
    for (const auto& [symbol, kernel] : by_symbol) kernels.emplace_back(&kernel, symbol);
    shim->prepare(kernels);
}

}  // namespace fuseline::testing
