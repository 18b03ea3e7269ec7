// A CUDA device without a GPU.
#include "tests/fakes/host_cuda/host_cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "compiler/codegen/emitters.h"
#include "compiler/support/errors.h"
#include "runtime/cpu/parallel_for.h"

namespace fuseline {

namespace {

class HostCudaExecutable : public Executable {
public:
    HostCudaExecutable(ir::Function kernel, std::shared_ptr<host_cuda::Library> library)
        : kernel(std::move(kernel)), library(std::move(library)) {}
    ir::Function kernel;
    std::shared_ptr<host_cuda::Library> library;
};

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Kernels that one run of the compiler takes.
constexpr size_t kBatch = 50;

/// What two kernels share when one machine code serves both: names do not count, as in the session's cache.
std::string identity(const host_cuda::KernelText& text) {
    return fmt::format("{} {}\n{}", text.symbol, text.kernel->index_bits,
                       ir::print(*text.kernel, {.canonical = true}));
}

/// A kernel leaves its tickets as it found them.
void test_tickets(const Allocation& workspace, size_t bytes) {
    const auto* at = static_cast<const std::byte*>(workspace.pointer);
    require(std::all_of(at, at + bytes, [](std::byte b) { return b == std::byte{0}; }),
            "a kernel has left a ticket of its workspace");
}

/// Whether threads of the kernel wait for each other.
bool waits(const std::string& cuda) {
    for (std::string_view word : {"__sync", "__shfl", "__ballot"}) {
        if (cuda.find(word) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

std::shared_ptr<Allocation> HostCudaDevice::allocate(size_t bytes, Stream) {
    return memory_.allocate(bytes, skew_);
}

void HostCudaDevice::copy_to_device(void* device, const void* host, size_t bytes, Stream) {
    require(bytes == 0 || memory_.holds(device, bytes), "a copy to memory that is not the device's");
    if (bytes != 0) std::memcpy(device, host, bytes);
}

void HostCudaDevice::copy_to_host(void* host, const void* device, size_t bytes, Stream) {
    require(bytes == 0 || memory_.holds(device, bytes), "a copy from memory that is not the device's");
    if (bytes != 0) std::memcpy(host, device, bytes);
}

void HostCudaDevice::copy_device(void* to, const void* from, size_t bytes, Stream) {
    require(bytes == 0 || (memory_.holds(to, bytes) && memory_.holds(from, bytes)),
            "a copy of memory that is not the device's");
    if (bytes != 0) std::memcpy(to, from, bytes);
}

std::shared_ptr<host_cuda::Library> HostCudaDevice::compile(const std::vector<host_cuda::KernelText>& texts) {
    return host_cuda::compile(texts, folder_.path(), fmt::format("kernel{}", files_++));
}

std::shared_ptr<host_cuda::Library> HostCudaDevice::library(const host_cuda::KernelText& text) {
    std::shared_ptr<host_cuda::Library>& found = libraries_[identity(text)];
    if (found == nullptr) found = compile({text});
    return found;
}

void HostCudaDevice::prepare(const std::vector<std::pair<const ir::Function*, std::string>>& kernels) {
    std::vector<host_cuda::KernelText> texts;
    for (const auto& [kernel, symbol] : kernels)
        texts.push_back({kernel, symbol, emit_cuda(*kernel, symbol, nullptr)});
    const auto batches = static_cast<int64_t>((texts.size() + kBatch - 1) / kBatch);
    ParallelFor(0).run(
        batches, 1, ParallelFor::kGrain,
        [&](int64_t begin, int64_t end) {
            for (auto b = static_cast<size_t>(begin); b < static_cast<size_t>(end); ++b) {
                const auto from = texts.begin() + static_cast<std::ptrdiff_t>(b * kBatch);
                prepare_batch(
                    {from, from + static_cast<std::ptrdiff_t>(std::min(kBatch, texts.size() - b * kBatch))});
            }
        },
        1);
}

void HostCudaDevice::prepare_batch(const std::vector<host_cuda::KernelText>& texts) {
    std::shared_ptr<host_cuda::Library> library;
    try {
        library = compile(texts);
    } catch (const ToolchainError&) {
        if (texts.size() == 1) return;
        const auto middle = texts.begin() + static_cast<std::ptrdiff_t>(texts.size() / 2);
        prepare_batch({texts.begin(), middle});
        prepare_batch({middle, texts.end()});
        return;
    }
    const std::lock_guard lock(mutex_);
    for (const host_cuda::KernelText& text : texts) libraries_[identity(text)] = library;
}

std::shared_ptr<Executable> HostCudaDevice::build(const ir::Function& kernel, const std::string& symbol,
                                                  const SourceMap* sources) {
    const auto begin = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    // Comments with lines of the program do not make another kernel.
    const std::string plain = emit_cuda(kernel, symbol, nullptr);
    auto executable = std::make_shared<HostCudaExecutable>(kernel, library({&kernel, symbol, plain}));
    executable->symbol = symbol;
    executable->source = sources == nullptr ? plain : emit_cuda(kernel, symbol, sources);
    executable->compile_ms = milliseconds_since(begin);
    return executable;
}

std::shared_ptr<Allocation> HostCudaDevice::workspace_for(const CudaGeometry& geometry) {
    if (geometry.workspace_bytes == 0) return nullptr;
    std::shared_ptr<Allocation> workspace = memory_.allocate(geometry.workspace_bytes, 0);
    std::memset(workspace->pointer, 0, geometry.ticket_bytes);
    return workspace;
}

void HostCudaDevice::launch(const Executable& executable, const LaunchArguments& arguments, Stream) {
    const auto& e = dynamic_cast<const HostCudaExecutable&>(executable);
    host_cuda::Launch launch;
    launch.geometry = cuda_geometry(e.kernel, arguments.sizes);
    const std::lock_guard lock(mutex_);
    count_ = {};
    if (launch.geometry.grid[0] == 0) return;
    if (adjust_) adjust_(launch.geometry);
    if (grid_width_ != 0 && !launch.geometry.takes_workspace) {
        launch.geometry.grid[1] = (launch.geometry.grid[0] + grid_width_ - 1) / grid_width_;
        launch.geometry.grid[0] = grid_width_;
    }
    std::vector<unsigned long long> scalars;
    for (Scalar s : arguments.scalars) scalars.push_back(s.bits);
    const std::vector<long long> sizes(arguments.sizes.begin(), arguments.sizes.end());
    launch.state = &e.library->state();
    launch.entry = e.library->entry(e.symbol);
    std::vector<void*> buffers = arguments.buffers;
    const std::shared_ptr<Allocation> workspace = workspace_for(launch.geometry);
    buffers.push_back(workspace == nullptr ? nullptr : workspace->pointer);
    launch.buffers = buffers.data();
    launch.scalars = scalars.data();
    launch.sizes = sizes.data();
    launch.waits = waits(e.source);
    const host_cuda::Outcome outcome = host_cuda::run(launch, memory_);
    count_ = outcome.count;
    if (!outcome.fault.empty()) throw InternalError(fmt::format("kernel {}: {}", e.symbol, outcome.fault));
    if (workspace != nullptr) test_tickets(*workspace, launch.geometry.ticket_bytes);
}

double HostCudaDevice::timed_launch(const Executable& executable, const LaunchArguments& arguments,
                                    Stream stream) {
    const auto begin = std::chrono::steady_clock::now();
    launch(executable, arguments, stream);
    return milliseconds_since(begin);
}

std::string HostCudaDevice::stage_text(const Executable& executable, std::string_view stage) {
    if (stage != "cuda")
        throw UserError(fmt::format("the host shim has no stage `{}`; it has `cuda`", stage));
    return executable.source;
}

}  // namespace fuseline
