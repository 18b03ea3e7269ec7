// Wrappers that call SLEEF for any power of two of lanes: directly, in parts, or with lanes left over.
#include "compiler/codegen/sleef_wrappers.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/sleef_symbols.h"

namespace fuseline {
namespace {

bool is_sleef(const PreludeInstance& x) { return x.block.starts_with("sleef."); }

/// Lanes of the SLEEF function that computes the instance, or a part of it.
int native_lanes(const PreludeInstance& x, const Target& target) {
    if (x.lanes == 1) return 1;
    const int bits = llvm_value_bits(x.operation);
    return std::clamp(x.lanes, 128 / bits, target.vector_bits / bits);
}

int arity(const PreludeInstance& x) {
    const std::string_view function = std::string_view(x.block).substr(6, x.block.find('_') - 6);
    const auto op = op_named(function);
    return op ? row(*op).arity : 1;
}

/// "<8 x float> %x0, <8 x float> %x1" with the given stem.
std::string arguments(const std::string& type, int count, std::string_view stem) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += fmt::format("{}{}{}", i == 0 ? "" : ", ", type,
                            stem.empty() ? "" : fmt::format(" {}{}", stem, i));
    }
    return text;
}

/// "<4 x i32> <i32 4, i32 5, i32 6, i32 7>": lanes from `first` on, those past `last` poison.
std::string lane_mask(int count, int first, int last) {
    std::string lanes;
    for (int i = 0; i < count; ++i) {
        const bool inside = first + i < last;
        lanes += fmt::format("{}i32 {}", i == 0 ? "" : ", ", inside ? std::to_string(first + i) : "poison");
    }
    return fmt::format("<{} x i32> <{}>", count, lanes);
}

std::string direct_definition(const PreludeInstance& x, const Target& target) {
    const int bits = x.lanes == 1 ? 0 : x.lanes * llvm_value_bits(x.operation);
    const std::string symbol = sleef_symbol(x.block, x.operation, bits, target.fma);
    const std::string type = llvm_type(x.operation, x.lanes);
    const int count = arity(x);
    return fmt::format(
        "declare {0} @{1}({2}) nounwind willreturn memory(none)\n"
        "define internal {0} @{3}({4}) alwaysinline {{\n"
        "  %r = call {0} @{1}({4})\n  ret {0} %r\n}}\n",
        type, symbol, arguments(type, count, ""), llvm_prelude_name(x), arguments(type, count, "%x"));
}

/// The vector type and one part of it.
struct Parts {
    PreludeInstance whole, part;
    std::string whole_type() const { return llvm_type(whole.operation, whole.lanes); }
    std::string part_type() const { return llvm_type(part.operation, part.lanes); }
};

/// Takes lanes from `first` on out of every operand and calls the part on them.
std::string part_call(const Parts& p, int first) {
    std::string text;
    const int count = arity(p.whole);
    for (int i = 0; i < count; ++i) {
        text += fmt::format("  %p{0}.{1} = shufflevector {2} %x{1}, {2} poison, {3}\n", first, i,
                            p.whole_type(), lane_mask(p.part.lanes, first, p.whole.lanes));
    }
    return text + fmt::format("  %r{} = call {} @{}({})\n", first, p.part_type(), llvm_prelude_name(p.part),
                              arguments(p.part_type(), count, fmt::format("%p{}.", first)));
}

/// Appends the parts to one vector; gives the name of the whole in `name`.
std::string joined(const Parts& p, std::string& name) {
    std::string text;
    name = "%r0";
    int have = p.part.lanes;
    for (int first = have; first < p.whole.lanes; first += p.part.lanes) {
        // A shuffle takes two vectors of one type, so the part is widened to what is there already.
        const std::string type = llvm_type(p.whole.operation, have);
        text += fmt::format("  %w{0} = shufflevector {1} %r{0}, {1} poison, {2}\n", first, p.part_type(),
                            lane_mask(have, 0, p.part.lanes));
        text += fmt::format("  %j{0} = shufflevector {1} {2}, {1} %w{0}, {3}\n", first, type, name,
                            lane_mask(have + p.part.lanes, 0, have + p.part.lanes));
        name = fmt::format("%j{}", first);
        have += p.part.lanes;
    }
    if (have > p.whole.lanes) {
        text += fmt::format("  %n = shufflevector {0} {1}, {0} poison, {2}\n", p.part_type(), name,
                            lane_mask(p.whole.lanes, 0, p.whole.lanes));
        name = "%n";
    }
    return text;
}

}  // namespace

std::string sleef_definition(const PreludeInstance& x, const Target& target) {
    PreludeInstance part = x;
    part.lanes = native_lanes(x, target);
    if (part.lanes == x.lanes) return direct_definition(x, target);
    const Parts p{x, part};
    std::string body;
    for (int first = 0; first < x.lanes; first += part.lanes) body += part_call(p, first);
    std::string name;
    body += joined(p, name);
    return fmt::format("define internal {0} @{1}({2}) alwaysinline {{\n{3}  ret {0} {4}\n}}\n",
                       p.whole_type(), llvm_prelude_name(x), arguments(p.whole_type(), arity(x), "%x"), body,
                       name);
}

void add_with_sleef_parts(const PreludeInstance& x, const Target& target, std::set<PreludeInstance>& wanted) {
    wanted.insert(x);
    if (!is_sleef(x)) return;
    PreludeInstance part = x;
    part.lanes = native_lanes(x, target);
    wanted.insert(part);
}

}  // namespace fuseline
