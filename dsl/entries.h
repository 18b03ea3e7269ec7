// Builds the graph of one entry.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/bind.h"
#include "dsl/checker.h"
#include "dsl/program.h"

namespace fuseline::dsl {

class EntryBuilder {
public:
    EntryBuilder(Checker& c, const FunctionDefinition& f) : c_(c), f_(f) {}
    /// Nullopt after a report. The checker is used up.
    std::optional<Entry> run();

private:
    const ast::Parameter* parameter(std::string_view name) const;
    bool bind_sizes();
    void bind_size(const std::string& name, Span span);
    bool bind_equation(ast::ExprId dim);
    bool report_unbound(ast::ExprId dim);
    bool make_parameters();
    bool make_parameter(const ast::Parameter& p, const ir::Type& type);
    std::optional<Scalar> default_scalar(const ast::Parameter& p, const Argument& given,
                                         const ir::Type& type);
    Value run_body();
    Span result_span(size_t k) const;
    std::optional<Entry> finish(const Value& result);

    Checker& c_;
    const FunctionDefinition& f_;
    Frame frame_;
    std::vector<std::optional<Argument>> slots_;
    std::vector<EntryParameter> parameters_;
};

}  // namespace fuseline::dsl
