// Architectures, stages and the disassembler.
#include "runtime/cuda/cuda_stages.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "compiler/support/errors.h"

namespace fuseline {
namespace {

constexpr int kNotFound = 127;  ///< the shell's exit code for a program that is not there

/// A folder of its own that goes with its files.
class TemporaryFolder {
public:
    TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "fuseline-XXXXXX").string()) {
        if (::mkdtemp(path_.data()) == nullptr)
            throw ToolchainError(fmt::format("a temporary folder cannot be made: {}", path_));
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string file(const char* name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

std::string shell_word(const std::string& text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

/// What a shell command prints, and its exit code; -1 where it did not end by itself.
std::pair<std::string, int> output_of(const std::string& command) {
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return {{}, -1};
    std::string text;
    std::array<char, 65536> buffer;
    for (size_t n; (n = ::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
    const int status = ::pclose(pipe);
    return {std::move(text), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

}  // namespace

CudaArchitecture architecture_for(const CudaCompiler& compiler, const std::string& arch) {
    const int capability = std::stoi(arch.substr(3));
    const std::vector<int> known = compiler.architectures();
    if (std::find(known.begin(), known.end(), capability) != known.end()) return {arch, true};
    int newest = 0;
    for (int a : known) newest = a < capability ? std::max(newest, a) : newest;
    if (newest == 0) {
        throw ToolchainError(fmt::format(
            "NVRTC {} does not compile for {}: install an older CUDA toolkit, or use --device cpu",
            compiler.version(), arch));
    }
    return {fmt::format("sm_{}", newest), false};
}

std::string cuda_stage_text(const CudaCompiler& compiler, const std::string& source,
                            const std::string& symbol, const std::string& arch, std::string_view stage) {
    if (stage == "cuda") return source;
    if (stage != "ptx" && stage != "sass") {
        throw UserError(
            fmt::format("a CUDA device has no stage `{}`; it has `cuda`, `ptx` and `sass`", stage));
    }
    const CudaArchitecture made = architecture_for(compiler, arch);
    if (stage == "ptx") return compiler.compile(source, symbol, made.name, CudaOutput::ptx, false).bytes;
    if (!made.own) {
        throw ToolchainError(fmt::format("NVRTC {} makes no SASS for {}: install a newer CUDA toolkit",
                                         compiler.version(), arch));
    }
    return disassemble(compiler.compile(source, symbol, made.name, CudaOutput::cubin, false).bytes);
}

std::string disassemble(const std::string& cubin) {
    const TemporaryFolder folder;
    std::ofstream file(folder.file("kernel.cubin"), std::ios::binary);
    if (!file.write(cubin.data(), static_cast<std::streamsize>(cubin.size())).flush())
        throw ToolchainError(fmt::format("{} cannot be written", folder.file("kernel.cubin")));
    auto [text, code] =
        output_of(fmt::format("PATH=\"$PATH:/usr/local/cuda/bin\" nvdisasm {} 2>{}",
                              shell_word(folder.file("kernel.cubin")), shell_word(folder.file("errors"))));
    if (code == 0) return text;
    if (code == kNotFound) {
        throw ToolchainError(
            "SASS needs nvdisasm, which is neither on the PATH nor in /usr/local/cuda/bin: install the CUDA "
            "toolkit");
    }
    std::ifstream errors(folder.file("errors"));
    throw ToolchainError(
        fmt::format("nvdisasm failed with exit code {}: what it said follows; one that is older than NVRTC "
                    "does not read its cubins",
                    code),
        std::string(std::istreambuf_iterator<char>(errors), {}));
}

}  // namespace fuseline
