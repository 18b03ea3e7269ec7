// libnvrtc opened at run time; the newest that the loader or the usual folders have.
#include "runtime/cuda/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "runtime/cuda/library_search.h"

namespace fuseline {
namespace {

using Program = struct ProgramTag*;

/// NVRTC's functions by its ABI.
struct Nvrtc {
    int (*version)(int* major, int* minor) = nullptr;
    int (*architecture_count)(int* count) = nullptr;
    int (*architectures)(int* values) = nullptr;
    int (*create)(Program* program, const char* source, const char* name, int headers,
                  const char* const* texts, const char* const* names) = nullptr;
    int (*destroy)(Program* program) = nullptr;
    int (*compile)(Program program, int count, const char* const* options) = nullptr;
    int (*log_size)(Program program, size_t* size) = nullptr;
    int (*log)(Program program, char* text) = nullptr;
    int (*ptx_size)(Program program, size_t* size) = nullptr;
    int (*ptx)(Program program, char* text) = nullptr;
    int (*cubin_size)(Program program, size_t* size) = nullptr;
    int (*cubin)(Program program, char* bytes) = nullptr;
    const char* (*error_text)(int code) = nullptr;
    std::string path;
};

constexpr const char* kFix =
    "install NVIDIA's CUDA toolkit (NVRTC 12 or 13), or add its folder to LD_LIBRARY_PATH, or use --device "
    "cpu";
constexpr int kBuiltinFailure = 7;

/// Sonames, newest first.
constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};

template <class Function>
void take(void* library, const std::string& path, const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    if (function == nullptr) throw ToolchainError(fmt::format("{} lacks {}: {}", path, symbol, kFix));
}

/// The file that a symbol came from; `name` where the loader cannot tell.
template <class Function>
std::string file_of(Function function, const std::string& name) {
    Dl_info info = {};
    const bool known = dladdr(reinterpret_cast<void*>(function), &info) != 0 && info.dli_fname != nullptr;
    return known ? info.dli_fname : name;
}

Nvrtc open_nvrtc() {
    for (const std::string& path : cuda::library_candidates(kNames)) {
        void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) continue;
        Nvrtc n;
        take(library, path, "nvrtcVersion", n.version);
        take(library, path, "nvrtcGetNumSupportedArchs", n.architecture_count);
        take(library, path, "nvrtcGetSupportedArchs", n.architectures);
        take(library, path, "nvrtcCreateProgram", n.create);
        take(library, path, "nvrtcDestroyProgram", n.destroy);
        take(library, path, "nvrtcCompileProgram", n.compile);
        take(library, path, "nvrtcGetProgramLogSize", n.log_size);
        take(library, path, "nvrtcGetProgramLog", n.log);
        take(library, path, "nvrtcGetPTXSize", n.ptx_size);
        take(library, path, "nvrtcGetPTX", n.ptx);
        take(library, path, "nvrtcGetCUBINSize", n.cubin_size);
        take(library, path, "nvrtcGetCUBIN", n.cubin);
        take(library, path, "nvrtcGetErrorString", n.error_text);
        n.path = file_of(n.version, path);
        return n;
    }
    throw ToolchainError(fmt::format("there is no NVRTC (libnvrtc.so): {}", kFix));
}

const Nvrtc& nvrtc() {
    static std::mutex mutex;
    static std::optional<Nvrtc> opened;
    const std::lock_guard lock(mutex);
    if (!opened) opened = open_nvrtc();
    return *opened;
}

void check(int code, const char* what) {
    if (code != 0) throw ToolchainError(fmt::format("NVRTC {}: {}", what, nvrtc().error_text(code)));
}

struct Destroy {
    void operator()(Program program) const { nvrtc().destroy(&program); }
};
using OwnedProgram = std::unique_ptr<ProgramTag, Destroy>;

/// Reads one of the program's texts through its size and copy functions.
std::string text_of(Program program, int (*size)(Program, size_t*), int (*copy)(Program, char*),
                    const char* what) {
    size_t bytes = 0;
    check(size(program, &bytes), what);
    std::string text(bytes, '\0');
    if (bytes != 0) check(copy(program, text.data()), what);
    return text;
}

std::string numbered(const std::string& source) {
    std::string out;
    int line = 1;
    for (size_t begin = 0; begin < source.size(); ++line) {
        const size_t end = std::min(source.find('\n', begin), source.size());
        out += fmt::format("{:>5} | {}\n", line, source.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

void drop_end(std::string& text) {
    while (!text.empty() && text.back() == '\0') text.pop_back();
}

[[noreturn]] void throw_refusal(const std::string& name, const std::string& arch, int code,
                                const std::string& log, const std::string& source) {
    if (code == kBuiltinFailure || log.find("libnvrtc-builtins") != std::string::npos) {
        throw ToolchainError(
            fmt::format(
                "NVRTC {} ({}) cannot open its libnvrtc-builtins.so.{}: install it beside libnvrtc, from "
                "the same CUDA toolkit, or use --device cpu",
                nvrtc_version(), nvrtc().path, nvrtc_version()),
            log);
    }
    throw ToolchainError(
        fmt::format("NVRTC {} cannot compile kernel {} for {} ({}): its log and the source follow; "
                    "please report this, or use --device cpu",
                    nvrtc_version(), name, arch, nvrtc().error_text(code)),
        log + "\n" + numbered(source));
}

}  // namespace

std::string nvrtc_version() {
    int major = 0, minor = 0;
    check(nvrtc().version(&major, &minor), "cannot tell its version");
    return fmt::format("{}.{}", major, minor);
}

std::vector<int> nvrtc_architectures() {
    int count = 0;
    check(nvrtc().architecture_count(&count), "cannot list its architectures");
    std::vector<int> values(static_cast<size_t>(count));
    check(nvrtc().architectures(values.data()), "cannot list its architectures");
    std::sort(values.begin(), values.end());
    return values;
}

CudaImage nvrtc_compile(const std::string& source, const std::string& name, const std::string& arch,
                        CudaOutput output, bool verbose) {
    const Nvrtc& n = nvrtc();
    Program raw = nullptr;
    const std::string file = name + ".cu";
    check(n.create(&raw, source.c_str(), file.c_str(), 0, nullptr, nullptr), "cannot take the source");
    const OwnedProgram program(raw);
    std::string real = arch;
    if (output == CudaOutput::ptx) real.replace(0, 3, "compute_");
    const std::string architecture = "--gpu-architecture=" + real;
    std::vector<const char*> options = {architecture.c_str(), "--fmad=false", "--std=c++17"};
    if (verbose) options.insert(options.end(), {"--ptxas-options", "-v"});
    const int code = n.compile(program.get(), static_cast<int>(options.size()), options.data());
    CudaImage image;
    image.log = text_of(program.get(), n.log_size, n.log, "cannot give its log");
    drop_end(image.log);
    if (code != 0) throw_refusal(name, arch, code, image.log, source);
    if (output == CudaOutput::ptx) {
        image.bytes = text_of(program.get(), n.ptx_size, n.ptx, "gives no PTX");
        drop_end(image.bytes);
    } else {
        image.bytes = text_of(program.get(), n.cubin_size, n.cubin, "gives no cubin");
    }
    return image;
}

}  // namespace fuseline
