// The operator table: one row per elementwise operator, read by every part that needs a fact about one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ops/dtype.h"

namespace fuseline {

enum class OpId : uint8_t {
#define OP(name, ...) name##_,
#include "compiler/ops/op_table.def"
#undef OP
};

enum class Fixity : uint8_t { function, infix, prefix };

/// How operand types give the operation's type and the result's type.
enum class TypeRule : uint8_t {
    arithmetic,      ///< numbers promote, result the same; two bools are an error
    true_divide,     ///< as arithmetic, integers become f64
    power,           ///< as arithmetic
    bitwise,         ///< bools or integers promote, result the same
    shift,           ///< integers; type of the left operand
    comparison,      ///< promote, result bool
    equality,        ///< promote (complex and bool too), result bool
    logical,         ///< bool only
    float_function,  ///< floats keep their type, integers and bools become f64
    number,          ///< one or more numbers promote and keep their type (abs, sign, floor, min, ...)
    predicate,       ///< as float_function, result bool
    select,          ///< where(bool, T, T) -> T
    cast,            ///< result type stands in the node
    contraction,     ///< `@`: not elementwise
};

enum OpFlag : uint32_t {
    kCommutative = 1,
    kAssociative = 2,  ///< in exact arithmetic of integers and bools
    kIdempotent = 4,   ///< f(x, x) = x
    kExact = 8,        ///< the same bits on every back end
    kInvolution = 16,  ///< f(f(x)) = x
    kBuilt = 32,       ///< false: the checker answers "not yet"
    kNoRounding = 64,  ///< the result of 16-bit floats is a 16-bit float already: it is not rounded
};

/// How a back end spells a row: one cell per type class of the operation's type. An empty cell says that the
/// class never occurs; `op_typing` refuses it. Casts have their own square of cells: cast_cells.h.
///
/// f16 and bf16 take the cell for floats, in f32, and `op_rounds` says whether the result is rounded; a row
/// where that would be wrong has a cell for them.
///
/// CUDA: an expression over {0} {1} {2}, with {s} the "f" of f32 functions, {t} the CUDA type of the
/// operation's values and {r} of the result's, {T} and {R} those types in memory. Names that begin with fl_
/// are blocks of cuda_prelude.cuh; all others are in CUDA and in C's <math.h>. `cuda_expression` fills a
/// cell, brings integers back to their width and sets parentheses; paste none by hand.
///
/// LLVM: the first word tells the kind; operands stand in order, all of the operation's type. {T} is the
/// operation's type in the language, {R} the result's.
///
///     "fadd"           an instruction     %r = fadd <8 x float> %a, %b
///     "icmp slt"       a comparison       %r = icmp slt <8 x i64> %a, %b      (gives a mask)
///     "@llvm.sqrt"     an intrinsic       %r = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %a)
///     "sleef.exp_u10"  SLEEF's function   sleef_symbol() gives its name
///     "fl.floordiv"    a prelude block    %r = call <8 x i64> @fl.floordiv.v8i64(<8 x i64> %a, <8 x i64> %b)
///     "select"         select             %r = select <8 x i1> %c, <8 x float> %a, <8 x float> %b
///     "xor true"       with a constant    %r = xor <8 x i1> %a, splat (i1 true)
///     "copy"           the operand itself;  "wide fl.erfinv"  a block in f64, f32 between casts
struct Cells {
    std::string_view boolean, signed_integer, unsigned_integer, floating, half = {};
    constexpr std::string_view of(DType d) const {
        return is_half(d) && !half.empty() ? half : of(fuseline::row(d).type_class);
    }
    constexpr std::string_view of(TypeClass c) const {
        switch (c) {
            case TypeClass::boolean: return boolean;
            case TypeClass::signed_integer: return signed_integer;
            case TypeClass::unsigned_integer: return unsigned_integer;
            case TypeClass::floating: return floating;
            case TypeClass::complex: return {};
        }
        return {};
    }
};

/// Largest distance from the exact value in units in the last place. CPU: SLEEF, as measured. CUDA: NVIDIA's
/// table states the distance from the correctly rounded result; half an ulp is added. All 0 with kExact.
struct UlpBound {
    double cpu_f32 = 0, cpu_f64 = 0, cuda_f32 = 0, cuda_f64 = 0;
};

/// Where tests sample an operand.
struct Domain {
    double low = -100, high = 100;
};

/// Computes one element. `operation` is the operands' type (of the last operand for select), `result` the
/// result's.
using Reference = Scalar (*)(DType operation, DType result, const Scalar* operands);

/// A row's reference, or none. A flag says which: under UBSan the address of a function is no constant.
struct ReferenceCell {
    Reference function = nullptr;
    bool given = false;
    constexpr ReferenceCell() = default;
    constexpr ReferenceCell(Reference f) : function(f), given(true) {}
    constexpr operator Reference() const { return function; }
};

/// An integer without bounds: unbounded.h.
struct BigInteger;
/// Computes constants of a program, `operands` by position. False with the reason in `why` where there is no
/// result.
using Unbounded = bool (*)(const BigInteger* operands, BigInteger& result, const char*& why);
struct UnboundedCell {
    Unbounded function = nullptr;
    bool given = false;
    constexpr UnboundedCell() = default;
    constexpr UnboundedCell(Unbounded f) : function(f), given(true) {}
};

/// What an operator does to sizes of arrays, which stay symbolic.
enum class SizeRule : uint8_t { none, add, sub, mul, floordiv, mod, min, max, negate, same };

struct OpRow {
    OpId id{};
    std::string_view name{};      ///< IR and function name: "add", "exp"
    std::string_view spelling{};  ///< operator token of infix and prefix rows: "+", "and"
    Fixity fixity = Fixity::function;
    int precedence = 0;  ///< of the token; a higher one binds tighter
    bool right_associative = false;
    int arity = 0;
    TypeRule rule{};
    uint32_t flags = 0;
    std::string_view identity{};  ///< neutral right operand as a literal, "" when there is none; of `add` up
                                  ///< to the sign of a zero
    ReferenceCell reference{};
    UnboundedCell unbounded{};  ///< on constants; none: as the reference does in i64
    SizeRule size{};
    Cells cuda{};
    int cuda_precedence = 0;  ///< of the numeric CUDA cells, worked out from their text: `cell_precedence`
    Cells llvm{};
    std::string_view derivative{};  ///< partial derivatives by operand, ';' between, over the operands x, y,
                                    ///< z and the result r; "" none
    UlpBound ulp{};
    Domain domain[3]{};
    std::string_view parameters{};  ///< NumPy's parameter names of a function: "x1, x2"
    std::string_view doc{};         ///< one line
    std::string_view bool_help{};   ///< what to write in place of the operator between bools
    constexpr bool has(OpFlag flag) const { return (flags & flag) != 0; }
};

/// The row of an operator. The table itself is in op_table.cpp, complete by static_assert.
const OpRow& row(OpId op);
/// Number of rows; ids run from 0.
size_t op_count();
inline std::string_view name(OpId op) { return row(op).name; }

/// By IR or function name ("add", "exp").
std::optional<OpId> op_named(std::string_view name);
/// By token; prefix and infix minus differ.
std::optional<OpId> infix_op(std::string_view spelling);
std::optional<OpId> prefix_op(std::string_view spelling);

/// What a row makes of operand types: the type in which it computes, and the type that it gives.
struct OpTyping {
    DType operation;
    DType result;
};
/// Typing of `op` on typed operands (promoted already or not), or nullopt with `why` set to the reason and,
/// where known, `help` to the fix. Not for cast and contraction.
std::optional<OpTyping> op_typing(OpId op, const DType* operands, size_t count, std::string* why,
                                  std::string* help);

/// One element through the row's reference.
inline Scalar evaluate(OpId op, DType operation, DType result, const Scalar* operands) {
    return row(op).reference(operation, result, operands);
}

/// Whether the result, computed in f32, is rounded to the 16-bit float that it is.
bool op_rounds(OpId op, DType operation, DType result);

/// The CUDA cell of an operation; of cast and bitcast by the pair of types.
std::string_view cuda_cell(OpId op, DType operation, DType result);

/// One cell of an LLVM computation with its types.
struct LlvmStep {
    std::string cell;
    DType operation, result;
};
/// The cells that compute an operation, one after the other; only the first may take several operands.
std::vector<LlvmStep> llvm_steps(OpId op, DType operation, DType result);

/// How tightly a C++ expression binds; larger is tighter: 15 prefix, 13 * / %, 12 + -, 11 << >>, 9 < > <= >=,
/// 8 == !=, 7 &, 6 ^, 5 |, 4 &&, 3 ||, 2 ?:. 0 is a name, a literal that is not negative, or a call, and
/// needs no parentheses.
constexpr int cell_precedence(std::string_view cell);

/// A CUDA expression and its precedence on the scale of `cell_precedence`.
struct CudaText {
    std::string text;
    int precedence = 0;
};
/// The row's CUDA cell with its operands in place, parenthesised where C++ needs it.
CudaText cuda_expression(OpId op, DType operation, DType result, std::span<const CudaText> operands);

/// The whole of docs/operators.md, generated.
std::string operators_markdown();

constexpr int cell_precedence(std::string_view cell) {
    struct Token {
        std::string_view text;
        int precedence;
    };
    constexpr Token kTokens[] = {{" ? ", 2},  {" || ", 3}, {" && ", 4},  {" | ", 5},   {" ^ ", 6},
                                 {" & ", 7},  {" == ", 8}, {" != ", 8},  {" <= ", 9},  {" >= ", 9},
                                 {" < ", 9},  {" > ", 9},  {" << ", 11}, {" >> ", 11}, {" + ", 12},
                                 {" - ", 12}, {" * ", 13}, {" / ", 13},  {" % ", 13}};
    int depth = 0;
    int loosest = 0;
    for (size_t i = 0; i < cell.size(); ++i) {
        if (cell[i] == '(') ++depth;
        if (cell[i] == ')') --depth;
        if (depth != 0 || cell[i] != ' ') continue;
        for (const Token& t : kTokens) {
            if (cell.substr(i).starts_with(t.text) && (loosest == 0 || t.precedence < loosest))
                loosest = t.precedence;
        }
    }
    if (loosest != 0) return loosest;
    return cell.starts_with('-') || cell.starts_with('!') || cell.starts_with("({r})") ? 15 : 0;
}

}  // namespace fuseline
