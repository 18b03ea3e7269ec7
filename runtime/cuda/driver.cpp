// libcuda.so.1 opened at run time.
#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <unistd.h>

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
    {kOutOfMemory,
     "the GPU's memory is full; free arrays, use smaller ones, or end other programs on the GPU"},
    {kNotInitialized,
     "CUDA cannot be used in a forked child; open it in the child only, or start the child with exec"},
    {kStubLibrary, "this libcuda.so.1 is the toolkit's stub; take its stubs folder off LD_LIBRARY_PATH"},
    {kDeviceUnavailable, "another program has the GPU for itself; wait for its end, or use --device cpu"},
    {kNoDevice, "no CUDA GPU is visible; check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device cpu"},
    {kInvalidImage, "the driver may be older than NVRTC; install a newer driver or an older CUDA toolkit"},
    {kNoBinaryForGpu, "the driver may be older than NVRTC; install a newer driver or an older CUDA toolkit"},
    {kMemoryError, "the GPU's memory has a fault; look at nvidia-smi -q, and reset or change the GPU"},
    {kInvalidPtx, "the driver cannot compile this PTX; install a newer driver"},
    {kNoPtxCompiler, "the driver's PTX compiler is missing; install the driver with its JIT library"},
    {kUnsupportedPtx, "the driver is older than NVRTC; install a newer driver or an older CUDA toolkit"},
    {kIllegalAddress, "a kernel touched memory outside its arrays; the process must be started again"},
    {kTooManyResources,
     "the kernel needs more registers or shared memory than a block may have; split the program"},
    {kTimeout, "the kernel ran longer than a GPU with a display allows; use smaller arrays or another GPU"},
    {kMisalignedAddress, "an array is not aligned to its elements; the process must be started again"},
    {kLaunchFailed, "a kernel failed on the GPU; the process must be started again"},
    {kSystemNotReady,
     "the machine's GPU services do not run; start nvidia-fabricmanager, or ask its administrator"},
    {kSystemDriverMismatch,
     "the kernel module and libcuda differ in version; reboot, or reinstall the driver"},
    {kCompatibilityUnsupported, "this GPU cannot use the CUDA compatibility package; install a newer driver"},
    {kCaptureUnsupported, "this cannot be captured; do it before the stream's capture begins"},
    {kCaptureInvalidated, "the stream's capture is spoilt; begin it again"},
};
constexpr const char* kAnyHint =
    "look at nvidia-smi for the GPU's state and start the process again, or use --device cpu";

void* from_library(const char* symbol, void* library) { return dlsym(library, symbol); }

std::shared_ptr<const DriverTable> open_now() {
    // Never closed: the driver keeps threads of its own.
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw ToolchainError(
            "there is no CUDA driver (libcuda.so.1): install NVIDIA's driver, or use --device cpu");
    }
    auto driver = std::make_shared<DriverTable>(resolve_driver(from_library, library));
    check(*driver, driver->init(0), "the CUDA driver cannot start");
    return driver;
}

/// What opening the driver gave; kept for the process, as a refusal is no cheaper to find than a table (100
/// ms).
struct Opened {
    pid_t process = 0;
    std::shared_ptr<const DriverTable> driver;
    std::string refusal;
};

}  // namespace

DriverTable resolve_driver(Resolver resolver, void* context) {
    DriverTable table;
#define DRIVER(member, symbol, version, needed, parameters)                                           \
    table.member = reinterpret_cast<Result(*) parameters>(resolver(symbol, context));                 \
    if (table.member == nullptr && needed) {                                                          \
        throw ToolchainError(                                                                         \
            fmt::format("the CUDA driver lacks {}: install a driver for CUDA {}.{} or newer", symbol, \
                        (version) / 1000, (version) % 1000 / 10));                                    \
    }
#include "runtime/cuda/driver_functions.def"
#undef DRIVER
    return table;
}

std::shared_ptr<const DriverTable> open_driver() {
    static std::mutex mutex;
    static Opened opened;
    const std::lock_guard lock(mutex);
    if (opened.process == 0) {
        opened.process = ::getpid();
        try {
            opened.driver = open_now();
        } catch (const ToolchainError& e) {
            opened.refusal = e.what();
        }
    }
    if (opened.driver == nullptr) throw ToolchainError(opened.refusal);
    if (opened.process != ::getpid()) {
        throw ToolchainError(
            "CUDA was opened before this process was forked, so it cannot be used here: "
            "open it in the child only, or start the child with exec");
    }
    return opened.driver;
}

void check(const DriverTable& driver, Result code, const std::string& what, const std::string& log) {
    if (code == kSuccess) return;
    const char *name = nullptr, *text = nullptr;
    driver.error_name(code, &name);
    driver.error_text(code, &text);
    std::string hint = kAnyHint;
    for (const Hint& h : kHints) {
        if (h.code == code) hint = h.text;
    }
    throw ToolchainError(
        fmt::format("{}: {} ({}): {}", what, name != nullptr ? name : fmt::format("CUDA error {}", code),
                    text != nullptr ? text : "no text", hint),
        log);
}

}  // namespace fuseline::cuda
