// `--set` values: texts of the language for the param's type.
#include "runtime/script/script_params.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/support/diagnostics.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

[[noreturn]] void fail(const Param& param, std::string message) {
    Diagnostic d;
    d.span = param.span;
    d.message = std::move(message);
    throw UserError({d});
}

}  // namespace

Scalar param_value(const Param& param, const std::map<std::string, std::string>& given) {
    const auto it = given.find(param.name);
    if (it == given.end()) return param.default_value;
    const auto value = parse_scalar(param.dtype, it->second);
    if (!value)
        fail(param, fmt::format("`{}` is {}: `{}` is no value of that type", param.name, name(param.dtype),
                                it->second));
    return *value;
}

void test_param_names(const std::vector<Param>& params, const std::map<std::string, std::string>& given) {
    std::vector<std::string> names;
    for (const Param& p : params) names.push_back(p.name);
    for (const auto& [name, text] : given) {
        if (std::find(names.begin(), names.end(), name) != names.end()) continue;
        Diagnostic unknown;
        unknown.message = fmt::format("there is no param `{}` to set", name);
        const std::string near = nearest_name(name, names);
        if (!near.empty())
            unknown.help.push_back(fmt::format("did you mean `{}`?", near));
        else if (!names.empty())
            unknown.help.push_back(fmt::format("params are {}", fmt::join(names, ", ")));
        throw UserError({unknown});
    }
}

}  // namespace fuseline
