// Runs named passes on functions in text form: the body of `fuseline opt`.
#pragma once

#include <string>
#include <vector>

#include "compiler/support/source.h"
#include "compiler/support/target.h"

namespace fuseline {

/// Throws UserError, with a suggestion, for a name that run_opt does not know, or `schedule` before another.
void check_pass_names(const std::vector<std::string>& passes);

/// Reads the functions of a file, runs the passes in the order given and prints what comes out. `schedule` as
/// the last name prints kernels and plan. Each step is verified. Throws UserError for a name that is no pass,
/// for a function that a pass does not take, and for bad text: what cannot be read, or one diagnostic for
/// each fault that the verifier finds.
std::string run_opt(const SourceMap& sources, size_t file, const std::vector<std::string>& passes,
                    const Target& target);

}  // namespace fuseline
