// The CUDA driver API: own declarations, a table filled at run time, errors as exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace fuseline::cuda {

// The driver's handles and codes by its ABI; tests/unit/cuda compares them with the toolkit's cuda.h.
using Result = int;
using DeviceHandle = int;
using Address = unsigned long long;
using Context = struct ContextTag*;
using ModuleHandle = struct ModuleTag*;
using FunctionHandle = struct FunctionTag*;
using LibraryHandle = struct LibraryTag*;
using KernelHandle = struct KernelTag*;  ///< the driver takes one as a FunctionHandle in a launch
using StreamHandle = struct StreamTag*;
using Event = struct EventTag*;
using MemoryPool = struct MemoryPoolTag*;

/// What a memory pool is made of; all else zero.
struct PoolProperties {
    int allocation = 1;  ///< pinned, the only kind
    int handles = 0;     ///< not shared with other processes
    int place = 1;       ///< a device
    int device = 0;
    void* security = nullptr;
    size_t limit = 0;
    unsigned short usage = 0;
    unsigned char reserved[54] = {};
};

inline constexpr Result kSuccess = 0, kOutOfMemory = 2, kNotInitialized = 3, kStubLibrary = 34,
                        kDeviceUnavailable = 46, kNoDevice = 100, kInvalidImage = 200, kNoBinaryForGpu = 209,
                        kMemoryError = 214, kInvalidPtx = 218, kNoPtxCompiler = 221, kUnsupportedPtx = 222,
                        kIllegalAddress = 700, kTooManyResources = 701, kTimeout = 702,
                        kMisalignedAddress = 716, kLaunchFailed = 719, kSystemNotReady = 802,
                        kSystemDriverMismatch = 803, kCompatibilityUnsupported = 804,
                        kCaptureUnsupported = 900, kCaptureInvalidated = 901, kCaptureImplicit = 906;
inline constexpr int kAttributeMajor = 75, kAttributeMinor = 76;
inline constexpr int kFunctionMaxDynamicShared = 8;
inline constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;
inline constexpr int kCaptureRelaxed = 2;
inline constexpr unsigned kStreamNonBlocking = 1, kEventDefault = 0, kEventNoTiming = 2;
inline constexpr int kPoolReleaseThreshold = 4;

/// The driver's functions; an optional one that the driver lacks is null.
struct DriverTable {
#define DRIVER(member, symbol, version, needed, parameters) Result(*member) parameters = nullptr;
#include "runtime/cuda/driver_functions.def"
#undef DRIVER
};

/// Finds an exported symbol; null where there is none.
using Resolver = void* (*)(const char* symbol, void* context);
/// Fills the table. Throws ToolchainError that names a needed symbol which is missing and the driver version
/// that has it.
DriverTable resolve_driver(Resolver resolver, void* context);

/// The table of libcuda.so.1, initialised once for the process; what the first call found is remembered.
/// Throws ToolchainError with the fix: no driver, no GPU, driver too old, opened before a fork.
std::shared_ptr<const DriverTable> open_driver();

/// Throws ToolchainError "what: CUDA_ERROR_NAME (text): what to do" unless the code is success; `log` goes
/// along.
void check(const DriverTable& driver, Result code, const std::string& what, const std::string& log = {});

}  // namespace fuseline::cuda
