// Tables of foreign spellings.
#include "dsl/parser_hints.h"

#include <algorithm>

namespace fuseline::hints {
namespace {

struct Pair {
    std::string_view written, meant;
};

constexpr Pair kInfix[] = {{"&&", "and"}, {"||", "or"}, {"<>", "!="}, {"===", "=="}, {"!==", "!="}};
constexpr Pair kPrefix[] = {{"!", "not"}};
constexpr Pair kLiterals[] = {{"True", "true"}, {"False", "false"}, {"None", "none"}};
constexpr Pair kBits[] = {{"&", "and"}, {"|", "or"}};
constexpr Pair kDefinitions[] = {{"def", "fn"}, {"func", "fn"}, {"function", "fn"}};
constexpr std::string_view kBindings[] = {"let", "var", "auto", "val"};
constexpr Pair kStatements[] = {
    {"switch", "write `if c { } else if d { } else { }`"},
    {"match", "write `if c { } else if d { } else { }`"},
    {"class", "a program holds functions; a function may return several named results"},
    {"struct", "a program holds functions; a function may return several named results"},
    {"from", "another file is taken in with `import \"path.dsl\"`"},
    {"include", "another file is taken in with `import \"path.dsl\"`"},
    {"try", "there are no exceptions; a condition is tested with `assert`"},
    {"raise", "there are no exceptions; a condition is tested with `assert`"},
    {"throw", "there are no exceptions; a condition is tested with `assert`"},
    {"with", "there are no context managers"},
    {"do", "a loop is written `while condition { }`"},
    {"loop", "a loop is written `while condition { }`"},
    {"del", "names need no deletion"},
    {"global", "script names are not visible in functions; pass the value as a parameter"},
    {"yield", "a function gives all its results at once; see comprehensions and `scan`"},
};

template <size_t N>
std::string_view look_up(const Pair (&table)[N], std::string_view written) {
    const Pair* found =
        std::find_if(table, table + N, [written](const Pair& p) { return p.written == written; });
    return found == table + N ? std::string_view{} : found->meant;
}

}  // namespace

std::string_view infix_spelling(std::string_view written) { return look_up(kInfix, written); }
std::string_view prefix_spelling(std::string_view written) { return look_up(kPrefix, written); }
std::string_view literal_spelling(std::string_view written) { return look_up(kLiterals, written); }
std::string_view logical_for_bit(std::string_view written) { return look_up(kBits, written); }
std::string_view definition_word(std::string_view written) { return look_up(kDefinitions, written); }
std::string_view foreign_statement(std::string_view written) { return look_up(kStatements, written); }

bool is_binding_word(std::string_view written) {
    return std::find(std::begin(kBindings), std::end(kBindings), written) != std::end(kBindings);
}

}  // namespace fuseline::hints
