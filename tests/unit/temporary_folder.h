// A folder for the files of one test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include <fmt/format.h>

namespace fuseline::tests {

/// An empty folder for one test, removed after it.
class Folder {
public:
    explicit Folder(const std::string& name)
        : path_(std::filesystem::temp_directory_path() / fmt::format("fuseline_{}_{}", name, ::getpid())) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    size_t files() const {
        using Entries = std::filesystem::directory_iterator;
        return static_cast<size_t>(std::distance(Entries(path_), Entries()));
    }

private:
    std::filesystem::path path_;
};

}  // namespace fuseline::tests
