// The top-level statements of a file as steps: everything up to the next effect is one graph.
#include "dsl/script.h"

#include <fmt/format.h>

#include "dsl/builtins.h"
#include "dsl/script_builder.h"
#include "dsl/walk.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

std::set<std::string, std::less<>> names_of_script(const ast::Tree& tree) {
    std::set<std::string, std::less<>> names;
    for (const std::string& name : assigned_names(tree, tree.script)) names.insert(name);
    for (const ast::Param& p : tree.params) names.insert(p.name);
    return names;
}

void build_script(Modules& modules, Program& program, Diagnostics& diagnostics) {
    ScriptBuilder(modules, program, diagnostics).run();
}

void ScriptBuilder::run() {
    const size_t errors = diagnostics_.error_count();
    find_last_uses();
    begin_segment();
    for (const ast::Param& p : tree_.params) add_param(p);
    for (position_ = 0; position_ < tree_.script.size(); ++position_) statement(tree_.script[position_]);
    flush({});
    if (diagnostics_.error_count() != errors || faulty_) {
        program_.script.steps.clear();
        program_.script.variables.clear();
    }
}

/// A value is kept between steps when its name is read by a later statement.
void ScriptBuilder::find_last_uses() {
    for (size_t i = 0; i < tree_.script.size(); ++i) {
        const ast::StmtId one[1] = {tree_.script[i]};
        walk_block(tree_, one, [&](const ast::Expr& e) {
            if (e.kind == ast::ExprKind::name) last_use_[e.text] = i;
            return true;
        });
        walk_statements(tree_, one, [&](const ast::Stmt& s) {
            for (const ast::Target& t : s.targets) {
                const bool changed = s.kind == ast::StmtKind::augment || !t.subscripts.empty();
                if (changed) last_use_[t.name] = i;
            }
        });
    }
}

void ScriptBuilder::add_param(const ast::Param& p) {
    const auto type = checker_->resolve_type(p.type);
    const Argument given = checker_->argument(p.default_value);
    if (!type || given.value.is_error()) return;
    std::string why;
    std::optional<Scalar> value;
    if (type->shape.empty() && given.value.constant_number()) value = fit(given.value, type->dtype, why);
    if (!value) {
        checker_->error(given.span, why.empty()
                                        ? fmt::format("the default of `{}` is a constant scalar: found {}",
                                                      p.name, checker_->text(given.value))
                                        : fmt::format("the default of `{}`: {}", p.name, why));
        return;
    }
    if (frame_.names.count(p.name)) {
        checker_->error(p.name_span, fmt::format("the param `{}` is defined twice", p.name))
            .note(frame_.names[p.name].span, "first defined here");
        return;
    }
    const uint32_t variable = add_variable(p.name, *type, p.name_span);
    program_.params.push_back({p.name, type->dtype, *value, p.span, variable});
    frame_.names[p.name] = {Value(StoredValue{variable, false}), p.name_span, false, false, {}};
}

uint32_t ScriptBuilder::add_variable(const std::string& name, ir::Type type, Span span) {
    const auto index = static_cast<uint32_t>(program_.script.variables.size());
    program_.script.variables.push_back({name, std::move(type), span});
    parameter_names_.push_back(unique_name(name.empty() ? "value" : name));
    return index;
}

/// A name that no size and no other parameter of the script's graphs has.
std::string ScriptBuilder::unique_name(const std::string& base) {
    std::string name = base;
    for (int k = 2; !used_names_.insert(name).second; ++k) name = fmt::format("{}_{}", base, k);
    return name;
}

void ScriptBuilder::statement(ast::StmtId id) {
    const ast::Stmt& s = tree_[id];
    checker_->builder.set_span(s.span);
    switch (s.kind) {
        case ast::StmtKind::assign:
            if (const ast::Expr* load = load_call(s)) return run_load(s, *load);
            [[fallthrough]];
        case ast::StmtKind::augment: return checker_->run_statement(id);
        case ast::StmtKind::expression: return effect(s);
        case ast::StmtKind::assert_: return run_assert(s);
        default: break;
    }
    checker_->error(s.span, "this statement cannot stand in a script")
        .help("put it into a function; a script has assignments, `print`, `save`, `show` and `assert`");
}

const ast::Expr* ScriptBuilder::load_call(const ast::Stmt& s) const {
    const ast::Expr& e = tree_[s.value];
    if (e.kind != ast::ExprKind::call) return nullptr;
    const ast::Expr& callee = tree_[e.operands[0]];
    return callee.kind == ast::ExprKind::name && callee.text == "load" ? &e : nullptr;
}

