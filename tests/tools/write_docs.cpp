// fl_docs: writes the pages of docs/ that come from the tables, or with --check says which are stale.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "compiler/ops/op_table.h"
#include "compiler/passes/pass.h"
#include "compiler/support/options.h"
#include "dsl/builtins.h"
#include "dsl/reductions.h"

namespace {

struct Page {
    const char* name;
    std::string text;
};

std::string options_markdown() {
    std::string text =
        "# Options\n\n"
        "Generated from `compiler/support/option_table.def` by `./dev docs`.\n\n"
        "An option is set by `option NAME` at the top of a file, by `--option NAME[=false]` on the command "
        "line,\n"
        "or through the API. Options marked *key* are part of a kernel's key: changing one compiles anew.\n\n"
        "| option | default | key | meaning |\n|---|---|---|---|\n";
    for (const fuseline::OptionRow& row : fuseline::kOptionTable) {
        text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.default_value ? "on" : "off",
                            row.in_key ? "yes" : "no", std::string(row.doc) + (row.built ? "" : " Not yet."));
    }
    return text;
}

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// True when the page on disk is the wanted one.
bool check(const std::string& path, const Page& page) {
    if (read(path) == page.text) return true;
    fmt::print("{}: stale; run ./dev docs\n", path);
    return false;
}

bool write(const std::string& path, const Page& page) {
    std::ofstream file(path, std::ios::binary);
    file << page.text;
    file.close();
    if (!file) fmt::print(stderr, "{}: cannot write\n", path);
    return bool(file);
}

}  // namespace

int main(int argc, char** argv) {
    const bool only_check = argc == 3 && std::string_view(argv[1]) == "--check";
    if (argc != 2 && !only_check) {
        fmt::print(stderr, "usage: fl_docs [--check] FOLDER\n");
        return 2;
    }
    const std::vector<Page> pages = {
        {"operators.md", fuseline::operators_markdown() + fuseline::dsl::reductions_markdown() +
                             fuseline::dsl::builtins_markdown()},
        {"passes.md", fuseline::passes_markdown()},
        {"options.md", options_markdown()}};
    int good = 0;
    for (const Page& page : pages) {
        const std::string path = fmt::format("{}/{}", argv[argc - 1], page.name);
        good += only_check ? check(path, page) : write(path, page);
    }
    const int bad = static_cast<int>(pages.size()) - good;
    if (only_check) fmt::print("{} passed, {} failed\n", good, bad);
    return bad == 0 ? 0 : 1;
}
