// Evaluates one expression with explicit stacks, so that its depth costs no C++ stack.
#pragma once

#include <vector>

#include "dsl/checker.h"

namespace fuseline::dsl {

class Evaluator {
public:
    explicit Evaluator(Checker& checker) : c_(checker) {}
    Value run(ast::ExprId root);

private:
    struct Task {
        ast::ExprId id;
        int stage = 0;
    };
    /// A conditional in scalar code whose arms become regions.
    struct Arms {
        Value condition;
        ir::RegionId yes, no, outer;
        Value first;
    };

    void step();
    void leave(Value value);
    void start(const ast::Expr& e);
    void push_children(const std::vector<ast::ExprId>& ids);
    std::vector<Value> pop_values(size_t count);
    std::vector<Argument> arguments_of(const std::vector<ast::ExprId>& ids);
    Value finish(const ast::Expr& e);
    Value finish_call(const ast::Expr& e);
    Value finish_binary(const ast::Expr& e);
    void conditional(const ast::Expr& e, int stage);
    bool arms_fit(const std::vector<Argument>& arms, Span span);
    void conditional_regions(const ast::Expr& e, int stage);
    bool refuse(const ast::Expr& e);
    bool in_list_argument() const;

    Checker& c_;
    std::vector<Task> tasks_;
    std::vector<Value> values_;
    std::vector<Arms> arms_;
};

}  // namespace fuseline::dsl
