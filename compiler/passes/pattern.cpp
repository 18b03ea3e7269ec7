// Pattern: recursion here is as deep as a row of the table, never as deep as a program.
#include "compiler/passes/pattern.h"

#include <cctype>

#include "compiler/support/errors.h"

namespace fuseline {

using ir::ValueId;

Pattern::Pattern(std::string_view text) {
    size_t at = 0;
    parse(text, at);
    require(at == text.size(), "a rewrite pattern has text behind it");
}

int Pattern::parse(std::string_view text, size_t& at) {
    const int id = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
    const size_t end = std::min(text.find_first_of("(,)", at), text.size());
    const std::string word(text.substr(at, end - at));
    at = end;
    if (at < text.size() && text[at] == '(') {
        const auto op = op_named(word);
        require(op.has_value(), "a rewrite pattern names no operator");
        std::vector<int> children;
        do {
            ++at;
            while (at < text.size() && text[at] == ' ') ++at;
            children.push_back(parse(text, at));
        } while (at < text.size() && text[at] == ',');
        require(at < text.size() && text[at] == ')', "a rewrite pattern lacks a parenthesis");
        ++at;
        require(children.size() == static_cast<size_t>(row(*op).arity),
                "a rewrite pattern has too many operands");
        nodes_[static_cast<size_t>(id)].op = op;
        nodes_[static_cast<size_t>(id)].children = std::move(children);
    } else if (word.size() == 1 && std::islower(static_cast<unsigned char>(word[0]))) {
        nodes_[static_cast<size_t>(id)].letter = word[0] - 'a';
    } else {
        nodes_[static_cast<size_t>(id)].constant = word;
    }
    return id;
}

bool Pattern::match(ir::Builder& b, const Expression& e, Bindings& bindings) const {
    return root().op == e.op && match_operands(b, root(), e.operands, bindings);
}

bool Pattern::match_operands(ir::Builder& b, const Node& node, std::span<const ValueId> operands,
                             Bindings& bindings) const {
    const Bindings before = bindings;
    const auto in_order = [&](bool swapped) {
        bindings = before;
        for (size_t k = 0; k < operands.size(); ++k) {
            const ValueId v = operands[swapped ? operands.size() - 1 - k : k];
            if (!match_value(b, node.children[k], v, bindings)) return false;
        }
        return true;
    };
    return in_order(false) || (operands.size() == 2 && row(*node.op).has(kCommutative) && in_order(true));
}

bool Pattern::match_value(ir::Builder& b, int id, ValueId value, Bindings& bindings) const {
    const Node& node = nodes_[static_cast<size_t>(id)];
    if (node.letter >= 0) {
        auto& bound = bindings[static_cast<size_t>(node.letter)];
        if (!bound) bound = value;
        return *bound == value;
    }
    const ir::Node* definition = b.function().definition(value);
    if (definition == nullptr) return false;
    if (!node.op) {
        const auto wanted = parse_scalar(b.type(value).dtype, node.constant);
        return definition->op.is(ir::Structure::constant_) && wanted &&
               std::get<Scalar>(definition->attribute) == *wanted;
    }
    if (!definition->op.is(*node.op)) return false;
    const auto operands = b.function().operands(*definition);
    const std::vector<ValueId> copy(operands.begin(), operands.end());
    return match_operands(b, node, copy, bindings);
}

}  // namespace fuseline
