// One row of bench/programs/workloads.json: a program, its inputs and its size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fuseline::bench {

/// An f32 input: of the output's shape, or a vector along one of the output's axes.
struct Input {
    std::string name;
    double low = 0, high = 1;
    std::optional<int> along;
    bool line = false;  ///< even steps from low to high instead of random values
};

struct Workload {
    std::string name;
    std::string program;  ///< file in the programs' folder
    std::string function;
    int64_t n = 0;
    int axes = 1;  ///< outputs are f32[n] or f32[n, n]
    std::vector<Input> inputs;
    std::vector<std::string> outputs;
    bool small = false;           ///< timed per call on the host's clock
    bool contract = false;        ///< also measured under `option contract`
    bool compares_equal = false;  ///< the error is the share of unequal elements
    double tolerance = 0;
    std::string salt;  ///< a literal of the program that may change; empty: none

    int64_t elements() const { return axes == 1 ? n : n * n; }
    int64_t elements(const Input& input) const { return input.along ? n : elements(); }
    std::vector<int64_t> shape() const { return std::vector<int64_t>(static_cast<size_t>(axes), n); }
    std::vector<int64_t> shape(const Input& input) const {
        return input.along ? std::vector<int64_t>{n} : shape();
    }
    /// Each input read once and each output written once.
    int64_t bytes() const;
};

/// The rows of `folder`/workloads.json at a size ("full", "quick", "cpu", "tiny"), those of `only` unless it
/// is empty. Throws std::runtime_error.
std::vector<Workload> load_workloads(const std::string& folder, const std::string& size,
                                     const std::vector<std::string>& only);

std::string read_text(const std::string& path);

/// The program's text with its salt literal changed by `k` millionths: another kernel that does the same
/// work.
std::string salted(const std::string& text, const std::string& literal, int k);

}  // namespace fuseline::bench
