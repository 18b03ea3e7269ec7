// One loop on its way to a node: `while` or `for` in scalar code, `loop` over arrays.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/checker.h"

namespace fuseline::dsl {

/// Loops may nest this deep: finding the types of weak names runs a body twice at each level.
inline constexpr int kMaxLoopDepth = 12;

class Loop {
public:
    Loop(Checker& c, const ast::Stmt& s);
    void run();

private:
    /// A name that changes in the loop. `initial` is NoneValue for a returned value, which starts as zero.
    struct Carried {
        std::string name;
        Value initial;
        std::optional<ir::Type> type;
        std::optional<DType> fallback;  ///< of a weak name, where the body assigns only weak values
    };

    // loops.cpp
    void find_carried();
    void carry(const std::string& name, const Value& initial);
    std::optional<ir::ValueId> initial(const Carried& carried);
    void bind(ir::RegionId region);
    ir::ValueId parameter(ir::RegionId region, const Carried& carried, ir::Type type);
    Value index_value();
    std::optional<ir::ValueId> condition();
    void body(ir::RegionId region);
    bool learn();
    void find_types();
    bool untyped() const;
    std::optional<std::vector<ir::ValueId>> next_values();
    std::optional<ir::ValueId> next_value(const Carried& carried, const Binding& b);
    std::optional<std::vector<ir::ValueId>> initial_values();
    void leave(const Environment& before, std::optional<ir::NodeId> node);
    void give_up();

    // ranges.cpp, of scalar code
    bool open_range();
    void set_counter(const Argument& first, const Argument& stop, const std::optional<Argument>& step,
                     bool reversed);
    Argument integer_bound(ast::ExprId id);
    bool build_regions(ir::RegionId test, ir::RegionId region);
    void run_scalar();

    // array_loops.cpp
    struct Range {
        ExtentId first, stop, step;
        bool reversed = false;
    };
    std::optional<Range> size_range();
    bool open_sizes();
    void count_steps(const Range& range, std::optional<int64_t> step);
    bool count_directly(const Range& range, std::optional<int64_t> step);
    std::string unique_symbol() const;
    std::vector<ir::ValueId> run_region(ir::RegionId region, bool& sound);
    void run_arrays();

    Checker& c_;
    const ast::Stmt& s_;
    Frame& frame_;
    const bool arrays_;  ///< becomes a `loop` node
    bool has_break_ = false;
    bool has_return_ = false;
    bool counted_ = false;      ///< in scalar code: becomes a `for` node
    bool conditional_ = false;  ///< over arrays: a flag, carried first, says whether the next step is taken
    bool returns_tuple_ = false;
    std::string counter_name_;
    ir::ValueId start_, stop_;              ///< of the counter
    ir::ValueId counter_;                   ///< inside the region at hand
    std::optional<Argument> first_, step_;  ///< the loop variable is first + counter * step, or the counter
    ir::Iteration steps_;                   ///< over arrays
    ExtentId low_, high_;                   ///< the least and the largest value of its counter
    ExtentId index_;                        ///< the loop variable as a size
    std::vector<Carried> carried_;
};

}  // namespace fuseline::dsl
