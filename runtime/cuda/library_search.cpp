// The toolkit's folders: those that the environment names, the usual ones, those of each version.
#include "runtime/cuda/library_search.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace fuseline::cuda {

std::vector<std::string> library_candidates(std::span<const char* const> names) {
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
    for (const char* name : names) {
        paths.emplace_back(name);
        for (const std::string& folder : folders) paths.push_back(folder + "/" + name);
    }
    return paths;
}

}  // namespace fuseline::cuda
