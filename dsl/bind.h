// Binding of parameters and dimensions of one call.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dsl/checker.h"

namespace fuseline::dsl {

/// coefficient * unknown + offset.
struct LinearForm {
    ExtentId coefficient, offset;
};
/// The dimension `id` of the current frame's tree as a linear form of its one unbound name.
std::optional<LinearForm> linear_form(Checker& c, ast::ExprId id, const std::string& unknown);

/// The names in a dimension that the current frame does not bind.
std::set<std::string> unbound_names(const Checker& c, ast::ExprId id);

/// The element type that a misspelt name is close to, or "".
std::string near_dtype(std::string_view name);

class ParameterBinder {
public:
    ParameterBinder(Checker& c, const FunctionDefinition& f, std::vector<std::optional<Argument>>& slots,
                    Frame& callee, const Call& call)
        : c_(c), f_(f), slots_(slots), callee_(callee) {
        callee_.call = call.span;
    }
    /// False after a report.
    bool run();

private:
    struct Dimension {
        const ast::Parameter* parameter = nullptr;
        ast::ExprId expr;
        ExtentId actual;
        const Argument* argument = nullptr;
        bool done = false;
    };

    bool fill_default(size_t i);
    bool bind_type_variable(size_t i, bool typed_only);
    bool bind_value(size_t i);
    bool bind_constant(const ast::Parameter& p, const Argument& a, DType dtype);
    std::optional<ir::ValueId> element_value(const ast::Parameter& p, const Argument& a, DType dtype);
    bool bind_dimensions();
    void bind_plain(Dimension& d);
    bool bind_solved(Dimension& d, bool& sound);
    bool require(const Dimension& d, ExtentId declared, const std::string& help);
    bool test(const Dimension& d);
    std::string title(const ast::Parameter& p) const;
    std::string declared_text(const ast::Parameter& p) const;
    DiagnosticBuilder mismatch(const ast::Parameter& p, const Argument& a);

    template <typename Run>
    auto with_callee(Run run) {
        Frame* const outer = c_.frame;
        c_.frame = &callee_;
        auto result = run();
        c_.frame = outer;
        return result;
    }

    Checker& c_;
    const FunctionDefinition& f_;
    std::vector<std::optional<Argument>>& slots_;
    Frame& callee_;
    std::vector<Dimension> dims_;
};

}  // namespace fuseline::dsl
