// Fills in the templates of llvm_prelude.ll.
#include "compiler/codegen/llvm_prelude.h"

#include <fmt/format.h>

#include <cctype>

#include "compiler/codegen/prelude_blocks.h"
#include "compiler/codegen/sleef_wrappers.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

bool is_cast_block(std::string_view block) { return block.starts_with("fl.to_"); }

/// What a block calls computes in the block's own type, except where a name says other ones.
PreludeInstance called_by(const PreludeInstance& x, const std::string& name) {
    if (name.starts_with("fl.to_bits_")) return {name, DType::f32_, DType::u16_, x.lanes};
    if (name.starts_with("fl.to_value_")) return {name, DType::u16_, DType::f32_, x.lanes};
    return {name, x.operation, x.operation, x.lanes};
}

std::string vector_of(std::string_view element, int lanes) {
    return lanes == 1 ? std::string(element) : fmt::format("<{} x {}>", lanes, element);
}

std::string constant_of(std::string_view element_type, int lanes, std::string_view element) {
    return lanes == 1 ? std::string(element) : fmt::format("splat ({} {})", element_type, element);
}

/// The number of which the integer type holds all smaller ones: 2^63 for i64, 2^64 for u64.
std::string integer_limit(const DTypeRow& r) {
    const int digits = r.type_class == TypeClass::signed_integer ? r.bits - 1 : r.bits;
    return digits == 64 ? "18446744073709551616" : std::to_string(uint64_t{1} << digits);
}

std::string word_text(std::string_view word, const PreludeInstance& x) {
    const std::string bits = std::to_string(llvm_value_bits(x.operation));
    const DTypeRow& result = row(x.result);
    if (word == "V") return llvm_type(x.operation, x.lanes);
    if (word == "S") return llvm_suffix(x.operation, x.lanes);
    if (word == "R") return llvm_type(x.result, x.lanes);
    if (word == "T") return llvm_suffix(x.result, x.lanes);
    if (word == "I") return vector_of("i" + bits, x.lanes);
    if (word == "J") return vector_of(fmt::format("i{}", llvm_value_bits(x.result)), x.lanes);
    if (word == "H") return llvm_type(DType::u16_, x.lanes);
    if (word == "G") return llvm_suffix(DType::u16_, x.lanes);
    if (word == "B") return vector_of("i1", x.lanes);
    if (word == "L") return std::to_string(x.lanes);
    if (word == "W") return bits;
    if (word == "MIN") return "-" + integer_limit(result);
    if (word == "MAX") return std::to_string((uint64_t{1} << (result.bits - 1)) - 1);
    if (word == "LOW") return "-" + integer_limit(result) + ".0";
    if (word == "HIGH") return integer_limit(result) + ".0";
    throw InternalError(fmt::format("the LLVM prelude has an unknown placeholder ${}", word));
}

/// Type letter of a constant "$(1)", "$i(1)", "$r(1)" that begins at `rest`, or 0.
char constant_letter(std::string_view rest) {
    if (rest.starts_with("(")) return 'v';
    constexpr std::string_view kLetters = "irjh";
    return rest.size() > 1 && rest[1] == '(' && kLetters.find(rest[0]) != std::string_view::npos ? rest[0]
                                                                                                 : '\0';
}

std::string constant_text(char letter, std::string_view element, const PreludeInstance& x) {
    if (letter == 'v') return llvm_constant(x.operation, x.lanes, element);
    if (letter == 'r') return llvm_constant(x.result, x.lanes, element);
    if (letter == 'h') return llvm_constant(DType::u16_, x.lanes, element);
    const DType width = letter == 'j' ? x.result : x.operation;
    return constant_of(fmt::format("i{}", llvm_value_bits(width)), x.lanes, element);
}

/// "$W" is a placeholder; "16777216.0|9007199254740992.0" is one literal for f32 and one for f64.
std::string element_text(std::string_view element, const PreludeInstance& x) {
    if (element.starts_with('$')) return word_text(element.substr(1), x);
    const size_t bar = element.find('|');
    if (bar == std::string_view::npos) return std::string(element);
    return std::string(llvm_value_bits(x.operation) == 32 ? element.substr(0, bar) : element.substr(bar + 1));
}

std::string filled(std::string_view text, const PreludeInstance& x) {
    std::string out;
    while (!text.empty()) {
        const size_t dollar = text.find('$');
        out += text.substr(0, dollar);
        if (dollar == std::string_view::npos) break;
        text.remove_prefix(dollar + 1);
        if (const char letter = constant_letter(text)) {
            const size_t open = text.find('(');
            const size_t close = text.find(')');
            std::string_view element = text.substr(open + 1, close - open - 1);
            out += constant_text(letter, element_text(element, x), x);
            text.remove_prefix(close + 1);
            continue;
        }
        size_t end = 0;
        while (end < text.size() && std::isupper(static_cast<unsigned char>(text[end]))) ++end;
        out += word_text(text.substr(0, end), x);
        text.remove_prefix(end);
    }
    return out;
}

}  // namespace

std::string llvm_type(DType dtype, int lanes) { return vector_of(row(dtype).llvm_compute, lanes); }

int llvm_value_bits(DType dtype) {
    const std::string_view type = row(dtype).llvm_compute;
    return type == "float" ? 32 : type == "double" ? 64 : type == "i1" ? 1 : row(dtype).bits;
}

std::string llvm_suffix(DType dtype, int lanes) {
    const std::string_view type = row(dtype).llvm_compute;
    const std::string element = type == "float" ? "f32" : type == "double" ? "f64" : std::string(type);
    return lanes == 1 ? element : fmt::format("v{}{}", lanes, element);
}

std::string llvm_constant(DType dtype, int lanes, std::string_view element) {
    return constant_of(row(dtype).llvm_compute, lanes, element);
}

std::string llvm_prelude_name(const PreludeInstance& x) {
    if (!is_cast_block(x.block)) return x.block + "." + llvm_suffix(x.operation, x.lanes);
    return fmt::format("{}.{}.{}", x.block, llvm_suffix(x.result, x.lanes),
                       llvm_suffix(x.operation, x.lanes));
}

std::string llvm_prelude_text(std::string_view prelude_text, const std::set<PreludeInstance>& instances,
                              const Target& target) {
    const auto blocks = prelude_blocks(prelude_text);
    std::set<PreludeInstance> wanted;
    for (const PreludeInstance& x : instances) {
        for (const std::string& name : with_needs(blocks, {x.block})) {
            PreludeInstance one = called_by(x, name);
            if (name == x.block && is_cast_block(name)) one = x;
            add_with_sleef_parts(one, target, wanted);
        }
    }
    // Signed and unsigned integers share their LLVM type and so most functions.
    std::set<std::string> defined;
    const auto first = [&](const PreludeInstance& x) { return defined.insert(llvm_prelude_name(x)).second; };
    std::string text;
    for (const PreludeInstance& x : wanted) {
        if (x.block.starts_with("sleef.") && first(x)) text.append(sleef_definition(x, target)).append("\n");
    }
    for (const PreludeBlock& block : blocks) {
        for (const PreludeInstance& x : wanted) {
            if (x.block == block.name && first(x)) text.append(filled(block.text, x)).append("\n");
        }
    }
    return text;
}

}  // namespace fuseline
