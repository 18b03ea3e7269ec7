// Segments of a script: graphs with variables as parameters and results.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/script_builder.h"
#include "dsl/script_sizes.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

void ScriptBuilder::begin_segment() {
    checker_ = std::make_unique<Checker>(modules_, diagnostics_,
                                         fmt::format("script{}", program_.script.steps.size()));
    checker_->script = this;
    checker_->builder.function().options = program_.options;
    checker_->extents() = program_.script.extents;
    checker_->symbol_spans = symbol_spans_;
    frame_.module = modules_.root();
    checker_->frame = &frame_;
    for (const auto& [a, b] : equalities_) checker_->assume_equal(a, b);
    arguments_.clear();
    variable_of_.clear();
    fetched_.clear();
    crossed_.clear();
    yields_.clear();
    yield_names_.clear();
    results_.clear();
}

Value ScriptBuilder::fetch(const StoredValue& stored) {
    const auto [at, added] = fetched_.try_emplace(stored.variable);
    if (added) {
        const ScriptVariable& variable = program_.script.variables[stored.variable];
        const std::string& name = parameter_names_[stored.variable];
        at->second = checker_->builder.parameter(name, variable.type);
        variable_of_[at->second.index] = stored.variable;
        arguments_.push_back({ScriptValue::Variable{stored.variable}, variable.span});
        if (variable.type.scalar() && is_integer(variable.type.dtype)) {
            size_sources_[name] = {ScriptValue::Variable{stored.variable}, variable.span};
        }
    }
    return stored.weak ? Value(WeakValue{at->second}) : Value(TypedValue{at->second});
}

ir::ValueId ScriptBuilder::cross(const Value& value, DType dtype, std::string_view function,
                                 std::string_view parameter) {
    std::string why;
    const Scalar scalar = *fit(value, dtype, why);
    const std::string name = unique_name(fmt::format("{}_{}", function, parameter));
    const ir::ValueId id = checker_->builder.parameter(name, ir::Type{ir::TypeKind::value, dtype, {}});
    arguments_.push_back({ScriptValue::Literal{dtype, scalar}, {}});
    if (is_integer(dtype) && scalar.as_i64() >= 0) {
        const ExtentId constant = checker_->extents().constant(scalar.as_i64());
        checker_->assume_equal(constant, checker_->extents().symbol(name));
        crossed_[name] = constant;
        checker_->spoken[name] = constant;
    }
    return id;
}

bool ScriptBuilder::known_size(ExtentId e) {
    for (const std::string& name : checker_->extents().symbols(e)) {
        const auto& params = program_.params;
        const bool param =
            std::any_of(params.begin(), params.end(), [&](const Param& p) { return p.name == name; });
        if (!param && !symbol_spans_.count(name)) return false;
    }
    return true;
}

bool ScriptBuilder::check(const ir::Check& check, Span span) {
    ir::Check own = check;
    own.left = checker_->extents().substitute(check.left, crossed_);
    own.right = checker_->extents().substitute(check.right, crossed_);
    if (!known_size(own.left) || !known_size(own.right)) return false;
    program_.script.steps.push_back({CheckStep{std::move(own)}, span});
    return true;
}

/// Values that need no variable: texts, constants, sizes.
std::optional<ScriptValue> ScriptBuilder::constant_value(const Argument& a) {
    const Value& v = a.value;
    if (const auto* text = v.as<TextValue>()) return ScriptValue{text->text, a.span};
    if (const auto* type = v.as<TypeValue>()) return ScriptValue{std::string(name(type->dtype)), a.span};
    if (v.as<NoneValue>()) return ScriptValue{std::string("none"), a.span};
    if (const auto* size = v.as<SizeValue>()) {
        const ExtentId e = checker_->extents().substitute(size->extent, crossed_);
        return ScriptValue{ScriptValue::Size{e}, a.span};
    }
    if (!v.constant_number()) return std::nullopt;
    std::string why;
    const DType dtype = default_dtype(v);
    if (const auto s = fit(v, dtype, why)) return ScriptValue{ScriptValue::Literal{dtype, *s}, a.span};
    return ScriptValue{v.as<mpz_class>()->get_str(), a.span};
}