/// `print`, `save` and `show`; any other expression is lost.
void ScriptBuilder::effect(const ast::Stmt& s) {
    const ast::Expr& e = tree_[s.value];
    const ast::Expr* callee = e.kind == ast::ExprKind::call ? &tree_[e.operands[0]] : nullptr;
    const bool known = callee && callee->kind == ast::ExprKind::name && is_script_function(callee->text);
    if (known && callee->text == "print") return run_print(e);
    if (known && callee->text == "save") return run_save(e);
    if (known && callee->text == "show") return run_show(e);
    if (known) {
        checker_->error(s.span, "`load` stands in an assignment with a type: `x: f32[n] = load(\"x.npy\")`");
        return;
    }
    checker_->evaluate(s.value);
    checker_->error(s.span, "the value of this expression is not used").help("print it: `print(...)`");
}

std::vector<Argument> ScriptBuilder::arguments(const ast::Expr& call) {
    std::vector<Argument> out;
    for (size_t i = 1; i < call.operands.size(); ++i) {
        Argument a = checker_->argument(call.operands[i]);
        if (i - 1 < call.names.size()) {
            a.name = call.names[i - 1];
            a.name_span = call.name_spans[i - 1];
        }
        out.push_back(std::move(a));
    }
    return out;
}

void ScriptBuilder::run_print(const ast::Expr& e) {
    std::vector<Argument> items = arguments(e);
    for (const Argument& a : items) {
        if (a.value.is_error()) return;
        if (!a.name.empty()) {
            checker_->error(a.name_span, "`print` has no keywords");
            return;
        }
        if (a.value.number() || a.value.as<TextValue>() || a.value.as<TypeValue>() || a.value.as<NoneValue>())
            continue;
        if (a.value.as_tuple())
            checker_->not_yet(a.span, "printing a tuple");
        else if (a.value.as<MaskedValue>())
            checker_->not_yet(a.span, "`x[mask]` that a reduction does not take");
        else
            checker_->error(a.span, fmt::format("`print` takes arrays, numbers and texts: found {}",
                                                checker_->text(a.value)));
        return;
    }
    PrintStep step{flush(items)};
    program_.script.steps.push_back({std::move(step), e.span});
}

/// The constant text of an argument; nullopt after a report.
std::optional<std::string> ScriptBuilder::text_argument(const std::optional<Argument>& a,
                                                        std::string_view what) {
    if (!a || a->value.is_error()) return std::nullopt;
    if (const auto* text = a->value.as<TextValue>()) return text->text;
    checker_->error(a->span, fmt::format("{} is a text: found {}", what, checker_->text(a->value)));
    return std::nullopt;
}

bool ScriptBuilder::match(const ast::Expr& e, std::string_view name, std::string_view parameters,
                          Slots& slots) {
    const Call call{e.span, tree_[e.operands[0]].span, std::string(name), arguments(e)};
    return match_slots(*checker_, call, parameter_list(parameters), slots);
}

void ScriptBuilder::run_save(const ast::Expr& e) {
    Slots slots;
    if (!match(e, "save", "file, arr", slots)) return;
    const auto path = text_argument(slots[0], "the path");
    if (!path || !checker_->element_type(*slots[1], "`save`")) return;
    SaveStep step{*path, flush({*slots[1]}).front()};
    program_.script.steps.push_back({std::move(step), e.span});
}

void ScriptBuilder::run_show(const ast::Expr& e) {
    Slots slots;
    if (!match(e, "show", "path, image, colormap?", slots)) return;
    const auto path = text_argument(slots[0], "the path");
    const auto colormap =
        slots[2] ? text_argument(slots[2], "`colormap`") : std::optional<std::string>("viridis");
    const auto dtype = path && colormap ? checker_->element_type(*slots[1], "`show`") : std::nullopt;
    if (!dtype) return;
    const size_t rank = checker_->shape_of(*slots[1]).as_tuple()->items.size();
    if ((rank != 2 && rank != 3) || is_complex(*dtype)) {
        checker_->error(slots[1]->span,
                        fmt::format("`show` takes an array of two axes, or an RGB image: found {}",
                                    checker_->text(slots[1]->value)));
        return;
    }
    if (rank == 3 && *dtype != DType::u8_) {
        checker_
            ->error(slots[1]->span,
                    fmt::format("an RGB image is u8[h, w, 3]: found {}", checker_->text(slots[1]->value)))
            .help("convert it, as in `u8(255 * x)`, or show one channel: `x[:, :, 0]`");
        return;
    }
    ShowStep step{*path, flush({*slots[1]}).front(), *colormap};
    program_.script.steps.push_back({std::move(step), e.span});
}

void ScriptBuilder::run_assert(const ast::Stmt& s) {
    const auto message = checker_->assert_message(s);
    if (!message) return;
    std::vector<Argument> data = checker_->assert_sizes(s, *message);
    for (const Argument& a : data) {
        if (!checker_->scalar_condition(a, "all(c)")) return;
    }
    if (data.empty()) return;
    for (const ScriptValue& value : flush(data))
        program_.script.steps.push_back({AssertStep{value, *message}, s.span});
}

}  // namespace fuseline::dsl
