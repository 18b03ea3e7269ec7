// explanations_json: the structs of an Explanation member by member.
#include "cli/explain_json.h"

#include <nlohmann/json.hpp>

namespace fuseline::cli {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json optional_json(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json amount_json(const Amount& a) { return {{"formula", a.formula}, {"value", optional_json(a.value)}}; }

void add_kernel(Json& object, const ExplainedStep& step) {
    constexpr const char* kNames[kOpClassCount] = {"simple", "helper", "function"};
    Json operations, operators = Json::object();
    for (size_t k = 0; k < kOpClassCount; ++k) operations[kNames[k]] = amount_json(step.operations[k]);
    for (const auto& [name, count] : step.operators) operators[name] = count;
    object["schedule"] = step.schedule;
    object["operations"] = operations;
    object["operators"] = operators;
    object["elements"] = amount_json(step.outputs);
    object["held_bytes"] = amount_json(step.held);
    object["lanes"] = step.lanes;
    object["live_values"] = step.live;
    object["loops"] = step.loops;
    object["code"] = step.code;
}

Json step_json(const ExplainedStep& step) {
    Json arrays = Json::array();
    for (const ExplainedStep::Array& a : step.arrays)
        arrays.push_back({{"name", a.name}, {"written", a.written}, {"bytes", amount_json(a.bytes)}});
    Json object = {{"kind", step.kind},
                   {"name", step.name},
                   {"lines", step.lines},
                   {"arrays", arrays},
                   {"moved_bytes", amount_json(step.moved)},
                   {"times", amount_json(step.times)}};
    object["second_side_of_branch"] = step.otherwise;
    if (step.kind == "library") object["flops"] = amount_json(step.flops);
    if (step.kind == "kernel") add_kernel(object, step);
    return object;
}

Json explanation_json(const Explanation& e) {
    Json steps = Json::array(), reasons = Json::array();
    for (const ExplainedStep& step : e.steps) steps.push_back(step_json(step));
    for (const Explanation::Reason& r : e.reasons)
        reasons.push_back(
            {{"pass", r.pass}, {"subject", r.subject}, {"reason", r.reason}, {"lines", r.lines}});
    return {{"signature", e.signature},
            {"moved_bytes", amount_json(e.moved)},
            {"least_bytes", amount_json(e.least)},
            {"ratio", optional_json(e.ratio)},
            {"exact", e.exact},
            {"steps", steps},
            {"reasons", reasons}};
}

}  // namespace

std::string explanations_json(const std::vector<Explanation>& explanations) {
    Json all = Json::array();
    for (const Explanation& e : explanations) all.push_back(explanation_json(e));
    return all.dump() + "\n";
}

}  // namespace fuseline::cli
