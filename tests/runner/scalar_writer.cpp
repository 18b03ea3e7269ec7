// Random scalar code.
#include "tests/runner/scalar_writer.h"

#include <algorithm>

#include <fmt/format.h>

namespace fuseline::testing {
namespace {

/// Operators whose results depend on the sign of a NaN, which the language leaves open.
constexpr std::string_view kSignOfNan[] = {"copysign"};

bool usable(const OpRow& op, bool exact) {
    if (!op.has(kBuilt) || op.rule == TypeRule::cast || op.rule == TypeRule::contraction || op.arity == 0)
        return false;
    if (std::find(std::begin(kSignOfNan), std::end(kSignOfNan), op.name) != std::end(kSignOfNan))
        return false;
    return !exact || op.has(kExact);
}

std::vector<const OpRow*> collect(bool exact) {
    std::vector<const OpRow*> rows;
    for (size_t k = 0; k < op_count(); ++k) {
        const OpRow& op = row(static_cast<OpId>(k));
        if (usable(op, exact)) rows.push_back(&op);
    }
    return rows;
}

/// Writes the statements of one elemental function.
class BodyWriter {
public:
    BodyWriter(const BodySettings& settings, Random& random) : settings_(settings), random_(random) {}

    ElementalFunction write(const std::string& name) {
        ElementalFunction f{name, {}, {}, {}};
        std::vector<std::string> parameters;
        for (size_t k = 0; k < 1 + pick(random_, 3); ++k) {
            const DType dtype = type();
            names_.push_back({fmt::format("a{}", k), dtype});
            parameters.push_back(fmt::format("a{}: {}", k, fuseline::name(dtype)));
            f.parameters.push_back(dtype);
        }
        f.result = type();
        result_ = f.result;
        // The values that change are declared first, so that every branch and loop may assign them.
        for (size_t k = 0; k < 2; ++k) declare(fmt::format("v{}", k), type());
        declare("r", f.result);
        block(std::min(settings_.statements, 2 + pick(random_, 4)), 0);
        line(0, "return r");
        f.text = fmt::format("elemental fn {}({}) -> {} {{\n{}}}\n", name, fmt::join(parameters, ", "),
                             fuseline::name(f.result), text_);
        return f;
    }

private:
    DType type() { return built_types()[pick(random_, built_types().size())]; }

    void line(int depth, const std::string& text) {
        text_ += std::string(static_cast<size_t>(4 * (depth + 1)), ' ') + text + "\n";
    }

    TypedText expression() { return scalar_expression(names_, 2, settings_.exact, random_); }

    std::string condition() { return cast_to(DType::bool_, expression()); }

    void declare(const std::string& name, DType dtype) {
        line(0, fmt::format("{} = {}", name, cast_to(dtype, expression())));
        names_.push_back({name, dtype});
        variables_.push_back({name, dtype});
    }

    void assign(int depth) {
        const TypedText& v = variables_[pick(random_, variables_.size())];
        line(depth, fmt::format("{} = {}", v.text, cast_to(v.dtype, expression())));
    }

    void block(size_t statements, int depth) {
        for (size_t k = 0; k < statements; ++k) statement(depth);
    }

    void statement(int depth) {
        if (depth >= 3 || pick(random_, 5) < 2) return assign(depth);
        switch (pick(random_, 5)) {
            case 0: return branch(depth);
            case 1: return counted(depth);
            case 2: return conditional_loop(depth);
            case 3: return early_end(depth);
            default: return assign(depth);
        }
    }

    void branch(int depth) {
        line(depth, fmt::format("if {} {{", condition()));
        block(1 + pick(random_, 2), depth + 1);
        if (chance(random_, 2)) {
            line(depth, "} else {");
            block(1 + pick(random_, 2), depth + 1);
        }
        line(depth, "}");
    }

    void loop_body(int depth) {
        ++loops_;
        block(1 + pick(random_, 2), depth + 1);
        --loops_;
        line(depth, "}");
    }

    void counted(int depth) {
        const std::string i = fmt::format("i{}", depth);
        constexpr const char* kRanges[] = {"0..4", "1..8 by 3", "reversed(0..5)", "5..-1 by -2", "3..3"};
        line(depth, fmt::format("for {} in {} {{", i, kRanges[pick(random_, std::size(kRanges))]));
        names_.push_back({i, DType::i64_});
        loop_body(depth);
        names_.pop_back();
    }

