// The rows of op_table.def, proven complete at compile time, and the look-ups by name and token.
#include "compiler/ops/op_table.h"

#include <array>
#include <utility>

#include "compiler/ops/reference.h"
#include "compiler/ops/unbounded.h"

namespace fuseline {
namespace {

constexpr OpRow kRows[] = {
#define OP(op, ...) OpRow{.id = OpId::op##_, .name = #op, __VA_ARGS__},
#include "compiler/ops/op_table.def"
#undef OP
};
constexpr size_t kRowCount = std::size(kRows);

/// Rows as given out, with the columns that follow from others filled in.
constexpr auto kOpTable = [] {
    std::array<OpRow, kRowCount> table{};
    for (size_t i = 0; i < kRowCount; ++i) {
        table[i] = kRows[i];
        const Cells& cuda = kRows[i].cuda;
        for (std::string_view cell : {cuda.signed_integer, cuda.floating, cuda.boolean}) {
            if (const int precedence = cell_precedence(cell)) table[i].cuda_precedence = precedence;
        }
    }
    return table;
}();

/// Whether a rule lets an operation of this class happen in every row that has the rule.
constexpr bool rule_needs(TypeRule rule, TypeClass c) {
    const bool integer = c == TypeClass::signed_integer || c == TypeClass::unsigned_integer;
    const bool real = integer || c == TypeClass::floating;
    switch (rule) {
        case TypeRule::arithmetic:
        case TypeRule::power:
        case TypeRule::number: return real;
        case TypeRule::true_divide:
        case TypeRule::float_function:
        case TypeRule::predicate: return c == TypeClass::floating;
        case TypeRule::bitwise:
        case TypeRule::shift: return integer;
        case TypeRule::comparison:
        case TypeRule::equality:
        case TypeRule::select: return real || c == TypeClass::boolean;
        case TypeRule::logical: return c == TypeClass::boolean;
        case TypeRule::cast:
        case TypeRule::contraction: return false;
    }
    return false;
}

/// Bounds are stated where the bits may differ from the exact result's, and only there.
constexpr bool ulp_fits(const OpRow& r) {
    const UlpBound& u = r.ulp;
    const bool all = u.cpu_f32 > 0 && u.cpu_f64 > 0 && u.cuda_f32 > 0 && u.cuda_f64 > 0;
    const bool none = u.cpu_f32 == 0 && u.cpu_f64 == 0 && u.cuda_f32 == 0 && u.cuda_f64 == 0;
    return r.has(kExact) ? none : all;
}

constexpr TypeClass kRealClasses[] = {TypeClass::boolean, TypeClass::signed_integer,
                                      TypeClass::unsigned_integer, TypeClass::floating};

/// A missing column stops the compiler at the line that names it; the instantiation names the row.
template <OpId Op>
consteval bool complete() {
    const OpRow& r = kRows[static_cast<size_t>(Op)];
    if (r.arity < 1 || r.arity > 3) throw "the row has no arity";
    if (r.doc.empty()) throw "the row has no doc";
    if (r.fixity == Fixity::function && r.parameters.empty()) throw "the function has no parameter names";
    if (r.fixity != Fixity::function && r.spelling.empty()) throw "the operator has no spelling";
    if (r.fixity != Fixity::function && r.precedence == 0) throw "the operator has no precedence";
    if (!r.has(kBuilt)) return true;
    if (!r.reference.given) throw "the row has no reference";
    if (!ulp_fits(r)) throw "ulp bounds are needed for each back end exactly where the row is not kExact";
    if (r.cuda.half.empty() != r.llvm.half.empty()) throw "16-bit floats have a cell on one back end only";
    const bool wraps = r.rule == TypeRule::arithmetic || r.rule == TypeRule::shift;
    if (wraps && !r.unbounded.given) throw "an operator that wraps needs its meaning on unbounded integers";
    for (TypeClass c : kRealClasses) {
        const bool cell = !r.cuda.of(c).empty();
        if (cell != !r.llvm.of(c).empty()) throw "a type class has a cell on one back end only";
        if (rule_needs(r.rule, c) && !cell) throw "a type class that the rule allows has no cells";
    }
    return true;
}

template <size_t... I>
consteval bool all_complete(std::index_sequence<I...>) {
    return (complete<static_cast<OpId>(I)>() && ...);
}
static_assert(all_complete(std::make_index_sequence<kRowCount>{}));

std::optional<OpId> with_token(std::string_view spelling, Fixity fixity) {
    for (const OpRow& r : kOpTable) {
        if (r.fixity == fixity && r.spelling == spelling) return r.id;
    }
    return std::nullopt;
}

}  // namespace

const OpRow& row(OpId op) { return kOpTable[static_cast<size_t>(op)]; }

size_t op_count() { return kRowCount; }

std::optional<OpId> op_named(std::string_view name) {
    for (const OpRow& r : kOpTable) {
        if (r.name == name) return r.id;
    }
    return std::nullopt;
}

std::optional<OpId> infix_op(std::string_view spelling) { return with_token(spelling, Fixity::infix); }

std::optional<OpId> prefix_op(std::string_view spelling) { return with_token(spelling, Fixity::prefix); }

}  // namespace fuseline
