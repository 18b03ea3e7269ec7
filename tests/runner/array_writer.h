// Random code over whole arrays, as text: reductions, views, windows, updates of slices, loops and branches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/runner/scalar_writer.h"

namespace fuseline::testing {

/// Shapes of the generated values, over the sizes n and m.
enum Shape : size_t { kScalar, kN, kM, kMatrix, kColumn, kShapes };

struct Value {
    TypedText text;
    Shape shape = kScalar;
};

/// Writes code over the values that a program has so far.
class ArrayWriter {
public:
    /// `sizes`: n and m of the call; where one is 0, nothing that needs an element is written.
    ArrayWriter(const std::vector<Value>& values, const int64_t (&sizes)[2], bool exact, Random& random)
        : values_(values), sizes_(sizes), exact_(exact), random_(random) {}

    /// A reduction of an array; nullopt where the draw fits nothing.
    std::optional<Value> reduction(const Value& of);
    /// Views, windows and joined arrays, all of a shape of `Shape`.
    std::optional<Value> view(const Value& of);
    /// Statements that make `name`: a value, then updates of its slices, a loop that carries it, or a branch.
    std::optional<std::string> changed(const std::string& name, const Value& from);

private:
    /// A value of the shape and type, any of them.
    const Value* like(Shape shape, DType dtype);
    bool holds_elements(Shape shape) const;
    std::string filled(std::string text, const std::string& name, const Value& of);
    std::string joined(const std::string& name, const Value& of);
    std::optional<std::string> update(const std::string& name, const Value& of);
    std::optional<std::string> loop(const std::string& name, const Value& of);
    std::optional<std::string> branch(const std::string& name, const Value& of);

    const std::vector<Value>& values_;
    const int64_t (&sizes_)[2];
    bool exact_;
    Random& random_;
};

}  // namespace fuseline::testing
