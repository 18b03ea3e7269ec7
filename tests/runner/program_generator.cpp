// Random programs.
#include "tests/runner/program_generator.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "tests/runner/array_writer.h"
#include "tests/runner/samples.h"
#include "tests/runner/scalar_writer.h"

namespace fuseline::testing {
namespace {

/// A pair of shapes broadcasts as the table `kJoined` says.
constexpr const char* kShapeTexts[] = {"", "[n]", "[m]", "[n, m]", "[n, 1]"};
constexpr int kNone = -1;
constexpr int kJoined[kShapes][kShapes] = {{kScalar, kN, kM, kMatrix, kColumn},
                                           {kN, kN, kNone, kNone, kNone},
                                           {kM, kNone, kM, kMatrix, kMatrix},
                                           {kMatrix, kNone, kMatrix, kMatrix, kMatrix},
                                           {kColumn, kNone, kMatrix, kMatrix, kColumn}};

class Generator {
public:
    explicit Generator(const GeneratorSettings& s)
        : settings_(s), random_(s.seed), data_(s.seed), arrays_(values_, sizes_, s.exact, random_) {}

    ProgramCall generate() {
        ProgramCall call;
        call.function = "f";
        make_sizes();
        make_parameters(call);
        for (size_t k = 0; k < 3; ++k) {
            Random own(settings_.seed * 3 + k);
            elementals_.push_back(
                random_elemental(fmt::format("e{}", k), {settings_.exact, settings_.body}, own));
        }
        std::vector<std::string> statements;
        for (size_t k = 0; k < settings_.steps; ++k) statements.push_back(step(k));
        const std::string signature = results();
        const std::string body = needed(statements) + yields_;
        for (const ElementalFunction& e : elementals_) {
            if (body.find(e.name + "(") != std::string::npos) call.program += e.text;
        }
        call.program +=
            fmt::format("fn f({}) -> ({}) {{\n{}}}\n", fmt::join(parameters_, ", "), signature, body);
        return call;
    }

private:
    void make_sizes() {
        constexpr int64_t kSizes[] = {0, 1, 2, 3, 5, 8, 13, 16, 17, 33, 100};
        for (int64_t& size : sizes_)
            size = std::min(settings_.largest_size, kSizes[pick(random_, std::size(kSizes))]);
    }

    void make_parameters(ProgramCall& call) {
        for (size_t k = 0; k < 6; ++k) {
            const DType dtype = built_types()[pick(random_, built_types().size())];
            // Two parameters bind the sizes.
            const Shape shape = k == 0 ? kN : k == 1 ? kM : static_cast<Shape>(pick(random_, kShapes));
            const std::string name = fmt::format("p{}", k);
            parameters_.push_back(fmt::format("{}: {}{}", name, fuseline::name(dtype), kShapeTexts[shape]));
            values_.push_back({{name, dtype}, shape});
            call.arguments.emplace_back(name, random_array(dtype, extents(shape), {-20, 20}, 6, data_));
        }
    }

    std::vector<int64_t> extents(Shape shape) const {
        const std::vector<int64_t> all[] = {
            {}, {sizes_[0]}, {sizes_[1]}, {sizes_[0], sizes_[1]}, {sizes_[0], 1}};
        return all[shape];
    }

    std::string step(size_t k) {
        const std::string name = fmt::format("t{}", k);
        if (chance(random_, 4)) {
            Value from = operand();
            if (const auto statements = arrays_.changed(name, from)) {
                from.text.text = name;
                values_.push_back(from);
                return *statements;
            }
        }
        Value v = expression();
        const std::string text = fmt::format("    {} = {}\n", name, v.text.text);
        v.text.text = name;
        values_.push_back(v);
        return text;
    }

    /// The statements that results depend on. Statement k assigns tk; a name ends where no digit follows.
    std::string needed(const std::vector<std::string>& statements) const {
        std::string text = yields_;
        for (size_t k = statements.size(); k-- > 0;) {
            const std::string name = fmt::format("t{}", k);
            bool used = false;
            for (size_t at = text.find(name); at != std::string::npos && !used;
                 at = text.find(name, at + 1)) {
                const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
                used = !is_word(text[at + name.size()]) && !is_word(text[at - 1]);
            }
            if (used) text = statements[k] + text;
        }
        return text.substr(0, text.size() - yields_.size());
    }

