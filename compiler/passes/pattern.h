// Patterns over elementwise operators: parsed from text, matched against a graph that is being built, and
// built from a match.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// Values of the letters a..z after a match.
using Bindings = std::array<std::optional<ir::ValueId>, 26>;

/// An elementwise operation that may not stand in a function yet.
struct Expression {
    OpId op;
    std::vector<ir::ValueId> operands;
    DType result;
    DType operation(ir::Builder& b) const {
        return b.type(row(op).rule == TypeRule::select ? operands.back() : operands.front()).dtype;
    }
};

/// A tree of operators, letters and constants; node 0 is the root.
class Pattern {
public:
    /// Throws InternalError for text that is no pattern.
    explicit Pattern(std::string_view text);

    struct Node {
        std::optional<OpId> op;
        int letter = -1;       ///< 0 for 'a'
        std::string constant;  ///< spelling, "" for none
        std::vector<int> children;
    };
    const std::vector<Node>& nodes() const { return nodes_; }
    const Node& root() const { return nodes_[0]; }

    /// Matches the expression; commutative operators in both orders.
    bool match(ir::Builder& b, const Expression& expression, Bindings& bindings) const;

private:
    int parse(std::string_view text, size_t& at);
    bool match_value(ir::Builder& b, int node, ir::ValueId value, Bindings& bindings) const;
    bool match_operands(ir::Builder& b, const Node& node, std::span<const ir::ValueId> operands,
                        Bindings& bindings) const;

    std::vector<Node> nodes_;
};

}  // namespace fuseline