    /// A counter of its own ends the loop.
    void conditional_loop(int depth) {
        const std::string k = fmt::format("k{}", counters_++);
        line(depth, fmt::format("{} = i64(0)", k));
        line(depth, fmt::format("while {} < {} and {} {{", k, 1 + pick(random_, 6), condition()));
        line(depth + 1, fmt::format("{} += 1", k));
        names_.push_back({k, DType::i64_});
        loop_body(depth);
        names_.pop_back();
    }

    void early_end(int depth) {
        line(depth, fmt::format("if {} {{", condition()));
        const size_t kind = pick(random_, 3);
        if (loops_ != 0 && kind == 0)
            line(depth + 1, "break");
        else if (loops_ != 0 && kind == 1)
            line(depth + 1, "continue");
        else
            line(depth + 1, "return " + cast_to(result_, expression()));
        line(depth, "}");
    }

    BodySettings settings_;
    Random& random_;
    DType result_ = DType::f32_;
    std::vector<TypedText> names_, variables_;
    std::string text_;
    int loops_ = 0, counters_ = 0;
};

}  // namespace

const std::vector<DType>& built_types() {
    static const std::vector<DType> types = [] {
        std::vector<DType> all;
        for (const DTypeRow& r : kDTypeTable) {
            if (r.built) all.push_back(r.dtype);
        }
        return all;
    }();
    return types;
}

const std::vector<const OpRow*>& usable_operators(bool exact) {
    static const std::vector<const OpRow*> all = collect(false), only_exact = collect(true);
    return exact ? only_exact : all;
}

std::string literal(DType dtype, Random& random) {
    if (is_bool(dtype)) return chance(random, 2) ? "true" : "false";
    // The last ones fit only some types.
    constexpr const char* kFloats[] = {"0.0", "-0.0", "1.0", "0.5", "-2.5", "3.0", "1e-3", "0.1", "1e10"};
    constexpr const char* kSigned[] = {"0", "1", "2", "3", "7", "63", "-1", "-5", "1000"};
    constexpr const char* kUnsigned[] = {"0", "1", "2", "3", "7", "63", "100", "255", "1000"};
    const TypeClass type = row(dtype).type_class;
    const auto* list = type == TypeClass::floating           ? &kFloats
                       : type == TypeClass::unsigned_integer ? &kUnsigned
                                                             : &kSigned;
    const bool narrow = dtype == DType::f16_ || row(dtype).bits == 8;
    return (*list)[pick(random, std::size(*list) - (narrow ? 1 : 0))];
}

std::optional<TypedText> applied(const OpRow& op, const std::vector<TypedText>& operands) {
    std::vector<DType> types;
    std::vector<std::string> texts;
    for (const TypedText& t : operands) {
        types.push_back(t.dtype);
        texts.push_back(t.text);
    }
    const auto typing = op_typing(op.id, types.data(), types.size(), nullptr, nullptr);
    if (!typing) return std::nullopt;
    if (op.fixity == Fixity::infix)
        return TypedText{fmt::format("({} {} {})", texts[0], op.spelling, texts[1]), typing->result};
    if (op.fixity == Fixity::prefix)
        return TypedText{fmt::format("({} {})", op.spelling, texts[0]), typing->result};
    return TypedText{fmt::format("{}({})", op.name, fmt::join(texts, ", ")), typing->result};
}

std::string cast_to(DType dtype, const TypedText& value) {
    return value.dtype == dtype ? value.text : fmt::format("{}({})", name(dtype), value.text);
}

TypedText scalar_expression(const std::vector<TypedText>& names, int depth, bool exact, Random& random) {
    const std::vector<const OpRow*>& rows = usable_operators(exact);
    for (int attempt = 0; depth > 0 && attempt < 20; ++attempt) {
        const OpRow& op = *rows[pick(random, rows.size())];
        std::vector<TypedText> operands;
        for (int k = 0; k < op.arity; ++k)
            operands.push_back(scalar_expression(names, depth - 1, exact, random));
        // A literal may stand beside an operand that has a type; a negative one may not be an integer's
        // power.
        if (op.arity == 2 && op.rule != TypeRule::power && chance(random, 4)) {
            operands[1] = {literal(operands[0].dtype, random), operands[0].dtype};
        }
        if (auto made = applied(op, operands)) return *made;
    }
    return names[pick(random, names.size())];
}

ElementalFunction random_elemental(const std::string& name, const BodySettings& settings, Random& random) {
    return BodyWriter(settings, random).write(name);
}

}  // namespace fuseline::testing
