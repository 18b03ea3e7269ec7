// One loop of scalar code on its way to a `while` or `for` node.
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
        std::optional<DType> dtype;
        std::optional<DType> fallback;  ///< of a weak name, where the body assigns only weak values
    };

    bool open_range();
    void set_counter(const Argument& first, const Argument& stop, const std::optional<Argument>& step,
                     bool reversed);
    Argument integer_bound(ast::ExprId id);
    void find_carried();
    void carry(const std::string& name, const Value& initial);
    std::optional<ir::ValueId> initial(const Carried& carried);
    void bind(ir::RegionId region);
    ir::ValueId parameter(ir::RegionId region, const Carried& carried, DType dtype);
    Value index_value();
    std::optional<ir::ValueId> condition();
    void body(ir::RegionId region);
    bool learn();
    void find_types();
    bool untyped() const;
    bool build_regions(ir::RegionId test, ir::RegionId region);
    std::optional<std::vector<ir::ValueId>> next_values();
    std::optional<ir::ValueId> next_value(const Carried& carried, const Binding& b);
    void leave(const Environment& before, std::optional<ir::NodeId> node);
    void give_up();

    Checker& c_;
    const ast::Stmt& s_;
    Frame& frame_;
    bool has_break_ = false;
    bool has_return_ = false;
    bool counted_ = false;  ///< becomes a `for` node
    bool returns_tuple_ = false;
    std::string counter_name_;
    ir::ValueId start_, stop_;              ///< of the counter
    ir::ValueId counter_;                   ///< inside the region at hand
    std::optional<Argument> first_, step_;  ///< the loop variable is first + counter * step, or the counter
    std::vector<Carried> carried_;
};

}  // namespace fuseline::dsl
