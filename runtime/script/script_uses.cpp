// One walk over the steps.
#include "runtime/script/script_uses.h"

namespace fuseline {
namespace {

/// Collects the variables that a step reads or writes.
struct Variables {
    std::vector<uint32_t>& found;

    void operator()(const ScriptValue& value) const {
        if (const auto* variable = std::get_if<ScriptValue::Variable>(&value.value))
            found.push_back(variable->index);
    }
    void operator()(const ComputeStep& step) const {
        for (const ScriptValue& value : step.arguments) (*this)(value);
        found.insert(found.end(), step.results.begin(), step.results.end());
    }
    void operator()(const LoadStep& step) const { found.push_back(step.variable); }
    void operator()(const PrintStep& step) const {
        for (const ScriptValue& value : step.values) (*this)(value);
    }
    void operator()(const SaveStep& step) const { (*this)(step.value); }
    void operator()(const ShowStep& step) const { (*this)(step.value); }
    void operator()(const AssertStep& step) const { (*this)(step.value); }
    void operator()(const CheckStep&) const {}
};

}  // namespace

ScriptUses::ScriptUses(const Script& script)
    : ended_(script.steps.size()), last_computed_(script.variables.size(), 0) {
    std::vector<size_t> last(script.variables.size(), 0);
    std::vector<uint32_t> found;
    for (size_t i = 0; i < script.steps.size(); ++i) {
        found.clear();
        std::visit(Variables{found}, script.steps[i].action);
        for (const uint32_t variable : found) {
            last[variable] = i;
            if (std::holds_alternative<ComputeStep>(script.steps[i].action)) last_computed_[variable] = i;
        }
    }
    for (uint32_t variable = 0; variable < last.size(); ++variable) {
        if (!ended_.empty()) ended_[last[variable]].push_back(variable);
    }
}

}  // namespace fuseline
