// What became of a program and why: kernels with what they move, edges that are not fused, code that is
// shared.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/spelling.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/schedule/plan_cost.h"

namespace fuseline {

/// A size as a formula, and as a number where the sizes in it were given.
struct Amount {
    std::string formula;
    std::optional<int64_t> value;
};

/// A kernel, a library call or a copy, in the order of the plan.
struct ExplainedStep {
    std::string kind;  ///< "kernel", "library", "copy"
    std::string name;
    std::string schedule;  ///< of a kernel
    std::string lines;     ///< "prices.dsl:5-9"
    struct Array {
        std::string name;
        Amount bytes;
        bool written = false;
    };
    std::vector<Array> arrays;
    Amount moved;
    Amount times;            ///< how often it runs
    bool otherwise = false;  ///< on the second side of a branch, which the sums leave out
    Amount flops;            ///< of a library call

    // Of a kernel.
    std::array<Amount, kOpClassCount> operations;
    std::vector<std::pair<std::string, int>> operators;  ///< by name, the most frequent first
    Amount outputs, held;
    int lanes = 1, live = 0;
    bool loops = false;
    std::string code;  ///< why it is compiled, or whose code it shares
};

/// One entry function or computation of a script.
struct Explanation {
    std::string signature;
    std::vector<ExplainedStep> steps;
    Amount moved, least;
    std::optional<double> ratio;  ///< moved / least, where it is known
    bool exact = true;            ///< see PlanCost
    struct Reason {
        std::string pass, subject, reason, lines;
    };
    std::vector<Reason> reasons;  ///< of `fuse`: edges that are not fused, and cuts
};

/// Explains the computations of a program one after the other: each kernel is compared with those before it.
class Explainer {
public:
    /// `sizes` by name, as far as they are known.
    Explainer(const SourceMap& sources, const Target& target, std::map<std::string, int64_t> sizes)
        : sources_(sources), target_(target), sizes_(std::move(sizes)) {}
    Explanation explain(const Compiled& compiled);

private:
    struct Seen {
        std::string name, text;
    };
    ExplainedStep step(const Compiled& compiled, const PlanCost& cost, const ir::ValueSpelling& names,
                       const StepCost& step);
    void kernel(const ir::Function& kernel, const PlanCost& cost, const KernelCost& own, ExplainedStep& step);
    std::string code_of(const ir::Function& kernel);
    Amount amount(const ExtentPool& pool, ExtentId e) const;

    const SourceMap& sources_;
    Target target_;
    std::map<std::string, int64_t> sizes_;
    std::vector<Seen> seen_;  ///< kernels so far, each code once
};

/// For people: every line of an explanation begins with what it is about.
std::string explanation_text(const Explanation& explanation);

}  // namespace fuseline