    /// Mostly late values, so that chains grow.
    const Value& operand() {
        const size_t back = chance(random_, 3) ? pick(random_, values_.size())
                                               : pick(random_, std::min<size_t>(values_.size(), 6));
        return values_[values_.size() - 1 - back];
    }

    Value expression() {
        for (;;) {
            const size_t kind = pick(random_, 14);
            const std::optional<Value> made = kind == 0   ? cast()
                                              : kind == 1 ? column()
                                              : kind == 2 ? elemental()
                                              : kind == 3 ? conditional()
                                              : kind < 6  ? arrays_.reduction(operand())
                                              : kind < 9  ? arrays_.view(operand())
                                                          : operation();
            if (made) return *made;
        }
    }

    std::optional<Value> operation() {
        const auto& rows = usable_operators(settings_.exact);
        const OpRow& op = *rows[pick(random_, rows.size())];
        std::vector<Value> operands;
        for (int k = 0; k < op.arity; ++k) operands.push_back(operand());
        if (op.arity > 1 && op.rule != TypeRule::power && chance(random_, 4)) {
            const DType dtype = operands[0].text.dtype;
            operands[1] = {{literal(dtype, random_), dtype}, kScalar};
        }
        const auto shape = joined(operands);
        if (!shape) return std::nullopt;
        std::vector<TypedText> texts;
        for (const Value& v : operands) texts.push_back(v.text);
        const auto text = applied(op, texts);
        return text ? std::optional(Value{*text, *shape}) : std::nullopt;
    }

    static std::optional<Shape> joined(const std::vector<Value>& operands) {
        int shape = kScalar;
        for (const Value& v : operands) {
            shape = kJoined[shape][v.shape];
            if (shape == kNone) return std::nullopt;
        }
        return static_cast<Shape>(shape);
    }

    std::optional<Value> cast() {
        const Value& v = operand();
        const DType dtype = built_types()[pick(random_, built_types().size())];
        return Value{{fmt::format("{}({})", name(dtype), v.text.text), dtype}, v.shape};
    }

    std::optional<Value> column() {
        const Value& v = operand();
        if (v.shape != kN) return std::nullopt;
        return Value{{fmt::format("{}[:, newaxis]", v.text.text), v.text.dtype}, kColumn};
    }

    std::optional<Value> elemental() {
        const ElementalFunction& e = elementals_[pick(random_, elementals_.size())];
        std::vector<Value> operands;
        std::vector<std::string> texts;
        for (DType dtype : e.parameters) {
            operands.push_back(operand());
            texts.push_back(cast_to(dtype, operands.back().text));
        }
        const auto shape = joined(operands);
        if (!shape) return std::nullopt;
        return Value{{fmt::format("{}({})", e.name, fmt::join(texts, ", ")), e.result}, *shape};
    }

    /// `a if c else b` on a scalar condition, both arms of one type and shape.
    std::optional<Value> conditional() {
        const Value c = operand(), a = operand(), b = operand();
        if (c.shape != kScalar || !is_bool(c.text.dtype) || a.shape != b.shape ||
            a.text.dtype != b.text.dtype)
            return std::nullopt;
        return Value{{fmt::format("({} if {} else {})", a.text.text, c.text.text, b.text.text), a.text.dtype},
                     a.shape};
    }

    /// The last values, and some others, become results.
    std::string results() {
        Random random(settings_.seed ^ settings_.steps);
        std::vector<std::string> list;
        for (size_t k = 0; k < 1 + pick(random, 4); ++k) {
            const Value& v =
                values_[values_.size() - 1 -
                        (k == 0 ? 0 : pick(random, std::min<size_t>(values_.size(), settings_.steps)))];
            list.push_back(fmt::format("r{}: {}{}", k, name(v.text.dtype), kShapeTexts[v.shape]));
            yields_ += fmt::format("    r{} = {}\n", k, v.text.text);
        }
        return fmt::format("{}", fmt::join(list, ", "));
    }

    const GeneratorSettings& settings_;
    Random random_, data_;
    int64_t sizes_[2] = {};
    std::vector<std::string> parameters_;
    std::vector<Value> values_;
    std::vector<ElementalFunction> elementals_;
    std::string yields_;
    ArrayWriter arrays_;
};

}  // namespace

ProgramCall random_program(const GeneratorSettings& settings) { return Generator(settings).generate(); }

}  // namespace fuseline::testing
