// Random scalar expressions and the bodies of elemental functions, as text.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/ops/op_table.h"

namespace fuseline::testing {

/// A named value, or the text of an expression, with its type.
struct TypedText {
    std::string text;
    DType dtype = DType::f32_;
};

using Random = std::mt19937_64;
inline size_t pick(Random& random, size_t below) { return static_cast<size_t>(random() % below); }
inline bool chance(Random& random, size_t one_in) { return pick(random, one_in) == 0; }

/// Element types of the tables that are built.
const std::vector<DType>& built_types();
/// Elementwise operators that random programs use; all of them are exact where `exact`.
const std::vector<const OpRow*>& usable_operators(bool exact);

/// A literal that takes the type of what it meets: an integer, a float or a bool.
std::string literal(DType dtype, Random& random);
/// An operator applied to operands of these types; nullopt where it does not take them.
std::optional<TypedText> applied(const OpRow& op, const std::vector<TypedText>& operands);
/// `text` as a value of the type.
std::string cast_to(DType dtype, const TypedText& value);

/// An expression over the names, at most `depth` operators deep.
TypedText scalar_expression(const std::vector<TypedText>& names, int depth, bool exact, Random& random);

/// `elemental fn NAME(a: f32, ..) -> f32 { .. }` with loops and branches.
struct ElementalFunction {
    std::string name, text;
    std::vector<DType> parameters;
    DType result = DType::f32_;
};
struct BodySettings {
    bool exact = true;
    size_t statements = 5;  ///< at most, those in blocks not counted
};
ElementalFunction random_elemental(const std::string& name, const BodySettings& settings, Random& random);

}  // namespace fuseline::testing
