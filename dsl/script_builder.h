// State of the checking of a script: the segment under construction and what lives between segments.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dsl/builtins.h"
#include "dsl/checker.h"
#include "dsl/program.h"

namespace fuseline::dsl {

/// Every segment starts with a copy of the script's extent pool and gives it back, so that extent ids hold
/// throughout.
class ScriptBuilder : public ScriptHooks {
public:
    ScriptBuilder(Modules& modules, Program& program, Diagnostics& diagnostics)
        : modules_(modules), program_(program), diagnostics_(diagnostics), tree_(modules.root()->tree) {}
    void run();
    Value fetch(const StoredValue& stored) override;
    bool check(const ir::Check& check, Span span) override;
    ir::ValueId cross(const Value& value, DType dtype, std::string_view function,
                      std::string_view parameter) override;

private:
    void find_last_uses();
    void add_param(const ast::Param& p);
    uint32_t add_variable(const std::string& name, ir::Type type, Span span);
    std::string unique_name(const std::string& base);

    void statement(ast::StmtId id);
    const ast::Expr* load_call(const ast::Stmt& s) const;
    void effect(const ast::Stmt& s);
    std::vector<Argument> arguments(const ast::Expr& call);
    bool match(const ast::Expr& e, std::string_view name, std::string_view parameters, Slots& slots);
    std::optional<std::string> text_argument(const std::optional<Argument>& a, std::string_view what);
    void run_print(const ast::Expr& e);
    void run_save(const ast::Expr& e);
    void run_show(const ast::Expr& e);
    void run_assert(const ast::Stmt& s);

    // script_load.cpp
    void run_load(const ast::Stmt& s, const ast::Expr& call);
    std::optional<LoadStep> load_step(const ast::Expr& call);
    std::optional<std::vector<std::string>> column_names(const ast::Expr& e);
    std::optional<ir::Type> load_type(const ast::TypeExpr& type);
    bool bind_size(ast::ExprId dim);

    // script_segments.cpp
    void begin_segment();
    /// Ends the segment: `wanted` and all values used later become variables. What `wanted` becomes.
    std::vector<ScriptValue> flush(const std::vector<Argument>& wanted);
    /// Whether the runner knows the size: its names are bound by loads and integer params.
    bool known_size(ExtentId e);
    std::optional<ScriptValue> constant_value(const Argument& a);
    Value keep(const Value& value, const std::string& name, Span span);
    uint32_t store(ir::ValueId id, const std::string& name, Span span);
    void add_size_arguments();
    void end_segment(Span span);

    Modules& modules_;
    Program& program_;
    Diagnostics& diagnostics_;
    const ast::Tree& tree_;
    Frame frame_;
    size_t position_ = 0;  ///< of the current statement
    bool faulty_ = false;
    std::map<std::string, size_t> last_use_;
    std::set<std::string> used_names_;
    std::vector<std::string> parameter_names_;  ///< of each variable, unique in the script
    std::map<std::string, Span, std::less<>> symbol_spans_;
    std::vector<std::pair<ExtentId, ExtentId>> equalities_;  ///< asserted, for the segments that follow
    std::map<std::string, ScriptValue> size_sources_;        ///< sizes that are integer variables

    // Of the segment.
    std::unique_ptr<Checker> checker_;
    std::vector<ScriptValue> arguments_;
    std::map<uint32_t, uint32_t> variable_of_;  ///< value id -> variable, of fetched and stored values
    std::map<uint32_t, ir::ValueId> fetched_;   ///< variable -> value
    std::map<std::string, ExtentId> crossed_;   ///< sizes that are constants of this segment
    std::vector<ir::ValueId> yields_;
    std::vector<std::string> yield_names_;
    std::vector<uint32_t> results_;
};

}  // namespace fuseline::dsl
