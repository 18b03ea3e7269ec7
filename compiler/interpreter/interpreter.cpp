// The reference interpreter: each node of a graph on whole host arrays, one element at a time.
#include "compiler/interpreter/interpreter.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "compiler/interpreter/graph_machine.h"
#include "compiler/interpreter/scalar_machine.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

namespace {

struct Executor {
    Structure structure;
    Execute run;
};
constexpr Executor kExecutors[] = {
    {Structure::constant_, run_simple}, {Structure::extent_, run_simple}, {Structure::index_, run_index},
    {Structure::view_, run_view},       {Structure::window_, run_window}, {Structure::reshape_, run_reshape},
    {Structure::gather_, run_gather},   {Structure::update_, run_update}, {Structure::reduce_, run_reduce},
    {Structure::matmul_, run_matmul},   {Structure::apply_, run_apply},   {Structure::loop_, run_loop},
    {Structure::if_, run_if},           {Structure::assert_, run_assert}, {Structure::check_, run_check},
    {Structure::group_, run_group},
};

UserError error_at(Span span, std::string message) {
    Diagnostic d;
    d.span = span;
    d.message = std::move(message);
    return UserError(std::vector<Diagnostic>{std::move(d)});
}

/// "an array f64[3, 4]"
std::string array_text(const HostArray& a) {
    return fmt::format("an array {}[{}]", name(a.dtype), fmt::join(a.shape, ", "));
}

void run_elementwise(GraphMachine& m, NodeId id) {
    const Node& n = m.f.node(id);
    const auto operands = m.f.operands(n);
    HostArray& result = m.make(m.f.result(id));
    for (ValueId v : operands) {
        require(m.array(v).shape.empty() || m.array(v).shape == result.shape,
                "interpreter: operand of another shape");
    }
    const DType operation = operation_dtype(m.f, n);
    const int64_t count = result.element_count();
    Scalar values[4];
    for (int64_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < operands.size(); ++k) values[k] = element(m.array(operands[k]), i);
        store(result, i, evaluate(n.op.op(), operation, result.dtype, values));
    }
}

void execute(GraphMachine& m, NodeId id) {
    const ir::Opcode op = m.f.node(id).op;
    if (op.elementwise()) return run_elementwise(m, id);
    for (const Executor& e : kExecutors) {
        if (op.is(e.structure)) return e.run(m, id);
    }
    require(false, "interpreter: a node that no graph has");
}

}  // namespace

void advance(std::vector<int64_t>& indices, const std::vector<int64_t>& shape) {
    for (size_t k = shape.size(); k-- > 0;) {
        if (++indices[k] < shape[k]) return;
        indices[k] = 0;
    }
}

Scalar element(const HostArray& array, int64_t position) {
    const int64_t at = array.shape.empty() ? 0 : position;
    return load_scalar(array.dtype, array.bytes.data() + at * byte_size(array.dtype));
}

void store(HostArray& into, int64_t position, Scalar value) {
    store_scalar(into.dtype, value, into.bytes.data() + position * byte_size(into.dtype));
}

UserError GraphMachine::error(std::string message) const { return error_at(span, std::move(message)); }

std::vector<int64_t> GraphMachine::shape_of(ValueId v) const {
    std::vector<int64_t> shape;
    for (ExtentId e : f.type(v).shape) {
        shape.push_back(size(e));
        if (shape.back() < 0)
            throw error(fmt::format("the extent {} is negative: {}", f.extents.text(e), shape.back()));
    }
    return shape;
}

/// Of the array's type. Throws UserError past 2^63.
size_t GraphMachine::byte_count(const HostArray& a) const {
    if (std::find(a.shape.begin(), a.shape.end(), 0) != a.shape.end()) return 0;
    int64_t bytes = byte_size(a.dtype);
    for (const int64_t extent : a.shape) {
        if (__builtin_mul_overflow(bytes, extent, &bytes))
            throw error(fmt::format("{} has more than 2^63 bytes", array_text(a)));
    }
    return static_cast<size_t>(bytes);
}

HostArray& GraphMachine::make(ValueId v) {
    HostArray& a = arrays_[v.index];
    a.dtype = f.type(v).dtype;
    a.shape = shape_of(v);
    const size_t bytes = byte_count(a);
    try {
        a.bytes.assign(bytes, std::byte{0});
    } catch (const std::bad_alloc&) {
        throw error(fmt::format("out of memory on the host: {} has {} bytes", array_text(a), bytes));
    }
    return a;
}

void GraphMachine::set(ValueId v, HostArray a) {
    arrays_[v.index] = std::move(a);
    // Scalar regions see the rank-0 values around them.
    if (f.type(v).scalar()) scalars.set(v, element(array(v), 0));
}

Line GraphMachine::line(const ir::Affine& affine, size_t rank) const {
    Line l{size(affine.offset), std::vector<int64_t>(rank, 0)};
    for (const ir::Affine::Term& t : affine.terms) l.coefficients[t.axis] = size(t.coefficient);
    return l;
}

std::vector<Line> GraphMachine::lines(const ir::IndexMap& map, size_t rank) const {
    std::vector<Line> lines;
    for (const ir::Affine& affine : map) lines.push_back(line(affine, rank));
    return lines;
}

void GraphMachine::node(NodeId id) {
    span = f.span(id);
    execute(*this, id);
    const Node& n = f.node(id);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId v = f.result(id, k);
        if (f.type(v).scalar()) scalars.set(v, element(array(v), 0));
    }
}

void GraphMachine::nodes(ir::RegionId region) {
    for (NodeId id : f.region(region).nodes) node(id);
}

std::vector<HostArray> GraphMachine::run(const std::vector<HostArray>& arguments) {
    const ir::Region& body = f.region(f.body());
    require(arguments.size() == body.parameters.size(), "interpreter: one argument for each parameter");
    for (size_t k = 0; k < arguments.size(); ++k) {
        const ValueId v = body.parameters[k];
        require(arguments[k].dtype == f.type(v).dtype, "interpreter: argument of another type");
        if (arguments[k].shape != shape_of(v)) {
            throw UserError(
                fmt::format("argument {} of {} has another shape than its type says", k + 1, f.name));
        }
        set(v, arguments[k]);
    }
    nodes(f.body());
    std::vector<HostArray> results;
    for (ValueId v : body.yields) results.push_back(array(v));
    return results;
}

std::vector<HostArray> interpret(const ir::Function& graph, const std::vector<HostArray>& arguments,
                                 const std::map<std::string, int64_t>& sizes) {
    return GraphMachine(graph, sizes).run(arguments);
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
