// Emitted kernels compiled for the CPU: many texts to one shared library.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "tests/fakes/host_cuda/host_cuda_abi.inc"

namespace fuseline::host_cuda {

/// One kernel to compile.
struct KernelText {
    const ir::Function* kernel = nullptr;
    std::string symbol;
    std::string cuda;
};

/// A loaded library; unloaded with its last owner.
class Library {
public:
    Library(const std::filesystem::path& file, const std::vector<std::string>& symbols);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    FlHostEntry entry(const std::string& symbol) const { return entries_.at(symbol); }
    FlHostState& state() const { return *state_; }

private:
    void* handle_ = nullptr;
    FlHostState* state_ = nullptr;
    std::map<std::string, FlHostEntry> entries_;
};

/// A folder of its own below the system's, removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Compiles the kernels, one namespace each, with g++. `stem` names the files in `folder`. Symbols differ.
/// Throws ToolchainError with the compiler's output.
std::shared_ptr<Library> compile(const std::vector<KernelText>& kernels, const std::filesystem::path& folder,
                                 const std::string& stem);

}  // namespace fuseline::host_cuda
