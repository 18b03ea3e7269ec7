// The CPU as a device: LLVM text compiled by ORC, run in chunks on all cores.
#include <fmt/format.h>
#include <sleef.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "compiler/codegen/emitters.h"
#include "compiler/codegen/llvm_cost.h"
#include "compiler/support/errors.h"
#include "runtime/cpu/blas.h"
#include "runtime/cpu/fold_launch.h"
#include "runtime/cpu/orc_engine.h"
#include "runtime/cpu/parallel_for.h"
#include "runtime/device/device.h"

namespace fuseline {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string bytes_text(double bytes) {
    constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
    return unit == 0 ? fmt::format("{:.0f} bytes", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

size_t memory_of_machine() {
#if defined(__linux__)
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) return static_cast<size_t>(pages) * static_cast<size_t>(page);
#endif
    return SIZE_MAX / 2;
}

/// Bytes of a cache line, and of a large page, at which big arrays begin.
constexpr size_t kLine = 64, kLargePage = size_t{2} << 20;

class HostAllocation : public Allocation {
public:
    explicit HostAllocation(size_t size) {
        const size_t all = memory_of_machine();
        const size_t alignment = size >= 2 * kLargePage ? kLargePage : kLine;
        // The kernel of the system promises more memory than there is and ends the process later.
        if (size < all) pointer = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
        if (pointer == nullptr) {
            throw UserError(fmt::format("out of memory: an array of {} was asked for; this machine has {}",
                                        bytes_text(static_cast<double>(size)),
                                        bytes_text(static_cast<double>(all))));
        }
#if defined(__linux__)
        if (alignment == kLargePage) madvise(pointer, size, MADV_HUGEPAGE);
#endif
        bytes = size;
    }
    ~HostAllocation() override { std::free(pointer); }
};

class CpuExecutable : public Executable {
public:
    ir::Function kernel;
    CpuCost cost;
    /// Steps of the outermost axis that stay in one piece of a launch with folds.
    int64_t together = 1;
    std::unique_ptr<CpuCode> code;
    /// Engine of `code`, which must not go first.
    std::shared_ptr<OrcEngine> engine;
    ~CpuExecutable() override { code.reset(); }
};

const CpuExecutable& of_cpu(const Executable& executable) {
    const auto* own = dynamic_cast<const CpuExecutable*>(&executable);
    require(own != nullptr, "an executable of another device");
    return *own;
}

std::string processor_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "CPU";
}

/// Processors whose clock falls so far with 512-bit vectors that 256 bits are faster.
bool slow_512(std::string_view processor) {
    constexpr std::string_view kSlow[] = {"skylake-avx512", "cascadelake", "cooperlake", "cannonlake"};
    for (std::string_view name : kSlow) {
        if (name == processor) return true;
    }
    return false;
}

int widest_vector(const HostProcessor& host) { return host.avx512 ? 512 : host.avx2 && host.fma ? 256 : 128; }

/// Shorter rows cost more in their own loops than columns of many rows do.
constexpr int64_t kShortRow = 16;

Target cpu_target(const HostProcessor& host, int vector_bits) {
    Target target;
    target.kind = TargetKind::cpu;
    target.arch = host.name;
    target.fma = host.avx2 && host.fma;
    target.short_row = kShortRow;
    const int widest = widest_vector(host);
    target.vector_bits = widest == 512 && slow_512(host.name) ? 256 : widest;
    if (vector_bits == 0) return target;
    if (vector_bits != 128 && vector_bits != 256 && vector_bits != 512) {
        throw UserError(fmt::format("vectors have 128, 256 or 512 bits: {} was asked for", vector_bits));
    }
    if (vector_bits > widest) {
        throw UserError(fmt::format("this processor ({}) has vectors of {} bits at most: {} was asked for",
                                    host.name, widest, vector_bits));
    }
    target.vector_bits = vector_bits;
    return target;
}

class CpuDevice : public Device {
public:
    CpuDevice(int threads, int vector_bits)
        : host_(OrcEngine::host()),
          target_(cpu_target(host_, vector_bits)),
          workers_(threads),
          engine_(std::make_shared<OrcEngine>()) {
        // A row stays on one thread.
        if (workers_.threads() > 1) target_.few_rows = 2 * workers_.threads();
    }

