// What an expression is while its graph is built: known at compile time, weak, or a typed value of the graph.
#pragma once

#include <gmpxx.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline::dsl {

struct FunctionDefinition;
struct Builtin;
struct Value;

/// The outcome of a faulty expression, which silences whatever uses it.
struct ErrorValue {};
struct NoneValue {};
struct TextValue {
    std::string text;
};
/// An element type as a value: `f32`, `t`, `dtype(x)`.
struct TypeValue {
    DType dtype{};
};
/// One of the three is set.
struct FunctionValue {
    const FunctionDefinition* user = nullptr;
    const Builtin* builtin = nullptr;
    std::optional<OpId> op;  ///< an elementwise operator called like a function
};
struct TupleValue;
/// A weak integer over sizes.
struct SizeValue {
    ExtentId extent;
};
/// A weak number that is computed on the host or, in a loop, has no type yet: an i64 or f64 scalar of the
/// graph.
struct WeakValue {
    ir::ValueId id;
};
struct TypedValue {
    ir::ValueId id;
};
/// `x[mask]`: what a reduction takes as `where=mask`; `mask` is a bool array in x's shape.
struct MaskedValue {
    ir::ValueId array, mask;
};
/// A script variable that an earlier step has computed; it becomes a parameter where it is used.
struct StoredValue {
    uint32_t variable = 0;
    bool weak = false;
};

/// Numbers known at compile time are bool, mpz_class (a weak integer) and double (a weak float).
struct Value {
    using Payload = std::variant<ErrorValue, NoneValue, bool, mpz_class, double, TextValue, TypeValue,
                                 FunctionValue, std::shared_ptr<const TupleValue>, SizeValue, WeakValue,
                                 TypedValue, StoredValue, MaskedValue>;
    Payload payload;

    Value() = default;
    template <typename T>
    Value(T value) : payload(std::move(value)) {}  // NOLINT: every alternative is a value
    static Value tuple(std::vector<Value> items, std::vector<std::string> names = {});
    static Value integer(int64_t value);

    template <typename T>
    const T* as() const {
        return std::get_if<T>(&payload);
    }
    const TupleValue* as_tuple() const {
        const auto* p = as<std::shared_ptr<const TupleValue>>();
        return p ? p->get() : nullptr;
    }
    bool is_error() const { return as<ErrorValue>() != nullptr; }
    /// bool, weak integer or weak float known now.
    bool constant_number() const { return as<bool>() || as<mpz_class>() || as<double>(); }
    /// A weak integer, known or over sizes.
    bool size_like() const { return as<mpz_class>() || as<SizeValue>(); }
    /// A number without a type of its own.
    bool weak() const { return as<mpz_class>() || as<double>() || as<SizeValue>() || as<WeakValue>(); }
    bool number() const { return weak() || as<bool>() || as<TypedValue>(); }
    /// No graph value stands behind it: what a `const` parameter takes.
    bool compile_time() const {
        return !as<SizeValue>() && !as<WeakValue>() && !as<TypedValue>() && !as<StoredValue>() &&
               !as<MaskedValue>();
    }
};

/// `names` is empty or has one name an item (named results).
struct TupleValue {
    std::vector<Value> items;
    std::vector<std::string> names;
};

/// True when both are the same without looking into the graph.
bool same_value(const Value& a, const Value& b);

/// How a message spells a size.
using ExtentText = std::function<std::string(ExtentId)>;
/// "f32[n, 3]".
std::string type_text(const ir::Type& type, const ExtentText& sizes);
/// What a value is, for messages: "f32[n]", "a weak integer", "text", "a function".
std::string describe(const Value& value, const ir::Function& graph, const ExtentText& sizes);

}  // namespace fuseline::dsl
