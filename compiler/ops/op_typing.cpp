// What a row makes of operand types, and what to say where it makes nothing.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/op_table.h"

namespace fuseline {
namespace {

/// The operands of one operation with the means to refuse them.
struct Operands {
    const OpRow& op;
    std::span<const DType> types;
    std::string* why;
    std::string* help;

    std::string title() const { return fmt::format("`{}`", op.spelling.empty() ? op.name : op.spelling); }

    /// "bool", "bool and i64", "f32, bool and bool".
    std::string found() const {
        std::string text;
        for (size_t i = 0; i < types.size(); ++i) {
            if (i != 0) text += i + 1 == types.size() ? " and " : ", ";
            text += name(types[i]);
        }
        return text;
    }

    std::nullopt_t refuse(std::string reason, std::string fix = {}) const {
        if (why != nullptr) *why = std::move(reason);
        if (help != nullptr) *help = std::move(fix);
        return std::nullopt;
    }

    std::nullopt_t needs(std::string_view what, std::string fix = {}) const {
        return refuse(fmt::format("{} needs {}: found {}", title(), what, found()), std::move(fix));
    }

    bool all(bool (*test)(DType)) const { return std::all_of(types.begin(), types.end(), test); }
    bool any(bool (*test)(DType)) const { return std::any_of(types.begin(), types.end(), test); }
};

/// The promoted type of operands from `first` on, or nullopt with the reason.
std::optional<DType> promoted(const Operands& x, size_t first = 0) {
    DType type = x.types[first];
    for (DType t : x.types.subspan(first + 1)) {
        const auto both = promote(type, t);
        if (!both) {
            return x.refuse(
                fmt::format("{}: no integer type holds both {} and {}", x.title(), name(type), name(t)),
                "cast one side: `i64(x)` or `u64(x)`");
        }
        type = *both;
    }
    return type;
}

std::string function_help(const Operands& x) {
    if (!x.op.bool_help.empty()) return std::string(x.op.bool_help);
    return "cast to a number first: `i64(x)`";
}

std::optional<OpTyping> arithmetic(const Operands& x) {
    if (x.all(is_bool)) return x.needs(x.types.size() == 1 ? "a number" : "numbers", function_help(x));
    const auto type = promoted(x);
    if (!type) return std::nullopt;
    return OpTyping{*type, *type};
}

std::optional<OpTyping> true_divide(const Operands& x) {
    auto typing = arithmetic(x);
    if (typing && is_integer(typing->operation)) return OpTyping{DType::f64_, DType::f64_};
    return typing;
}

std::optional<OpTyping> number(const Operands& x) {
    const auto type = promoted(x);
    if (!type) return std::nullopt;
    if (!is_complex(*type) && x.op.cuda.of(row(*type).type_class).empty()) {
        return x.needs(x.types.size() == 1 ? "a number" : "numbers", function_help(x));
    }
    return OpTyping{*type, *type};
}

std::optional<OpTyping> float_function(const Operands& x) {
    const auto type = promoted(x);
    if (!type) return std::nullopt;
    const DType computed = is_float(*type) || is_complex(*type) ? *type : DType::f64_;
    return OpTyping{computed, x.op.rule == TypeRule::predicate ? DType::bool_ : computed};
}

bool is_bool_or_integer(DType t) { return is_bool(t) || is_integer(t); }

std::optional<OpTyping> bitwise(const Operands& x) {
    const bool bools_too = !x.op.cuda.boolean.empty();
    if (!x.all(bools_too ? is_bool_or_integer : is_integer)) {
        return x.needs(bools_too ? "integers or bools" : "an integer",
                       x.any(is_float) ? "cast to an integer first: `i64(x)`" : "");
    }
    const auto type = promoted(x);
    if (!type) return std::nullopt;
    return OpTyping{*type, *type};
}

std::optional<OpTyping> shift(const Operands& x) {
    if (!x.all(is_integer)) return x.needs("integers", "cast to an integer first: `i64(x)`");
    return OpTyping{x.types[0], x.types[0]};
}

std::optional<OpTyping> comparison(const Operands& x) {
    if (x.op.rule == TypeRule::comparison && x.any(is_complex)) {
        return x.refuse(fmt::format("{}: complex numbers have no order: found {}", x.title(), x.found()),
                        "compare `abs(x)` or `real(x)`");
    }
    const auto type = promoted(x);
    if (!type) return std::nullopt;
    return OpTyping{*type, DType::bool_};
}

std::optional<OpTyping> logical(const Operands& x) {
    if (!x.all(is_bool)) {
        const bool floats = x.any(is_float) || x.any(is_complex);
        return x.needs(x.types.size() == 1 ? "a bool" : "bools",
                       floats ? "compare first: `x != 0`"
                              : fmt::format("compare first: `x != 0`{}",
                                            x.types.size() == 2 ? "; for bits use `&` and `|`" : ""));
    }
    return OpTyping{DType::bool_, DType::bool_};
}

std::optional<OpTyping> select(const Operands& x) {
    if (!is_bool(x.types[0])) {
        return x.refuse(fmt::format("{} needs a bool condition: found {}", x.title(), name(x.types[0])),
                        "compare first: `x != 0`");
    }
    const auto type = promoted(x, 1);
    if (!type) return std::nullopt;
    return OpTyping{*type, *type};
}

}  // namespace

std::optional<OpTyping> op_typing(OpId op, const DType* operands, size_t count, std::string* why,
                                  std::string* help) {
    const Operands x{row(op), {operands, count}, why, help};
    if (count != static_cast<size_t>(x.op.arity)) {
        return x.refuse(fmt::format("{} takes {} argument{}: found {}", x.title(), x.op.arity,
                                    x.op.arity == 1 ? "" : "s", count));
    }
    switch (x.op.rule) {
        case TypeRule::arithmetic:
        case TypeRule::power: return arithmetic(x);
        case TypeRule::true_divide: return true_divide(x);
        case TypeRule::bitwise: return bitwise(x);
        case TypeRule::shift: return shift(x);
        case TypeRule::comparison:
        case TypeRule::equality: return comparison(x);
        case TypeRule::logical: return logical(x);
        case TypeRule::float_function:
        case TypeRule::predicate: return float_function(x);
        case TypeRule::number: return number(x);
        case TypeRule::select: return select(x);
        case TypeRule::cast:
        case TypeRule::contraction: break;
    }
    return x.refuse(fmt::format("{} has no elementwise type rule", x.title()));
}

}  // namespace fuseline
