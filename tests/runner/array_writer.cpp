// Random code over whole arrays.
#include "tests/runner/array_writer.h"

#include <fmt/format.h>

#include "dsl/reductions.h"

namespace fuseline::testing {
namespace {

/// A text with $T, the array; $W, another of its shape and type; $L, a literal of its type; $S, its size.
struct Form {
    Shape from, to;
    const char* text;
    bool filled = false;  ///< needs at least one element
    bool number = false;  ///< needs + and *
};

/// Forms for [n] stand for [m] too.
constexpr Form kViews[] = {
    {kN, kN, "$T[::-1]"},
    {kN, kN, "flip($T)"},
    {kN, kN, "roll($T, 3)"},
    {kN, kN, "roll($T, -1)"},
    {kN, kN, "shift($T, 1)"},
    {kN, kN, "shift($T, -2, fill=$L)"},
    {kN, kN, "pad($T, 1)[:-2]"},
    {kN, kN, "pad($T, (0, 2))[2:]"},
    {kN, kN, "pad($T, 1, constant_values=$L)[1:-1]"},
    {kN, kN, "pad($T, 1, \"edge\")[2:]", true},
    {kN, kN, "pad($T, (2, 1), \"wrap\")[:-3]", true},
    {kN, kN, "concat([$T, $W])[$S:]"},
    {kN, kN, "concat([$W, $T])[:$S]"},
    {kN, kN, "stack([$T, $W])[1]"},
    {kN, kN, "stack([$T, $W], axis=1)[:, 0]"},
    {kN, kN, "repeat($T, 2)[:$S]"},
    {kN, kN, "tile($T, 3)[$S:2*$S]"},
    {kN, kN, "where($T == $W, $T, $W)"},
    {kMatrix, kMatrix, "$T[::-1]"},
    {kMatrix, kMatrix, "$T[:, ::-1]"},
    {kMatrix, kMatrix, "roll($T, 1, axis=0)"},
    {kMatrix, kMatrix, "roll($T, -2, axis=1)"},
    {kMatrix, kMatrix, "shift($T, 1, axis=1, fill=$L)"},
    {kMatrix, kMatrix, "pad($T, 1)[2:, 1:-1]"},
    {kMatrix, kMatrix, "pad($T, ((0, 0), (2, 0)))[:, :-2]"},
    {kMatrix, kMatrix, "concat([$T, $W])[n:]"},
    {kMatrix, kMatrix, "concat([$T, $W], axis=1)[:, :m]"},
    {kMatrix, kMatrix, "stack([$T, $W])[0]"},
    {kMatrix, kMatrix, "reshape($T, (m, n)).T"},
    {kMatrix, kMatrix, "reshape($T.T, (n, m))"},
    {kMatrix, kMatrix, "triu($T)"},
    {kMatrix, kMatrix, "tril($T, 1)"},
    {kMatrix, kMatrix, "where($T == $W, $T, $W)"},
    {kColumn, kColumn, "$T[::-1]"},
    {kColumn, kN, "squeeze($T, axis=1)"},
    {kColumn, kMatrix, "broadcast_to($T, (n, m))"},
    {kM, kMatrix, "broadcast_to($T, (n, m))"},
    {kMatrix, kN, "$T[:, 0]", true},
    {kMatrix, kM, "$T[-1, ::-1]", true},
    {kN, kScalar, "$T[-1]", true},
};

constexpr Form kUpdates[] = {
    {kN, kN, "$T[1:] = $W[1:]"},
    {kN, kN, "$T[1:] = $T[:-1]"},
    {kN, kN, "$T[:-1] += $W[1:]", false, true},
    {kN, kN, "$T[::-1] = $W"},
    {kN, kN, "$T[::2] = $L"},
    {kN, kN, "$T[1:-1] *= $L", false, true},
    {kN, kN, "$T[::-3] = $L"},
    {kN, kN, "$T[$S // 2:] = $W[$S // 2:]"},
    {kN, kN, "$T[0] = $L", true},
    {kN, kN, "$T[-1] = $W[0]", true},
    {kN, kN, "$T[$T == $W] = $L"},
    {kMatrix, kMatrix, "$T[1:] = $W[:-1]"},
    {kMatrix, kMatrix, "$T[:, ::2] = $L"},
    {kMatrix, kMatrix, "$T[:, 1:] += $W[:, :-1]", false, true},
    {kMatrix, kMatrix, "$T[::-1, ::-1] = $W"},
    {kMatrix, kMatrix, "$T[1:-1, 1:-1] = $L"},
    {kMatrix, kMatrix, "$T[0] = $W[-1]", true},
    {kMatrix, kMatrix, "$T[:, -1] = $L", true},
};

/// Bodies of loops; $E is an expression over $T and $W of the array's type.
constexpr Form kLoops[] = {
    {kN, kN, "for i in 1..$S {\n        $T[i] = $T[i - 1]\n    }"},
    {kN, kN, "for i in 0..$S {\n        $T[i] = $W[$S - 1 - i]\n    }"},
    {kN, kN, "for i in reversed(0..$S) {\n        $T[i:] = $L\n        $T = $E\n    }"},
    {kN, kN, "for i in 0..$S by 3 {\n        $T[:i] += $W[:i]\n    }", false, true},
    {kN, kN, "for i in 0..4 {\n        if i == 2 {\n            continue\n        }\n        $T = $E\n    }"},
    {kScalar, kScalar, "for i in 0..3 {\n        $T = $E\n    }"},
    {kColumn, kColumn, "for i in 0..3 {\n        $T = $E\n    }"},
    {kMatrix, kMatrix, "for i in 0..3 {\n        $T = $E\n    }"},
    {kMatrix, kMatrix, "for i in 0..n {\n        $T[i] = $W[n - 1 - i]\n    }"},
    {kMatrix, kMatrix, "for i in 1..m {\n        $T[:, i] = $T[:, i - 1]\n    }"},
    {kMatrix, kMatrix, "for i in 1..n {\n        $T[i] += $T[i - 1] + $W[i]\n    }", false, true},
};

bool fits(const Form& f, const Value& v) {
    return (f.from == v.shape || (f.from == kN && v.shape == kM)) && !(f.number && is_bool(v.text.dtype));
}

Shape result_shape(const Form& f, const Value& v) { return f.to == kN && v.shape == kM ? kM : f.to; }

DType result_type(dsl::ReductionTypes types, DType own) {
    switch (types) {
        case dsl::ReductionTypes::widened:
            return is_float(own)                                        ? own
                   : row(own).type_class == TypeClass::unsigned_integer ? DType::u64_
                                                                        : DType::i64_;
        case dsl::ReductionTypes::floating: return is_float(own) ? own : DType::f64_;
        case dsl::ReductionTypes::same: return own;
        case dsl::ReductionTypes::boolean: return DType::bool_;
        default: return DType::i64_;
    }
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

}  // namespace

const Value* ArrayWriter::like(Shape shape, DType dtype) {
    std::vector<const Value*> all;
    for (const Value& v : values_) {
        if (v.shape == shape && v.text.dtype == dtype) all.push_back(&v);
    }
    return all.empty() ? nullptr : all[pick(random_, all.size())];
}

bool ArrayWriter::holds_elements(Shape shape) const {
    const bool n = shape == kN || shape == kMatrix || shape == kColumn, m = shape == kM || shape == kMatrix;
    return (!n || sizes_[0] != 0) && (!m || sizes_[1] != 0);
}

/// An expression of the type of `of` over it and others.
std::string ArrayWriter::joined(const std::string& name, const Value& of) {
    const auto& rows = usable_operators(exact_);
    for (int attempt = 0; attempt < 20; ++attempt) {
        const OpRow& op = *rows[pick(random_, rows.size())];
        std::vector<TypedText> operands = {{name, of.text.dtype}};
        while (operands.size() < static_cast<size_t>(op.arity)) {
            const Value& v = values_[pick(random_, values_.size())];
            if (v.shape == of.shape || v.shape == kScalar) operands.push_back(v.text);
        }
        if (const auto made = applied(op, operands)) return cast_to(of.text.dtype, *made);
    }
    return name;
}

std::string ArrayWriter::filled(std::string text, const std::string& name, const Value& of) {
    const Value* other = like(of.shape, of.text.dtype);
    replace_all(text, "$W", other == nullptr ? name : other->text.text);
    replace_all(text, "$L", literal(of.text.dtype, random_));
    replace_all(text, "$S", of.shape == kM ? "m" : "n");
    if (text.find("$E") != std::string::npos) replace_all(text, "$E", joined(name, of));
    replace_all(text, "$T", name);
    return text;
}

std::optional<Value> ArrayWriter::view(const Value& of) {
    const Form& f = kViews[pick(random_, std::size(kViews))];
    if (!fits(f, of) || (f.filled && !holds_elements(of.shape))) return std::nullopt;
    return Value{{filled(f.text, of.text.text, of), of.text.dtype}, result_shape(f, of)};
}

std::optional<Value> ArrayWriter::reduction(const Value& of) {
    const auto table = dsl::reduction_table();
    const dsl::Reduction& r = table[pick(random_, table.size())];
    const bool inexact = r.empty == dsl::ReductionEmpty::minus_infinity;
    if (of.shape == kScalar || (exact_ && inexact)) return std::nullopt;
    if (r.types == dsl::ReductionTypes::index && !holds_elements(of.shape)) return std::nullopt;
    const DType dtype = result_type(r.types, of.text.dtype);
    Shape shape = kScalar;
    std::string options;
    const size_t axis = pick(random_, 4);
    if (of.shape == kMatrix && axis < 3) {
        shape = axis == 0 ? kM : axis == 1 ? kN : kColumn;
        options = axis == 0 ? ", axis=0" : axis == 1 ? ", axis=1" : ", axis=1, keepdims=true";
    }
    const bool index = r.types == dsl::ReductionTypes::index;
    if (!index && chance(random_, 3)) options += fmt::format(", where={0} == {0}", of.text.text);
    const bool needs_initial = r.empty == dsl::ReductionEmpty::error && !index;
    const bool has_initial = r.keywords.find("initial") != std::string_view::npos;
    if (needs_initial || (has_initial && chance(random_, 4)))
        options += ", initial=" + literal(dtype, random_);
    return Value{{fmt::format("{}({}{})", r.builtin.name, of.text.text, options), dtype}, shape};
}

std::optional<std::string> ArrayWriter::update(const std::string& name, const Value& of) {
    const Form& f = kUpdates[pick(random_, std::size(kUpdates))];
    if (!fits(f, of) || (f.filled && !holds_elements(of.shape))) return std::nullopt;
    return filled(f.text, name, of);
}

std::optional<std::string> ArrayWriter::loop(const std::string& name, const Value& of) {
    const Form& f = kLoops[pick(random_, std::size(kLoops))];
    return fits(f, of) ? std::optional(filled(f.text, name, of)) : std::nullopt;
}

std::optional<std::string> ArrayWriter::branch(const std::string& name, const Value& of) {
    const Value& c = values_[pick(random_, values_.size())];
    if (c.shape != kScalar) return std::nullopt;
    std::string text = fmt::format("if {} {{\n        {} = {}\n    }}", cast_to(DType::bool_, c.text), name,
                                   joined(name, of));
    if (const auto change = update(name, of)) text += fmt::format(" else {{\n        {}\n    }}", *change);
    return text;
}

std::optional<std::string> ArrayWriter::changed(const std::string& name, const Value& from) {
    const size_t kind = pick(random_, 4);
    const auto change = kind < 2 ? update(name, from) : kind == 2 ? loop(name, from) : branch(name, from);
    if (!change) return std::nullopt;
    return fmt::format("    {} = {}\n    {}\n", name, from.text.text, *change);
}

}  // namespace fuseline::testing
