// The driver and NVRTC opened at run time (types from the toolkit's headers), compile, and a wall clock.
#pragma once

#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <chrono>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace spikes {

inline double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

/// Throws std::runtime_error with the loader's message when none of the names opens.
inline void* open_library(std::initializer_list<std::string> names) {
    for (const std::string& name : names)
        if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    throw std::runtime_error(dlerror());
}

template <class F>
void find_symbol(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) throw std::runtime_error(std::string("missing symbol ") + name);
}

// The header's macros give a function its versioned name: expand before making a string.
#define SPIKES_STRING(x) #x
#define SPIKES_NAME(x) SPIKES_STRING(x)
#define SPIKES_DRIVER(X)                                                                                    \
    X(cuInit)                                                                                               \
    X(cuDeviceGet) X(cuDevicePrimaryCtxRetain) X(cuCtxSetCurrent) X(cuCtxSynchronize) X(cuGetErrorString)   \
        X(cuDriverGetVersion) X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction)                  \
            X(cuLibraryLoadData) X(cuLibraryGetKernel) X(cuLibraryUnload) X(cuLaunchKernel)                 \
                X(cuStreamCreate) X(cuStreamSynchronize) X(cuMemAlloc) X(cuMemAllocAsync) X(cuMemFreeAsync) \
                    X(cuDeviceGetDefaultMemPool) X(cuMemPoolSetAttribute) X(cuGraphCreate)                  \
                        X(cuGraphAddKernelNode) X(cuGraphInstantiate) X(cuGraphLaunch)                      \
                            X(cuGraphExecKernelNodeSetParams) X(cuGraphExecDestroy) X(cuGraphDestroy)       \
                                X(cuMemcpyDtoH) X(cuMemsetD8)

struct Driver {
#define SPIKES_MEMBER(f) decltype(&::f) f;
    SPIKES_DRIVER(SPIKES_MEMBER)
#undef SPIKES_MEMBER

    Driver() {
        void* library = open_library({"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "libcuda.so"});
#define SPIKES_FIND(f) find_symbol(library, SPIKES_NAME(f), this->f);
        SPIKES_DRIVER(SPIKES_FIND)
#undef SPIKES_FIND
    }
    void check(CUresult result, const char* what) const {
        const char* text = nullptr;
        if (result == CUDA_SUCCESS) return;
        cuGetErrorString(result, &text);
        throw std::runtime_error(std::string(what) + ": " + (text ? text : "unknown error"));
    }
};

#define SPIKES_NVRTC(X)                                                                      \
    X(nvrtcVersion)                                                                          \
    X(nvrtcCreateProgram) X(nvrtcDestroyProgram) X(nvrtcCompileProgram) X(nvrtcGetCUBINSize) \
        X(nvrtcGetCUBIN) X(nvrtcGetProgramLogSize) X(nvrtcGetProgramLog)

struct Nvrtc {
#define SPIKES_MEMBER(f) decltype(&::f) f;
    SPIKES_NVRTC(SPIKES_MEMBER)
#undef SPIKES_MEMBER

    /// `name`: libnvrtc.so or libnvrtc.alt.so, looked for by the loader, then in the toolkit.
    explicit Nvrtc(const std::string& name) {
        void* library = open_library(
            {name, name + ".13", "/usr/local/cuda/lib64/" + name, "/usr/local/cuda/lib64/" + name + ".13"});
#define SPIKES_FIND(f) find_symbol(library, SPIKES_NAME(f), this->f);
        SPIKES_NVRTC(SPIKES_FIND)
#undef SPIKES_FIND
    }

    /// The machine code for sm_90; throws the compiler's log.
    std::string compile(const std::string& text, std::vector<const char*> options) const {
        nvrtcProgram program = nullptr;
        options.insert(options.begin(), "--gpu-architecture=sm_90");
        nvrtcCreateProgram(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr);
        nvrtcResult result = nvrtcCompileProgram(program, int(options.size()), options.data());
        size_t size = 0;
        std::string out;
        if (result == NVRTC_SUCCESS) {
            nvrtcGetCUBINSize(program, &size);
            nvrtcGetCUBIN(program, (out.resize(size), out.data()));
        } else {
            nvrtcGetProgramLogSize(program, &size);
            nvrtcGetProgramLog(program, (out.resize(size), out.data()));
        }
        nvrtcDestroyProgram(&program);
        if (result != NVRTC_SUCCESS) throw std::runtime_error("NVRTC: " + out);
        return out;
    }
};

}  // namespace spikes
