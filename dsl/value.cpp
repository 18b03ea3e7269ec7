// Texts and comparison of values of the checker.
#include "dsl/value.h"

#include <fmt/format.h>

#include <cmath>

namespace fuseline::dsl {

Value Value::tuple(std::vector<Value> items, std::vector<std::string> names) {
    return Value(std::make_shared<const TupleValue>(TupleValue{std::move(items), std::move(names)}));
}

Value Value::integer(int64_t value) { return Value(mpz_class(static_cast<long>(value))); }

namespace {

struct Same {
    template <typename A, typename B>
    bool operator()(const A&, const B&) const {
        return false;
    }
    bool operator()(const ErrorValue&, const ErrorValue&) const { return true; }
    bool operator()(const NoneValue&, const NoneValue&) const { return true; }
    bool operator()(bool a, bool b) const { return a == b; }
    bool operator()(const mpz_class& a, const mpz_class& b) const { return a == b; }
    bool operator()(double a, double b) const { return Scalar::of_f64(a) == Scalar::of_f64(b); }
    bool operator()(const TextValue& a, const TextValue& b) const { return a.text == b.text; }
    bool operator()(const TypeValue& a, const TypeValue& b) const { return a.dtype == b.dtype; }
    bool operator()(const FunctionValue& a, const FunctionValue& b) const {
        return a.user == b.user && a.builtin == b.builtin && a.op == b.op;
    }
    bool operator()(const std::shared_ptr<const TupleValue>& a,
                    const std::shared_ptr<const TupleValue>& b) const {
        if (a->items.size() != b->items.size()) return false;
        for (size_t i = 0; i < a->items.size(); ++i) {
            if (!same_value(a->items[i], b->items[i])) return false;
        }
        return true;
    }
    bool operator()(const SizeValue& a, const SizeValue& b) const { return a.extent == b.extent; }
    bool operator()(const WeakValue& a, const WeakValue& b) const { return a.id == b.id; }
    bool operator()(const TypedValue& a, const TypedValue& b) const { return a.id == b.id; }
    bool operator()(const MaskedValue& a, const MaskedValue& b) const {
        return a.array == b.array && a.mask == b.mask;
    }
    bool operator()(const StoredValue& a, const StoredValue& b) const { return a.variable == b.variable; }
};

}  // namespace

bool same_value(const Value& a, const Value& b) { return std::visit(Same{}, a.payload, b.payload); }

std::string type_text(const ir::Type& type, const ExtentText& sizes) {
    std::string text(name(type.dtype));
    if (type.shape.empty()) return text;
    std::string dims;
    for (ExtentId e : type.shape) dims += (dims.empty() ? "" : ", ") + sizes(e);
    return text + "[" + dims + "]";
}

namespace {

std::string describe_tuple(const TupleValue& tuple, const ir::Function& graph, const ExtentText& sizes) {
    std::string text;
    for (const Value& item : tuple.items) text += (text.empty() ? "" : ", ") + describe(item, graph, sizes);
    return "(" + text + ")";
}

}  // namespace

std::string describe(const Value& value, const ir::Function& graph, const ExtentText& sizes) {
    if (const auto* typed = value.as<TypedValue>()) return type_text(graph.type(typed->id), sizes);
    if (const auto* weak = value.as<WeakValue>()) {
        return is_float(graph.type(weak->id).dtype) ? "a weak float" : "a weak integer";
    }
    if (const auto* tuple = value.as_tuple()) return describe_tuple(*tuple, graph, sizes);
    if (const auto* integer = value.as<mpz_class>()) {
        return mpz_sizeinbase(integer->get_mpz_t(), 10) > 40 ? "a weak integer"
                                                             : "the integer " + integer->get_str();
    }
    if (const auto* floating = value.as<double>()) {
        return "the float " + scalar_text(DType::f64_, Scalar::of_f64(*floating));
    }
    if (const auto* size = value.as<SizeValue>()) return fmt::format("the size {}", sizes(size->extent));
    if (const auto* flag = value.as<bool>()) return *flag ? "true" : "false";
    if (const auto* masked = value.as<MaskedValue>())
        return fmt::format("{} under a mask", type_text(graph.type(masked->array), sizes));
    if (value.as<TextValue>()) return "a text";
    if (const auto* type = value.as<TypeValue>()) return fmt::format("the type {}", name(type->dtype));
    if (value.as<FunctionValue>()) return "a function";
    if (value.as<NoneValue>()) return "none";
    return "an unknown value";
}

}  // namespace fuseline::dsl