/// The variable that holds a value of the segment.
uint32_t ScriptBuilder::store(ir::ValueId id, const std::string& name, Span span) {
    const auto known = variable_of_.find(id.index);
    if (known != variable_of_.end()) return known->second;
    ir::Type type = checker_->builder.type(id);
    for (ExtentId& e : type.shape) e = checker_->extents().substitute(e, crossed_);
    const uint32_t variable = add_variable(name, std::move(type), span);
    variable_of_[id.index] = variable;
    yields_.push_back(id);
    yield_names_.push_back(name.empty() ? "result" : name);
    results_.push_back(variable);
    return variable;
}

/// The value as later segments see it.
Value ScriptBuilder::keep(const Value& value, const std::string& name, Span span) {
    if (const TupleValue* tuple = value.as_tuple()) {
        std::vector<Value> items;
        for (const Value& item : tuple->items) items.push_back(keep(item, name, span));
        return Value::tuple(std::move(items), tuple->names);
    }
    if (const auto* t = value.as<TypedValue>()) return Value(StoredValue{store(t->id, name, span), false});
    if (const auto* w = value.as<WeakValue>()) return Value(StoredValue{store(w->id, name, span), true});
    if (const auto* size = value.as<SizeValue>()) {
        return checker_->from_extent(checker_->extents().substitute(size->extent, crossed_));
    }
    return value;
}

std::vector<ScriptValue> ScriptBuilder::flush(const std::vector<Argument>& wanted) {
    for (auto& [name, binding] : frame_.names) {
        const auto used = last_use_.find(name);
        const bool live = used != last_use_.end() && used->second > position_;
        if (live)
            binding.value = keep(binding.value, name, binding.span);
        else if (!binding.value.as<StoredValue>() && !binding.dimension)
            binding.value = Value();
    }
    std::vector<ScriptValue> values;
    for (const Argument& a : wanted) {
        if (auto constant = constant_value(a)) {
            values.push_back(*constant);
            continue;
        }
        const auto* weak = a.value.as<WeakValue>();
        const ir::ValueId id = weak ? weak->id : a.value.as<TypedValue>()->id;
        values.push_back({ScriptValue::Variable{store(id, "", a.span)}, a.span});
    }
    end_segment(wanted.empty() ? Span{} : wanted.front().span);
    begin_segment();
    return values;
}

/// Sizes of the graph that no array's plain dimension and no scalar gives become arguments of their own.
void ScriptBuilder::add_size_arguments() {
    ir::Builder& b = checker_->builder;
    std::set<std::string> bound(b.function().parameter_names.begin(), b.function().parameter_names.end());
    for (ir::ValueId p : b.function().region(b.function().body()).parameters) {
        for (ExtentId e : b.type(p).shape) {
            if (const auto name = b.extents().symbol_name(e)) bound.insert(*name);
        }
    }
    for (const std::string& name : symbols_of(b.function())) {
        if (bound.count(name)) continue;
        b.parameter(name, ir::Type{ir::TypeKind::value, DType::i64_, {}});
        const auto source = size_sources_.find(name);
        if (source != size_sources_.end())
            arguments_.push_back(source->second);
        else
            arguments_.push_back({ScriptValue::Size{b.extents().symbol(name)}, {}});
    }
}

void ScriptBuilder::end_segment(Span span) {
    ir::Builder& b = checker_->builder;
    faulty_ |= frame_.faulty;
    equalities_.clear();
    for (const auto& [left, right] : checker_->assumed) {
        if (known_size(left) && known_size(right)) equalities_.push_back({left, right});
    }
    if (!yields_.empty() || has_checks(b.function())) {
        add_size_arguments();
        program_.script.extents = b.extents();
        ComputeStep step{b.finish(yields_, yield_names_), arguments_, results_};
        program_.script.steps.push_back({std::move(step), span});
    } else {
        program_.script.extents = b.extents();
    }
}

}  // namespace fuseline::dsl
