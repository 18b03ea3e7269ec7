// The reference interpreter: each node of a graph on whole host arrays, one element at a time.
#include "compiler/interpreter/interpreter.h"

#include <fmt/format.h>

#include <optional>

#include "compiler/interpreter/scalar_machine.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::RegionId;
using ir::Structure;
using ir::ValueId;

namespace {

UserError error_at(Span span, std::string message) {
    Diagnostic d;
    d.span = span;
    d.message = std::move(message);
    return UserError(std::vector<Diagnostic>{std::move(d)});
}

/// An affine expression with numbers for the sizes.
struct Line {
    int64_t offset = 0;
    std::vector<int64_t> coefficients;
    int64_t at(const std::vector<int64_t>& indices) const {
        int64_t value = offset;
        for (size_t k = 0; k < indices.size(); ++k) value += coefficients[k] * indices[k];
        return value;
    }
};

/// Steps to the next index in row-major order.
void advance(std::vector<int64_t>& indices, const std::vector<int64_t>& shape) {
    for (size_t k = shape.size(); k-- > 0;) {
        if (++indices[k] < shape[k]) return;
        indices[k] = 0;
    }
}

Scalar element(const HostArray& array, int64_t position) {
    // A scalar stretches over every position.
    const int64_t at = array.shape.empty() ? 0 : position;
    return load_scalar(array.dtype, array.bytes.data() + at * byte_size(array.dtype));
}

class Interpreter {
public:
    Interpreter(const ir::Function& function, const SizeMap& sizes)
        : f_(function), sizes_(sizes), machine_(function, sizes), arrays_(function.value_count()) {}

    std::vector<HostArray> run(const std::vector<HostArray>& arguments);

private:
    void nodes(RegionId region);
    void node(NodeId id);
    void elementwise(NodeId id);
    void view(NodeId id);
    void index(NodeId id);
    void apply(NodeId id);
    void group(NodeId id);

    int64_t size(ExtentId e) const { return size_value(f_, e, sizes_, span_); }
    std::vector<int64_t> shape_of(ValueId v) const;
    HostArray& make(ValueId v);
    Line line(const ir::Affine& affine, size_t rank) const;
    const HostArray& array(ValueId v) const { return arrays_[v.index]; }
    void store(HostArray& into, int64_t position, Scalar value) const {
        store_scalar(into.dtype, value, into.bytes.data() + position * byte_size(into.dtype));
    }

    const ir::Function& f_;
    const SizeMap& sizes_;
    ScalarMachine machine_;
    std::vector<HostArray> arrays_;
    Span span_;
};

std::vector<int64_t> Interpreter::shape_of(ValueId v) const {
    std::vector<int64_t> shape;
    for (ExtentId e : f_.type(v).shape) {
        shape.push_back(size(e));
        if (shape.back() < 0) {
            throw error_at(span_,
                           fmt::format("the extent {} is negative: {}", f_.extents.text(e), shape.back()));
        }
    }
    return shape;
}

HostArray& Interpreter::make(ValueId v) {
    HostArray& a = arrays_[v.index];
    a.dtype = f_.type(v).dtype;
    a.shape = shape_of(v);
    a.bytes.assign(static_cast<size_t>(a.element_count()) * static_cast<size_t>(byte_size(a.dtype)),
                   std::byte{0});
    return a;
}

Line Interpreter::line(const ir::Affine& affine, size_t rank) const {
    Line l{size(affine.offset), std::vector<int64_t>(rank, 0)};
    for (const ir::Affine::Term& t : affine.terms) l.coefficients[t.axis] = size(t.coefficient);
    return l;
}

void Interpreter::elementwise(NodeId id) {
    const Node& n = f_.node(id);
    const auto operands = f_.operands(n);
    HostArray& result = make(f_.result(id));
    for (ValueId v : operands) {
        require(array(v).shape.empty() || array(v).shape == result.shape,
                "interpreter: operand of another shape");
    }
    const DType operation = operation_dtype(f_, n);
    const int64_t count = result.element_count();
    Scalar values[4];
    for (int64_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < operands.size(); ++k) values[k] = element(array(operands[k]), i);
        store(result, i, evaluate(n.op.op(), operation, result.dtype, values));
    }
}

void Interpreter::view(NodeId id) {
    const Node& n = f_.node(id);
    HostArray& result = make(f_.result(id));
    const HostArray& source = array(f_.operands(n)[0]);
    std::vector<Line> lines;
    for (const ir::Affine& a : std::get<ir::IndexMap>(n.attribute))
        lines.push_back(line(a, result.shape.size()));
    std::vector<int64_t> indices(result.shape.size(), 0);
    const int64_t count = result.element_count();
    for (int64_t i = 0; i < count; ++i, advance(indices, result.shape)) {
        int64_t position = 0;
        for (size_t axis = 0; axis < lines.size(); ++axis) {
            const int64_t at = lines[axis].at(indices);
            if (at < 0 || at >= source.shape[axis]) {
                throw error_at(span_, fmt::format("index {} is outside axis {} of extent {}", at, axis,
                                                  source.shape[axis]));
            }
            position = position * source.shape[axis] + at;
        }
        store(result, i, element(source, position));
    }
}

void Interpreter::index(NodeId id) {
    HostArray& result = make(f_.result(id));
    const Line l = line(std::get<ir::Affine>(f_.node(id).attribute), result.shape.size());
    std::vector<int64_t> indices(result.shape.size(), 0);
    const int64_t count = result.element_count();
    for (int64_t i = 0; i < count; ++i, advance(indices, result.shape))
        store(result, i, Scalar::of_i64(l.at(indices)));
}

