// Reads the rows of workloads.json.
#include "bench/gpu/workload.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fuseline::bench {
namespace {

Input read_input(const nlohmann::json& row) {
    Input input;
    input.name = row.at("name");
    input.low = row.at("low");
    input.high = row.at("high");
    if (row.contains("along")) input.along = row.at("along").get<int>();
    input.line = row.value("line", false);
    return input;
}

Workload read_workload(const nlohmann::json& row, const std::string& size) {
    Workload w;
    w.name = row.at("name");
    w.program = row.at("program");
    w.function = row.value("function", w.name);
    const nlohmann::json& sizes = row.at("size");
    w.n = sizes.value(size, sizes.at("full").get<int64_t>());
    w.axes = row.value("axes", 1);
    for (const nlohmann::json& input : row.at("inputs")) w.inputs.push_back(read_input(input));
    w.outputs = row.at("outputs").get<std::vector<std::string>>();
    w.small = row.value("small", false);
    w.contract = row.value("contract", false);
    w.compares_equal = row.value("compare", "norm") == "equal";
    w.tolerance = row.at("tolerance");
    w.salt = row.value("salt", "");
    return w;
}

}  // namespace

int64_t Workload::bytes() const {
    int64_t count = elements() * static_cast<int64_t>(outputs.size());
    for (const Input& input : inputs) count += elements(input);
    return count * static_cast<int64_t>(sizeof(float));
}

std::string read_text(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    if (!file || !(text << file.rdbuf())) throw std::runtime_error(fmt::format("{} cannot be read", path));
    return text.str();
}

std::vector<Workload> load_workloads(const std::string& folder, const std::string& size,
                                     const std::vector<std::string>& only) {
    const nlohmann::json table = nlohmann::json::parse(read_text(folder + "/workloads.json"));
    if (!table.at("sizes").contains(size))
        throw std::runtime_error(fmt::format("there is no size '{}'", size));
    std::vector<Workload> workloads;
    for (const nlohmann::json& row : table.at("workloads")) {
        Workload w = read_workload(row, size);
        if (only.empty() || std::find(only.begin(), only.end(), w.name) != only.end())
            workloads.push_back(std::move(w));
    }
    return workloads;
}

std::string salted(const std::string& text, const std::string& literal, int k) {
    const size_t at = text.find(literal);
    if (at == std::string::npos)
        throw std::runtime_error(fmt::format("the program has no literal {}", literal));
    const double value = std::stod(literal) * (1 + k * 1e-6);
    return text.substr(0, at) + fmt::format("{:.9f}", value) + text.substr(at + literal.size());
}

}  // namespace fuseline::bench
