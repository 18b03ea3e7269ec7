// libcuda.so.1 opened at run time.
#include "runtime/cuda/driver.h"

#include <dlfcn.h>

#include <mutex>

#include <fmt/format.h>

#include "compiler/support/errors.h"

namespace fuseline::cuda {
namespace {

/// What a user can do about a code.
struct Hint {
    Result code;
    const char* text;
};
constexpr Hint kHints[] = {
    {kOutOfMemory, "the GPU's memory is full; free arrays or use smaller ones"},
    {kNoDevice, "no CUDA GPU is visible; check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device cpu"},
    {kNoBinaryForGpu, "NVRTC is older than the GPU; install a newer CUDA toolkit"},
    {kInvalidPtx, "the driver cannot compile this PTX; install a newer driver"},
    {kUnsupportedPtx, "the driver is older than NVRTC; install a newer driver or an older CUDA toolkit"},
    {kIllegalAddress, "a kernel touched memory outside its arrays; the process must be started again"},
    {kSystemDriverMismatch, "the kernel module and libcuda differ in version; reboot, or reinstall the driver"},
};

void* from_library(const char* symbol, void* library) { return dlsym(library, symbol); }

std::shared_ptr<const DriverTable> open_now() {
    // Never closed: the driver keeps threads of its own.
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw ToolchainError("there is no CUDA driver (libcuda.so.1): install NVIDIA's driver, or use --device cpu");
    }
    auto driver = std::make_shared<DriverTable>(resolve_driver(from_library, library));
    check(*driver, driver->init(0), "the CUDA driver cannot start");
    return driver;
}

}  // namespace

DriverTable resolve_driver(Resolver resolver, void* context) {
    DriverTable table;
#define DRIVER(member, symbol, version, needed, parameters)                                                              \
    table.member = reinterpret_cast<Result(*) parameters>(resolver(symbol, context));                                    \
    if (table.member == nullptr && needed) {                                                                             \
        throw ToolchainError(fmt::format("the CUDA driver lacks {}: install a driver for CUDA {}.{} or newer", symbol,   \
                                         (version) / 1000, (version) % 1000 / 10));                                      \
    }
#include "runtime/cuda/driver_functions.def"
#undef DRIVER
    return table;
}

std::shared_ptr<const DriverTable> open_driver() {
    static std::mutex mutex;
    static std::shared_ptr<const DriverTable> opened;
    const std::lock_guard lock(mutex);
    if (opened == nullptr) opened = open_now();
    return opened;
}

void check(const DriverTable& driver, Result code, const std::string& what) {
    if (code == kSuccess) return;
    const char *name = nullptr, *text = nullptr;
    driver.error_name(code, &name);
    driver.error_text(code, &text);
    std::string message = fmt::format("{}: {} ({})", what, name != nullptr ? name : std::to_string(code), text != nullptr ? text : "no text");
    for (const Hint& hint : kHints) {
        if (hint.code == code) message += fmt::format(": {}", hint.text);
    }
    throw ToolchainError(message);
}

}  // namespace fuseline::cuda
