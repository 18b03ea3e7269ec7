// libnvrtc opened at run time; the newest that the loader or the usual folders have.
#include "runtime/cuda/nvrtc.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "compiler/support/errors.h"

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

/// Names by version, the newest first; of one version the loader's own choice before the usual folders.
std::vector<std::string> candidates() {
    std::vector<std::string> folders;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* home = std::getenv(variable)) folders.push_back(std::string(home) + "/lib64");
    }
    folders.insert(folders.end(), {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu"});
    std::error_code ignored;
    std::vector<std::string> versions;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/local", ignored)) {
        if (entry.path().filename().string().starts_with("cuda-"))
            versions.push_back(entry.path().string() + "/lib64");
    }
    std::sort(versions.rbegin(), versions.rend());
    folders.insert(folders.end(), versions.begin(), versions.end());
    std::vector<std::string> paths;
    for (const char* name : kNames) {
        paths.emplace_back(name);
        for (const std::string& folder : folders) paths.push_back(folder + "/" + name);
    }
    return paths;
}

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
    for (const std::string& path : candidates()) {
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

std::string disassemble(const std::string& cubin) {
    namespace fs = std::filesystem;
    std::string path = (fs::temp_directory_path() / "fuseline-XXXXXX.cubin").string();
    const int fd = ::mkstemps(path.data(), 6);
    if (fd < 0) throw ToolchainError("a temporary file for nvdisasm cannot be made");
    const ssize_t written = ::write(fd, cubin.data(), cubin.size());
    ::close(fd);
    std::string text;
    int status = -1;
    if (written == static_cast<ssize_t>(cubin.size())) {
        const std::string command =
            fmt::format("PATH=\"$PATH:/usr/local/cuda/bin\" nvdisasm '{}' 2>/dev/null", path);
        if (FILE* pipe = ::popen(command.c_str(), "r")) {
            std::array<char, 65536> buffer;
            for (size_t n; (n = ::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
                text.append(buffer.data(), n);
            status = ::pclose(pipe);
        }
    }
    std::error_code ignored;
    fs::remove(path, ignored);
    if (status != 0)
        throw ToolchainError("SASS needs nvdisasm, which is not on the PATH: install the CUDA toolkit");
    return text;
}

}  // namespace fuseline
