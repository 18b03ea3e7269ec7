// Our declarations of the driver against the toolkit's cuda.h, where that is there; compared by the compiler.
#include "runtime/cuda/driver.h"
#include "tests/catch.h"

#if __has_include(<cuda.h>)

#include <cuda.h>

#include <type_traits>

namespace {

using namespace fuseline;

// Sizes and places.
static_assert(sizeof(cuda::DeviceHandle) == sizeof(CUdevice) && sizeof(cuda::Address) == sizeof(CUdeviceptr));
static_assert(sizeof(cuda::Result) == sizeof(CUresult) && sizeof(cuda::Context) == sizeof(CUcontext));
static_assert(sizeof(cuda::ModuleHandle) == sizeof(CUmodule) &&
              sizeof(cuda::FunctionHandle) == sizeof(CUfunction));
static_assert(sizeof(cuda::StreamHandle) == sizeof(CUstream) && sizeof(cuda::Event) == sizeof(CUevent));
static_assert(sizeof(cuda::PoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(cuda::PoolProperties, allocation) == offsetof(CUmemPoolProps, allocType));
static_assert(offsetof(cuda::PoolProperties, handles) == offsetof(CUmemPoolProps, handleTypes));
static_assert(offsetof(cuda::PoolProperties, place) ==
              offsetof(CUmemPoolProps, location) + offsetof(CUmemLocation, type));
static_assert(offsetof(cuda::PoolProperties, device) ==
              offsetof(CUmemPoolProps, location) + offsetof(CUmemLocation, id));
static_assert(offsetof(cuda::PoolProperties, security) == offsetof(CUmemPoolProps, win32SecurityAttributes));

// Codes.
static_assert(cuda::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY &&
              cuda::kNotInitialized == CUDA_ERROR_NOT_INITIALIZED);
static_assert(cuda::kStubLibrary == CUDA_ERROR_STUB_LIBRARY &&
              cuda::kDeviceUnavailable == CUDA_ERROR_DEVICE_UNAVAILABLE);
static_assert(cuda::kNoDevice == CUDA_ERROR_NO_DEVICE && cuda::kInvalidImage == CUDA_ERROR_INVALID_IMAGE);
static_assert(cuda::kNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU &&
              cuda::kInvalidPtx == CUDA_ERROR_INVALID_PTX);
static_assert(cuda::kMemoryError == CUDA_ERROR_ECC_UNCORRECTABLE &&
              cuda::kNoPtxCompiler == CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
static_assert(cuda::kUnsupportedPtx == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
static_assert(cuda::kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS &&
              cuda::kTimeout == CUDA_ERROR_LAUNCH_TIMEOUT);
static_assert(cuda::kTooManyResources == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
static_assert(cuda::kMisalignedAddress == CUDA_ERROR_MISALIGNED_ADDRESS &&
              cuda::kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED);
static_assert(cuda::kSystemNotReady == CUDA_ERROR_SYSTEM_NOT_READY);
static_assert(cuda::kSystemDriverMismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
static_assert(cuda::kCompatibilityUnsupported == CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
static_assert(cuda::kCaptureUnsupported == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
static_assert(cuda::kCaptureInvalidated == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
static_assert(cuda::kCaptureImplicit == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);

// Attributes and flags.
static_assert(cuda::kAttributeMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(cuda::kAttributeMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(cuda::kFunctionMaxDynamicShared == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(cuda::kJitErrorLog == CU_JIT_ERROR_LOG_BUFFER &&
              cuda::kJitErrorLogBytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(cuda::kCaptureRelaxed == CU_STREAM_CAPTURE_MODE_RELAXED && CU_STREAM_CAPTURE_STATUS_NONE == 0);
static_assert(cuda::kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(cuda::kEventDefault == CU_EVENT_DEFAULT && cuda::kEventNoTiming == CU_EVENT_DISABLE_TIMING);
static_assert(cuda::kPoolReleaseThreshold == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
static_assert(cuda::PoolProperties{}.allocation == CU_MEM_ALLOCATION_TYPE_PINNED);
static_assert(cuda::PoolProperties{}.handles == CU_MEM_HANDLE_TYPE_NONE &&
              cuda::PoolProperties{}.place == CU_MEM_LOCATION_TYPE_DEVICE);

/// A parameter as the calling convention sees it: a pointer (and whether it points to const), or a number of
/// some size.
template <class T>
struct Passed {
    static constexpr size_t kSize = sizeof(T);
    static constexpr bool kPointer = std::is_pointer_v<T>;
    static constexpr bool kConst = kPointer && std::is_const_v<std::remove_pointer_t<T>>;
};
template <class A, class B>
constexpr bool kPassedAlike =
    Passed<A>::kSize == Passed<B>::kSize && Passed<A>::kPointer == Passed<B>::kPointer &&
    Passed<A>::kConst == Passed<B>::kConst;

template <class Ours, class Theirs>
struct Alike : std::false_type {};
template <class R, class... P, class S, class... Q>
    requires(sizeof...(P) == sizeof...(Q))
struct Alike<R (*)(P...), S (*)(Q...)>
    : std::bool_constant<kPassedAlike<R, S> && (kPassedAlike<P, Q> && ...)> {};

// cuda.h may map a plain name to a later version than the row's, of other parameters.
#undef cuEventElapsedTime
#if CUDA_VERSION >= 13000
extern "C" CUresult cuEventElapsedTime(float*, CUevent, CUevent);
#endif

#define CHECK_ROW(member, symbol) \
    static_assert(Alike<decltype(cuda::DriverTable::member), decltype(&symbol)>::value, #symbol)
CHECK_ROW(init, cuInit);
CHECK_ROW(driver_version, cuDriverGetVersion);
CHECK_ROW(error_name, cuGetErrorName);
CHECK_ROW(error_text, cuGetErrorString);
CHECK_ROW(device_count, cuDeviceGetCount);
CHECK_ROW(device_get, cuDeviceGet);
CHECK_ROW(device_name, cuDeviceGetName);
CHECK_ROW(device_attribute, cuDeviceGetAttribute);
CHECK_ROW(context_retain, cuDevicePrimaryCtxRetain);
CHECK_ROW(context_release, cuDevicePrimaryCtxRelease_v2);
CHECK_ROW(context_push, cuCtxPushCurrent_v2);
CHECK_ROW(context_pop, cuCtxPopCurrent_v2);
CHECK_ROW(module_load, cuModuleLoadDataEx);
CHECK_ROW(module_unload, cuModuleUnload);
CHECK_ROW(module_function, cuModuleGetFunction);
CHECK_ROW(function_set, cuFuncSetAttribute);
CHECK_ROW(launch, cuLaunchKernel);
CHECK_ROW(stream_create, cuStreamCreate);
CHECK_ROW(stream_destroy, cuStreamDestroy_v2);
CHECK_ROW(stream_synchronize, cuStreamSynchronize);
CHECK_ROW(stream_wait, cuStreamWaitEvent);
CHECK_ROW(capture_mode, cuThreadExchangeStreamCaptureMode);
CHECK_ROW(stream_capturing, cuStreamIsCapturing);
CHECK_ROW(event_create, cuEventCreate);
CHECK_ROW(event_destroy, cuEventDestroy_v2);
CHECK_ROW(event_record, cuEventRecord);
CHECK_ROW(event_synchronize, cuEventSynchronize);
CHECK_ROW(event_elapsed, cuEventElapsedTime);
CHECK_ROW(memory_info, cuMemGetInfo_v2);
CHECK_ROW(copy_to_device, cuMemcpyHtoDAsync_v2);
CHECK_ROW(copy_to_host, cuMemcpyDtoHAsync_v2);
CHECK_ROW(copy_on_device, cuMemcpyDtoDAsync_v2);
CHECK_ROW(fill_bytes, cuMemsetD8Async);
CHECK_ROW(allocate, cuMemAlloc_v2);
CHECK_ROW(free, cuMemFree_v2);
CHECK_ROW(pool_create, cuMemPoolCreate);
CHECK_ROW(pool_destroy, cuMemPoolDestroy);
CHECK_ROW(pool_set, cuMemPoolSetAttribute);
CHECK_ROW(pool_trim, cuMemPoolTrimTo);
CHECK_ROW(allocate_async, cuMemAllocFromPoolAsync);
CHECK_ROW(free_async, cuMemFreeAsync);
#if CUDA_VERSION >= 12000
CHECK_ROW(library_load, cuLibraryLoadData);
CHECK_ROW(library_unload, cuLibraryUnload);
CHECK_ROW(library_kernel, cuLibraryGetKernel);
CHECK_ROW(kernel_set, cuKernelSetAttribute);
#endif
#undef CHECK_ROW

}  // namespace

TEST_CASE("the driver's declarations are the toolkit's", "[cuda]") {
    SUCCEED("compared when this file was compiled");
}

#else

TEST_CASE("the driver's declarations are the toolkit's", "[cuda]") { WARN("not run: no cuda.h"); }

#endif
