// The values of a script's `param`s from `--set name=value`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dsl/program.h"

namespace fuseline {

/// The given text as a value of the parameter's type, else its default. Throws UserError with the param's
/// span.
Scalar param_value(const Param& param, const std::map<std::string, std::string>& given);

/// Throws UserError, with a suggestion, for a given name that is no param.
void test_param_names(const std::vector<Param>& params, const std::map<std::string, std::string>& given);

}  // namespace fuseline