void Interpreter::apply(NodeId id) {
    const Node& n = f_.node(id);
    const auto operands = f_.operands(n);
    for (uint32_t k = 0; k < n.results_count; ++k) make(f_.result(id, k));
    const ir::RegionId region = f_.region_of(n, 0);
    const auto& parameters = f_.region(region).parameters;
    const auto& yields = f_.region(region).yields;
    const int64_t count = n.results_count == 0 ? 0 : array(f_.result(id)).element_count();
    for (int64_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < operands.size(); ++k)
            machine_.set(parameters[k], element(array(operands[k]), i));
        machine_.run(region);
        for (uint32_t k = 0; k < n.results_count; ++k) {
            store(arrays_[f_.result(id, k).index], i, machine_.get(yields[k]));
        }
    }
}

void Interpreter::group(NodeId id) {
    const Node& n = f_.node(id);
    const ir::RegionId region = f_.region_of(n, 0);
    const auto operands = f_.operands(n);
    for (size_t k = 0; k < operands.size(); ++k) {
        const ValueId parameter = f_.region(region).parameters[k];
        arrays_[parameter.index] = array(operands[k]);
        if (array(parameter).shape.empty()) machine_.set(parameter, element(array(parameter), 0));
    }
    for (NodeId inner : f_.region(region).nodes) node(inner);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        arrays_[f_.result(id, k).index] = array(f_.region(region).yields[k]);
    }
}

void Interpreter::node(NodeId id) {
    const Node& n = f_.node(id);
    span_ = f_.span(id);
    if (n.op.elementwise()) {
        elementwise(id);
    } else if (n.op.is(Structure::constant_) || n.op.is(Structure::extent_)) {
        machine_.simple(id);
        store(make(f_.result(id)), 0, machine_.get(f_.result(id)));
    } else if (n.op.is(Structure::view_)) {
        view(id);
    } else if (n.op.is(Structure::index_)) {
        index(id);
    } else if (n.op.is(Structure::apply_)) {
        apply(id);
    } else if (n.op.is(Structure::group_)) {
        group(id);
    } else {
        require(n.op.is(Structure::check_), "interpreter: a node that no graph has");
        test_check(f_, id, sizes_);
    }
    // Scalar regions see the rank-0 values around them.
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId v = f_.result(id, k);
        if (f_.type(v).scalar()) machine_.set(v, element(array(v), 0));
    }
}

std::vector<HostArray> Interpreter::run(const std::vector<HostArray>& arguments) {
    const ir::Region& body = f_.region(f_.body());
    require(arguments.size() == body.parameters.size(), "interpreter: one argument for each parameter");
    for (size_t k = 0; k < arguments.size(); ++k) {
        const ValueId v = body.parameters[k];
        require(arguments[k].dtype == f_.type(v).dtype, "interpreter: argument of another type");
        if (arguments[k].shape != shape_of(v)) {
            throw UserError(
                fmt::format("argument {} of {} has another shape than its type says", k + 1, f_.name));
        }
        arrays_[v.index] = arguments[k];
        if (f_.type(v).scalar()) machine_.set(v, element(arguments[k], 0));
    }
    for (NodeId id : body.nodes) node(id);
    std::vector<HostArray> results;
    for (ValueId v : body.yields) results.push_back(array(v));
    return results;
}

}  // namespace

std::vector<HostArray> interpret(const ir::Function& graph, const std::vector<HostArray>& arguments,
                                 const std::map<std::string, int64_t>& sizes) {
    return Interpreter(graph, sizes).run(arguments);
}

void test_check(const ir::Function& function, NodeId node, const std::map<std::string, int64_t>& sizes) {
    const auto& check = std::get<ir::Check>(function.node(node).attribute);
    const Span span = function.span(node);
    const int64_t left = size_value(function, check.left, sizes, span);
    const int64_t right = size_value(function, check.right, sizes, span);
    const bool equal = check.relation == ir::Check::Relation::equal;
    if (equal ? left == right : left >= right) return;
    const auto side = [&](ExtentId e, const char* is, int64_t value) {
        const std::string text = function.extents.text(e);
        return function.extents.constant_value(e) ? text : fmt::format("{}{}{}", text, is, value);
    };
    throw error_at(span, fmt::format("{}: {}, {} {}", check.message, side(check.left, " is ", left),
                                     equal ? "not" : "less than", side(check.right, ", which is ", right)));
}

Scalar evaluate_scalar(const ir::Function& function, ValueId value,
                       const std::map<std::string, int64_t>& sizes) {
    ScalarMachine machine(function, sizes);
    std::vector<bool> known(function.value_count(), false);
    std::vector<ValueId> todo{value};
    while (!todo.empty()) {
        const ValueId v = todo.back();
        if (known[v.index]) {
            todo.pop_back();
            continue;
        }
        const NodeId id = function.value(v).definition;
        require(static_cast<bool>(id), "evaluate_scalar: the value depends on a parameter");
        bool ready = true;
        for (ValueId o : function.operands(id)) {
            if (known[o.index]) continue;
            ready = false;
            todo.push_back(o);
        }
        if (!ready) continue;
        machine.simple(id);
        known[v.index] = true;
        todo.pop_back();
    }
    return machine.get(value);
}

}  // namespace fuseline
