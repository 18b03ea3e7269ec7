// Emitted kernels compiled for the CPU.
#include "tests/fakes/host_cuda/host_cuda_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "compiler/codegen/cuda_folds.h"
#include "compiler/support/errors.h"
#include "embedded/host_cuda_abi.h"
#include "embedded/host_cuda_shim.h"

namespace fuseline::host_cuda {
namespace {

// Arithmetic as on the GPU: no contraction, integers wrap. The compiler itself reports each access
// (kernel-address calls functions of ours) and each address that lacks the alignment of its type.
constexpr const char* kCompiler[] = {"g++",
                                     "-std=c++17",
                                     "-O1",
                                     "-w",
                                     "-fPIC",
                                     "-shared",
                                     "-fvisibility=hidden",
                                     "-ffp-contract=off",
                                     "-fwrapv",
                                     "-DFL_HOST",
                                     "-fsanitize=kernel-address",
                                     "--param=asan-stack=0",
                                     "--param=asan-globals=0",
                                     "--param=asan-instrumentation-with-call-threshold=0",
                                     "-fsanitize=alignment"};

std::string file_text(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// Runs g++; its messages go to `log`. The exit code, or -1 when it could not be started.
int run_compiler(const std::filesystem::path& source, const std::filesystem::path& library,
                 const std::filesystem::path& log) {
    std::vector<std::string> words(std::begin(kCompiler), std::end(kCompiler));
    words.insert(words.end(), {source.string(), "-o", library.string()});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    pid_t child = 0;
    const int started = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (started != 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// `extern "C" void run_<symbol>(buffers, scalars, sizes)`: hands the arguments over with their types.
std::string entry_text(const KernelText& k, size_t number) {
    const ir::Function& f = *k.kernel;
    std::vector<std::string> arguments;
    size_t buffers = 0, scalars = 0;
    for (ir::ValueId v : f.region(f.body()).parameters) {
        const ir::Type& type = f.type(v);
        // The structs of the prelude stand in the kernel's namespace.
        const std::string cuda = fmt::format("{}{}", is_half(type.dtype) ? fmt::format("k{}::", number) : "",
                                             row(type.dtype).cuda_storage);
        if (type.kind == ir::TypeKind::value) {
            arguments.push_back(fmt::format("fl_host_bits<{}>(scalars[{}])", cuda, scalars++));
        } else {
            const bool read = type.kind == ir::TypeKind::read_buffer;
            arguments.push_back(fmt::format("({}{}*)buffers[{}]", read ? "const " : "", cuda, buffers++));
        }
    }
    for (size_t s = 0; s < f.sizes.size(); ++s) arguments.push_back(fmt::format("sizes[{}]", s));
    if (cuda_folds(f).shared()) arguments.push_back(fmt::format("(unsigned char*)buffers[{}]", buffers));
    return fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"))) FL_HOST_BARE void run_{}(void* const* "
        "buffers,\n"
        "    const unsigned long long* scalars, const long long* sizes) {{\n    k{}::{}({});\n}}\n",
        k.symbol, number, k.symbol, fmt::join(arguments, ", "));
}

/// `extern __shared__ T name[];` becomes a pointer to memory that the runner watches.
std::string with_dynamic_shared(std::string cuda) {
    constexpr std::string_view kDeclaration = "extern __shared__ ";
    for (size_t at = 0; (at = cuda.find(kDeclaration, at)) != std::string::npos;) {
        const size_t type = at + kDeclaration.size(), blank = cuda.find(' ', type),
                     end = cuda.find("[];", type);
        require(blank < end && end != std::string::npos, "dynamic shared memory is declared in another way");
        const std::string element = cuda.substr(type, blank - type),
                          name = cuda.substr(blank + 1, end - blank - 1);
        cuda.replace(at, end + 3 - at,
                     fmt::format("{0}* const {1} = ({0}*)fl_host_state.shared;", element, name));
    }
    return cuda;
}

std::string whole_text(const std::vector<KernelText>& kernels) {
    std::string text(embedded::kHostCudaAbi);
    text += embedded::kHostCudaShim;
    for (size_t k = 0; k < kernels.size(); ++k) {
        text += fmt::format("\nnamespace k{} {{\n{}}}\n", k, with_dynamic_shared(kernels[k].cuda));
        text += entry_text(kernels[k], k);
    }
    return text;
}

}  // namespace

Library::Library(const std::filesystem::path& file, const std::vector<std::string>& symbols)
    : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr)
        throw ToolchainError(fmt::format("the host shim cannot load its kernels: {}", dlerror()));
    const auto open = reinterpret_cast<FlHostState* (*)()>(dlsym(handle_, "fl_host_open"));
    require(open != nullptr, "the host shim's library lacks its entry");
    state_ = open();
    for (const std::string& symbol : symbols) {
        entries_[symbol] = reinterpret_cast<FlHostEntry>(dlsym(handle_, ("run_" + symbol).c_str()));
        require(entries_[symbol] != nullptr, "the host shim's library lacks a kernel");
    }
}

Library::~Library() { dlclose(handle_); }

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "fuseline-host-cuda-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw ToolchainError("cannot make a temporary folder: " + name);
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::shared_ptr<Library> compile(const std::vector<KernelText>& kernels, const std::filesystem::path& folder,
                                 const std::string& stem) {
    const std::filesystem::path source = folder / (stem + ".cpp"), library = folder / (stem + ".so"),
                                log = folder / (stem + ".log");
    std::ofstream(source) << whole_text(kernels);
    if (run_compiler(source, library, log) != 0) {
        throw ToolchainError("g++ refuses emitted CUDA under the host shim: " + file_text(log),
                             file_text(log) + whole_text(kernels));
    }
    std::vector<std::string> symbols;
    for (const KernelText& k : kernels) symbols.push_back(k.symbol);
    return std::make_shared<Library>(library, symbols);
}

}  // namespace fuseline::host_cuda
