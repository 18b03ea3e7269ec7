// What the verifier finds, with places for people.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline::ir {

/// A violated rule of a function's form.
struct Fault {
    Span span;         ///< of the node; unknown for a fault of the function as a whole
    std::string text;  ///< "rule: place: what"
};

/// As verify, with spans.
std::vector<Fault> find_faults(const Function& function);

}  // namespace fuseline::ir
