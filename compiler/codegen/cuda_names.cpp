// Identifiers of emitted CUDA.
#include "compiler/codegen/cuda_names.h"

#include <fmt/format.h>

#include <iterator>

#include "compiler/ops/op_table.h"

namespace fuseline {
namespace {

// Words of C++ and its macros, of CUDA, and of the emitted text itself. Names with "fl_" or "__" are caught
// by rule.
constexpr std::string_view kReserved[] = {"NAN",         "NULL",         "INFINITY",  "EOF",
                                          "alignas",     "alignof",      "and",       "and_eq",
                                          "asm",         "assert",       "auto",      "bitand",
                                          "bitor",       "blockDim",     "blockIdx",  "bool",
                                          "break",       "case",         "catch",     "char",
                                          "char16_t",    "char32_t",     "char8_t",   "class",
                                          "clock",       "clock64",      "co_await",  "co_return",
                                          "co_yield",    "compl",        "concept",   "const",
                                          "const_cast",  "consteval",    "constexpr", "constinit",
                                          "continue",    "decltype",     "default",   "delete",
                                          "dim3",        "do",           "double",    "double2",
                                          "double4",     "dynamic_cast", "else",      "enum",
                                          "errno",       "explicit",     "export",    "extern",
                                          "false",       "final",        "float",     "float2",
                                          "float4",      "for",          "friend",    "goto",
                                          "gridDim",     "if",           "import",    "inline",
                                          "int",         "int2",         "int4",      "linux",
                                          "long",        "main",         "module",    "mutable",
                                          "namespace",   "new",          "noexcept",  "not",
                                          "not_eq",      "nullptr",      "operator",  "or",
                                          "or_eq",       "override",     "printf",    "private",
                                          "protected",   "public",       "register",  "reinterpret_cast",
                                          "requires",    "return",       "short",     "signed",
                                          "size_t",      "sizeof",       "static",    "static_assert",
                                          "static_cast", "stderr",       "stdin",     "stdout",
                                          "std",         "struct",       "switch",    "template",
                                          "this",        "thread_local", "threadIdx", "throw",
                                          "true",        "try",          "typedef",   "typeid",
                                          "typename",    "uint2",        "uint4",     "union",
                                          "unix",        "unsigned",     "using",     "virtual",
                                          "void",        "volatile",     "warpSize",  "wchar_t",
                                          "while",       "xor",          "xor_eq"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Adds the words of a cell; "exp{s}" gives both "exp" and "expf".
void add_words(std::string_view cell, std::set<std::string>& words) {
    for (size_t at = 0; at < cell.size();) {
        if (!is_letter(cell[at])) {
            at += cell[at] == '{' ? 3 : 1;
            continue;
        }
        const size_t begin = at;
        while (at < cell.size() && (is_letter(cell[at]) || is_digit(cell[at]) || cell[at] == '_')) ++at;
        words.emplace(cell.substr(begin, at - begin));
        if (cell.substr(at).starts_with("{s}"))
            words.insert(std::string(cell.substr(begin, at - begin)) + "f");
    }
}

/// Every function that a cell may call.
std::set<std::string> cell_words() {
    std::set<std::string> words;
    for (size_t k = 0; k < op_count(); ++k) {
        const Cells& c = row(static_cast<OpId>(k)).cuda;
        for (std::string_view cell : {c.boolean, c.signed_integer, c.unsigned_integer, c.floating, c.half}) {
            add_words(cell, words);
        }
    }
    return words;
}

std::string numbered(const std::string& base, int k) {
    return fmt::format("{}{}{}", base, base.ends_with('_') ? "" : "_", k);
}

}  // namespace

CudaNames::CudaNames() : reserved_(cell_words()) {
    reserved_.insert(std::begin(kReserved), std::end(kReserved));
}

std::string CudaNames::identifier(std::string_view name) const {
    std::string id;
    for (char c : name) {
        const char safe = is_letter(c) || is_digit(c) ? c : '_';
        // Two underscores in a row are the implementation's.
        if (safe == '_' && id.ends_with('_')) continue;
        id += safe;
    }
    if (id.empty() || id == "_") return "x";
    if (!is_letter(id[0])) id.insert(0, id[0] == '_' ? "x" : "x_");
    if (id.starts_with("fl_")) id.insert(0, "x_");
    if (reserved_.contains(id)) id += '_';
    return id;
}

void CudaNames::prefer(std::string_view program_name) { preferred_.insert(identifier(program_name)); }

std::string CudaNames::named(std::string_view program_name) {
    const std::string base = identifier(program_name);
    std::string name = base;
    for (int k = 1; !taken_.insert(name).second; ++k) name = numbered(base, k);
    return name;
}

std::string CudaNames::local(std::string_view wanted) {
    const std::string base = identifier(wanted);
    std::string name = base;
    for (int k = 1; taken_.contains(name) || preferred_.contains(name); ++k) name = numbered(base, k);
    taken_.insert(name);
    return name;
}

std::string CudaNames::temporary() {
    for (;;) {
        std::string name = fmt::format("v{}", ++temporaries_);
        if (!preferred_.contains(name) && taken_.insert(name).second) return name;
    }
}

}  // namespace fuseline
