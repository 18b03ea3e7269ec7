// The CUDA driver API as Fuseline uses it: own declarations, a table filled at run time, errors as exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace fuseline::cuda {

// The driver's handles and codes, by its ABI. tests/unit/cuda compares them with the toolkit's cuda.h where that is there.
using Result = int;
using DeviceHandle = int;
using Address = unsigned long long;
using Context = struct ContextTag*;
using ModuleHandle = struct ModuleTag*;
using FunctionHandle = struct FunctionTag*;
using StreamHandle = struct StreamTag*;
using Event = struct EventTag*;
using MemoryPool = struct MemoryPoolTag*;

inline constexpr Result kSuccess = 0, kOutOfMemory = 2, kNoDevice = 100, kNoBinaryForGpu = 209, kInvalidPtx = 218,
                        kUnsupportedPtx = 222, kIllegalAddress = 700, kSystemDriverMismatch = 803;
inline constexpr int kAttributeMajor = 75, kAttributeMinor = 76, kAttributeMultiprocessors = 16;
inline constexpr int kFunctionMaxDynamicShared = 8;
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
/// Fills the table. Throws ToolchainError that names a needed symbol which is missing and the driver version that has it.
DriverTable resolve_driver(Resolver resolver, void* context);

/// The table of libcuda.so.1, initialised once for the process. Throws ToolchainError with the fix: no driver, no GPU, driver too old.
std::shared_ptr<const DriverTable> open_driver();

/// Throws ToolchainError "what: CUDA_ERROR_NAME (text)" with a hint for codes that users meet, unless the code is success.
void check(const DriverTable& driver, Result code, const std::string& what);

}  // namespace fuseline::cuda
