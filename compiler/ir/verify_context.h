// What the verifier's rules share: the function, its nodes in order, and where faults go.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/faults.h"
#include "compiler/ir/spelling.h"
#include "compiler/ir/walk.h"

namespace fuseline::ir {

/// Runs one rule at a time over a function and collects "rule: place: what", with the node's span.
class VerifyContext {
public:
    explicit VerifyContext(const Function& function)
        : f(function), order(nodes_in_order(function, function.body())) {}

    const Function& f;
    const std::vector<NodeId> order;  ///< all nodes, as in the text

    void start(std::string_view rule) { rule_ = rule; }
    void fault(NodeId place, std::string_view what) { add(f.span(place), place_text(place), what); }
    void fault_of_function(std::string_view what) { add({}, f.name.empty() ? "the function" : f.name, what); }
    const std::vector<Fault>& faults() const { return faults_; }
    std::vector<std::string> texts() const {
        std::vector<std::string> texts;
        for (const Fault& fault : faults_) texts.push_back(fault.text);
        return texts;
    }

    /// "%d1"; made only when a fault needs it.
    std::string value(ValueId v) {
        if (!values_) values_.emplace(f, false);
        return (*values_)(v);
    }
    /// "f32[n, m]"
    std::string type(const Type& t) {
        if (!sizes_) sizes_.emplace(f, false);
        return type_text(*sizes_, t);
    }
    std::string type(ValueId v) { return type(f.type(v)); }

private:
    static constexpr size_t kMaxFaults = 100;

    void add(Span span, const std::string& place, std::string_view what) {
        if (faults_.size() < kMaxFaults)
            faults_.push_back({span, fmt::format("{}: {}: {}", rule_, place, what)});
    }
    std::string place_text(NodeId id) {
        const Node& n = f.node(id);
        std::string text;
        for (uint32_t k = 0; k < n.results_count; ++k) text += (k == 0 ? "" : ", ") + value(f.result(id, k));
        if (n.results_count != 0) return fmt::format("{} = {}", text, n.op.name());
        text = n.op.name();
        if (n.operands_count != 0 && f.operands(n)[0]) text += ' ' + value(f.operands(n)[0]);
        return text;
    }

    std::string_view rule_;
    std::vector<Fault> faults_;
    std::optional<ValueSpelling> values_;
    std::optional<SizeSpelling> sizes_;
};

/// Rules in other files.
void verify_types(VerifyContext& c);
void verify_sizes(VerifyContext& c);

}  // namespace fuseline::ir
