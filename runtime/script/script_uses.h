// Which steps of a script read which variables.
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/program.h"

namespace fuseline {

class ScriptUses {
public:
    explicit ScriptUses(const Script& script);

    /// The variables that no step after this one reads or writes.
    const std::vector<uint32_t>& ended_by(size_t step) const { return ended_[step]; }
    /// Whether a later step computes with the variable.
    bool computed_after(uint32_t variable, size_t step) const { return last_computed_[variable] > step; }

private:
    std::vector<std::vector<uint32_t>> ended_;  ///< by step
    std::vector<size_t> last_computed_;         ///< by variable
};

}  // namespace fuseline
