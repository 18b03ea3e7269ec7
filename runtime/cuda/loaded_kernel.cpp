// LoadedKernel: library or module.
#include "runtime/cuda/loaded_kernel.h"

#include <fmt/format.h>

namespace fuseline::cuda {
namespace {

/// The driver's PTX compiler writes its errors here.
struct JitLog {
    static constexpr size_t kBytes = 16 * 1024;
    std::string text = std::string(kBytes, '\0');
    int options[2] = {kJitErrorLog, kJitErrorLogBytes};
    void* values[2] = {text.data(), reinterpret_cast<void*>(kBytes)};

    std::string written() const { return text.c_str(); }
};

}  // namespace

LoadedKernel::LoadedKernel(std::shared_ptr<GpuState> gpu, const std::string& image, bool is_ptx,
                           const std::string& symbol, const std::string& origin)
    : gpu_(std::move(gpu)) {
    const DriverTable& d = gpu_->driver();
    const RelaxedCapture relaxed(d);
    JitLog log;
    const unsigned count = is_ptx ? 2 : 0;
    const std::string cannot_load = fmt::format("kernel {} cannot be loaded ({})", symbol, origin);
    const std::string not_there = fmt::format("kernel {} is not in its image ({})", symbol, origin);
    if (d.library_load && d.library_unload && d.library_kernel && d.kernel_set) {
        LibraryHandle raw = nullptr;
        const Result code =
            d.library_load(&raw, image.c_str(), log.options, log.values, count, nullptr, nullptr, 0);
        check(d, code, cannot_load, log.written());
        library_ = OwnedLibrary(gpu_->shared_driver(), raw);
        check(d, d.library_kernel(&kernel_, raw, symbol.c_str()), not_there);
        function_ = reinterpret_cast<FunctionHandle>(kernel_);
    } else {
        ModuleHandle raw = nullptr;
        check(d, d.module_load(&raw, image.c_str(), count, log.options, log.values), cannot_load,
              log.written());
        module_ = OwnedModule(gpu_->shared_driver(), raw);
        check(d, d.module_function(&function_, raw, symbol.c_str()), not_there);
    }
}

LoadedKernel::~LoadedKernel() {
    if (gpu_->forked()) {
        library_.forget();
        module_.forget();
        return;
    }
    const ContextScope scope(gpu_->driver(), gpu_->context(), std::nothrow);
    library_ = {};
    module_ = {};
}

Result LoadedKernel::allow_shared(uint32_t bytes) const {
    const DriverTable& d = gpu_->driver();
    const int value = static_cast<int>(bytes);
    if (kernel_ != nullptr) return d.kernel_set(kFunctionMaxDynamicShared, value, kernel_, gpu_->device());
    return d.function_set(function_, kFunctionMaxDynamicShared, value);
}

}  // namespace fuseline::cuda
