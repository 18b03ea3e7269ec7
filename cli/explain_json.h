// Explanations for programs.
#pragma once

#include <string>
#include <vector>

#include "compiler/pipeline/explain.h"

namespace fuseline::cli {

/// A JSON array with one object for each; a size is {"formula": "4*n", "value": 4000}, the value null where
/// sizes are not known.
std::string explanations_json(const std::vector<Explanation>& explanations);

}  // namespace fuseline::cli
