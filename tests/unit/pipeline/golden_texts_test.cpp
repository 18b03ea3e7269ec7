// The snapshots of passes, fusion and schedules whose input is a graph in text form:
// tests/golden/{opt,simplify,fuse,kernel, plan}_*.test. A case has `--- ir`, perhaps `--- args` (pass names
// for `--- opt`), and one or more of the sections below.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "compiler/pipeline/opt.h"
#include "compiler/pipeline/pipeline.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

struct Case {
    std::string name;
    std::map<std::string, std::string> sections;
};

std::vector<Case> read_cases(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::vector<Case> cases;
    std::string line, section;
    while (std::getline(in, line)) {
        if (line.starts_with("=== ")) {
            cases.push_back({line.substr(4), {}});
            section.clear();
        } else if (line.starts_with("--- ") && !cases.empty()) {
            section = line.substr(4);
            cases.back().sections[section];
        } else if (!section.empty()) {
            cases.back().sections[section] += line + "\n";
        }
    }
    for (Case& c : cases) {
        for (auto& [name, text] : c.sections) {
            while (text.ends_with("\n\n")) text.pop_back();
        }
    }
    return cases;
}

std::vector<std::string> words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> all;
    for (std::string word; in >> word;) all.push_back(word);
    return all;
}

std::string remarks_text(const std::vector<Remark>& remarks) {
    std::string text;
    for (const Remark& r : remarks) text += r.pass + ": " + r.subject + ": " + r.reason + "\n";
    return text;
}

/// What the section must hold.
std::string produce(const std::string& section, const SourceMap& sources, const Case& c) {
    if (section == "opt") return run_opt(sources, 0, words(c.sections.at("args")), Target{});
    auto functions = ir::parse_functions(sources, 0);
    const Compiled compiled = compile(std::move(functions.at(0)), Target{});
    if (section == "fused") return ir::print(compiled.fused);
    if (section == "plan") return ir::print(compiled.plan);
    if (section == "remarks") return remarks_text(compiled.remarks);
    std::string text;
    for (const ir::Function& kernel : compiled.kernels)
        text += (text.empty() ? "" : "\n") + ir::print(kernel);
    return text;
}

void check_case(const Case& c) {
    INFO(c.name);
    REQUIRE(c.sections.count("ir") == 1);
    SourceMap sources;
    sources.add("test.ir", c.sections.at("ir"));
    size_t outputs = 0;
    for (const auto& [section, text] : c.sections) {
        if (section == "ir" || section == "args") continue;
        INFO(section);
        CHECK(produce(section, sources, c) == text);
        ++outputs;
    }
    CHECK(outputs != 0);
}

}  // namespace

TEST_CASE("golden texts of passes and schedules") {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator("tests/golden")) {
        const std::string name = entry.path().filename().string();
        for (const char* prefix : {"opt_", "simplify_", "fuse_", "kernel_", "plan_"}) {
            if (name.starts_with(prefix) && name.ends_with(".test")) files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    REQUIRE(files.size() >= 5);
    for (const auto& file : files) {
        INFO(file.string());
        for (const Case& c : read_cases(file)) {
            // Graphs only: programs are the business of the text runner.
            if (c.sections.count("ir") != 0) check_case(c);
        }
    }
}
