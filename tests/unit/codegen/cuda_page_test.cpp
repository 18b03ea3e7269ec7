// docs/black_scholes_cuda.md shows what the emitter prints today.
#include <fstream>
#include <sstream>

#include "compiler/codegen/emitters.h"
#include "compiler/pipeline/pipeline.h"
#include "dsl/program.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

std::string file_text(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// The ```cuda blocks of a page, one after the other.
std::string cuda_of(const std::string& page) {
    std::istringstream lines(page);
    std::string code;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("```")) {
            inside = line == "```cuda";
        } else if (inside) {
            code += line + "\n";
        }
    }
    return code;
}

/// What `fuseline dump samples/black_scholes.dsl --fn black_scholes --stage cuda` prints for arrays below 2
/// GiB.
std::string emitted() {
    SourceMap sources;
    Diagnostics diagnostics;
    const std::string path = "samples/black_scholes.dsl";
    const Program program = check_program(
        sources, path, file_text(path), [](const std::string&) { return std::nullopt; }, diagnostics);
    const Target target{.kind = TargetKind::cuda, .arch = "sm_90"};
    ir::Function kernel = compile(program.entry("black_scholes")->graph, target).kernels.at(0);
    kernel.index_bits = 32;
    return emit_cuda(kernel, "fl_map_0123456789abcdef", &sources);
}

/// Blank lines stand between the blocks of the page too.
std::string without_blank_lines(const std::string& text) {
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) out += line + "\n";
    }
    return out;
}

}  // namespace

TEST_CASE("docs/black_scholes_cuda.md shows the emitted code", "[cuda]") {
    const std::string expected = emitted();
    INFO("the page is to show:\n" << expected);
    CHECK(without_blank_lines(cuda_of(file_text("docs/black_scholes_cuda.md"))) ==
          without_blank_lines(expected));
}