    const Target& target() const override { return target_; }
    std::string name() const override { return "cpu"; }
    std::string description() const override {
        const char* vectors = target_.vector_bits == 512   ? "AVX-512"
                              : target_.vector_bits == 256 ? "AVX2"
                                                           : "128 bits";
        return fmt::format("{} ({}, {}), {} thread{}", processor_model(), host_.name, vectors,
                           workers_.threads(), workers_.threads() == 1 ? "" : "s");
    }
    std::string compiler() const override {
        return fmt::format("llvm {} sleef {}.{}.{}", OrcEngine::version(), SLEEF_VERSION_MAJOR,
                           SLEEF_VERSION_MINOR, SLEEF_VERSION_PATCHLEVEL);
    }

    std::shared_ptr<Allocation> allocate(size_t bytes, Stream) override {
        return std::make_shared<HostAllocation>(bytes);
    }
    bool shares_host_memory() const override { return true; }
    void copy_to_device(void* device, const void* host, size_t bytes, Stream) override {
        if (bytes != 0) std::memcpy(device, host, bytes);
    }
    void copy_to_host(void* host, const void* device, size_t bytes, Stream) override {
        if (bytes != 0) std::memcpy(host, device, bytes);
    }

    void copy_device(void* to, const void* from, size_t bytes, Stream) override {
        if (bytes != 0) std::memcpy(to, from, bytes);
    }

    std::shared_ptr<Executable> build(const ir::Function& kernel, const std::string& symbol,
                                      const SourceMap*) override {
        const auto start = Clock::now();
        auto made = std::make_shared<CpuExecutable>();
        made->symbol = symbol;
        made->kernel = kernel;
        made->cost = cpu_cost(kernel);
        if (!made->cost.loops.empty()) made->together = cpu_steps_together(kernel, target_);
        made->source = emit_llvm(kernel, symbol, target_);
        made->engine = engine_;
        made->code = engine_->compile(made->source, symbol);
        made->compile_ms = milliseconds_since(start);
        return made;
    }

    void launch(const Executable& executable, const LaunchArguments& arguments, Stream) override {
        const CpuExecutable& own = of_cpu(executable);
        const CpuRange range = cpu_range(own.kernel, arguments.sizes);
        if (range.work_per_step == 0) return;
        if (!range.loops.empty()) {
            return launch_folds(workers_, own.code->fold_entry, range, own.cost, own.together, arguments);
        }
        const CpuKernel entry = own.code->entry;
        workers_.run(range.extent, range.work_per_step, own.cost.point, [&](int64_t begin, int64_t end) {
            entry(arguments.buffers.data(), arguments.scalars.data(), arguments.sizes.data(), begin, end);
        });
    }
    double timed_launch(const Executable& executable, const LaunchArguments& arguments,
                        Stream stream) override {
        const auto start = Clock::now();
        launch(executable, arguments, stream);
        return milliseconds_since(start);
    }
    void synchronize(Stream) override {}

    bool has_matmul() override { return blas_available(); }
    void matmul(const MatmulCall& call, Stream) override { blas_matmul(call, workers_); }

    std::string stage_text(const Executable& executable, std::string_view stage) override {
        if (stage == "llvm") return executable.source;
        if (stage == "asm") return engine_->assembly(executable.source);
        throw UserError(fmt::format("the CPU has the stages llvm and asm: found {}", stage));
    }

private:
    HostProcessor host_;
    Target target_;
    ParallelFor workers_;
    std::shared_ptr<OrcEngine> engine_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(int threads, int vector_bits) {
    return std::make_unique<CpuDevice>(threads, vector_bits);
}

}  // namespace fuseline
