// The rewrites of the simplifier: patterns before and after, the types on which they hold, and whether they
// are exact.
#pragma once

#include <cstdint>
#include <string_view>

namespace fuseline {

inline constexpr uint32_t kOnInteger = 1, kOnFloat = 2, kOnBool = 4, kOnAny = 7;

/// Patterns are written in the names of operators. One letter is any value (the same letter, the same value);
/// a number, `true` or `false` is a constant of the type of the operation. `on` is the type in which the
/// outermost operator computes. An exact row changes no bit (NaNs count as equal); another is used only under
/// option fast. What follows from the operator table (neutral operands, idempotence, involution) needs no
/// row.
struct RewriteRow {
    std::string_view before, after;
    uint32_t on;
    bool exact;
};

inline constexpr RewriteRow kRewriteTable[] = {
    {"sub(x, x)", "0", kOnInteger, true},
    {"mul(x, 0)", "0", kOnInteger, true},
    {"bitand(x, 0)", "0", kOnInteger, true},
    {"bitxor(x, x)", "0", kOnInteger, true},
    {"and(x, false)", "false", kOnBool, true},
    {"or(x, true)", "true", kOnBool, true},
    {"pos(x)", "x", kOnAny, true},
    {"add(x, -0.0)", "x", kOnFloat, true},
    {"mul(x, -1)", "neg(x)", kOnFloat | kOnInteger, true},
    {"div(x, -1)", "neg(x)", kOnFloat, true},
    {"mul(neg(x), neg(y))", "mul(x, y)", kOnFloat | kOnInteger, true},
    {"mul(neg(x), y)", "neg(mul(x, y))", kOnFloat | kOnInteger, true},
    {"div(neg(x), neg(y))", "div(x, y)", kOnFloat, true},
    {"div(neg(x), y)", "neg(div(x, y))", kOnFloat, true},
    {"div(x, neg(y))", "neg(div(x, y))", kOnFloat, true},
    {"add(x, neg(y))", "sub(x, y)", kOnFloat | kOnInteger, true},
    {"sub(x, neg(y))", "add(x, y)", kOnFloat | kOnInteger, true},
    {"abs(neg(x))", "abs(x)", kOnFloat | kOnInteger, true},
    {"neg(sub(x, y))", "sub(y, x)", kOnInteger, true},
    {"where(c, x, x)", "x", kOnAny, true},
    {"where(not(c), x, y)", "where(c, y, x)", kOnAny, true},
    {"where(c, true, false)", "c", kOnBool, true},
    {"where(c, false, true)", "not(c)", kOnBool, true},
    {"not(eq(x, y))", "ne(x, y)", kOnBool, true},
    {"not(ne(x, y))", "eq(x, y)", kOnBool, true},
    {"add(x, 0)", "x", kOnFloat, false},
    {"sub(x, x)", "0", kOnFloat, false},
    {"mul(x, 0)", "0", kOnFloat, false},
    {"div(x, x)", "1", kOnFloat, false},
    {"neg(sub(x, y))", "sub(y, x)", kOnFloat, false},
    {"mul(sqrt(x), sqrt(x))", "x", kOnFloat, false},
    {"mul(exp(x), exp(y))", "exp(add(x, y))", kOnFloat, false},
    {"div(x, sqrt(y))", "mul(x, rsqrt(y))", kOnFloat, false},
};

}  // namespace fuseline
