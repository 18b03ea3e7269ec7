// GraphMachine: the values of a graph that is being interpreted, and what executes one node of each kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/interpreter/scalar_machine.h"
#include "compiler/ir/ir.h"
#include "compiler/ops/host_array.h"

namespace fuseline {

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

/// Steps to the next index in row-major order; wraps to zeros after the last.
void advance(std::vector<int64_t>& indices, const std::vector<int64_t>& shape);

/// An element by its flat position; a scalar stretches over every position.
Scalar element(const HostArray& array, int64_t position);
void store(HostArray& into, int64_t position, Scalar value);

class GraphMachine {
public:
    GraphMachine(const ir::Function& function, const SizeMap& sizes)
        : f(function), sizes(sizes), scalars(function, this->sizes), arrays_(function.value_count()) {}

    const ir::Function& f;
    SizeMap sizes;          ///< of the call; a loop adds its counter
    ScalarMachine scalars;  ///< runs scalar regions; holds every rank-0 value that is known
    Span span;              ///< of the node that is being executed

    std::vector<HostArray> run(const std::vector<HostArray>& arguments);
    /// Executes one node, or all nodes of a region whose parameters are set.
    void node(ir::NodeId id);
    void nodes(ir::RegionId region);

    const HostArray& array(ir::ValueId v) const { return arrays_[v.index]; }
    /// Gives a value, and a scalar also to the scalar machine.
    void set(ir::ValueId v, HostArray a);
    /// A zeroed array of a result's type; filled by the caller. Throws UserError where the memory has no
    /// room.
    HostArray& make(ir::ValueId v);
    std::vector<int64_t> shape_of(ir::ValueId v) const;
    int64_t size(ExtentId e) const { return size_value(f, e, sizes, span); }
    Line line(const ir::Affine& affine, size_t rank) const;
    std::vector<Line> lines(const ir::IndexMap& map, size_t rank) const;
    /// An error at the node that is being executed.
    UserError error(std::string message) const;

private:
    size_t byte_count(const HostArray& a) const;

    std::vector<HostArray> arrays_;
};

/// One executor for each structural operation of graphs; the table of them is in interpreter.cpp.
using Execute = void (*)(GraphMachine&, ir::NodeId);

// structure.cpp
void run_simple(GraphMachine& m, ir::NodeId id);  ///< constant, extent
void run_apply(GraphMachine& m, ir::NodeId id);
void run_group(GraphMachine& m, ir::NodeId id);
void run_check(GraphMachine& m, ir::NodeId id);
// views.cpp
void run_view(GraphMachine& m, ir::NodeId id);
void run_index(GraphMachine& m, ir::NodeId id);
// placements.cpp
void run_window(GraphMachine& m, ir::NodeId id);
void run_reshape(GraphMachine& m, ir::NodeId id);
void run_gather(GraphMachine& m, ir::NodeId id);
void run_update(GraphMachine& m, ir::NodeId id);
// reduce.cpp
void run_reduce(GraphMachine& m, ir::NodeId id);
// control.cpp
void run_loop(GraphMachine& m, ir::NodeId id);
void run_if(GraphMachine& m, ir::NodeId id);
void run_assert(GraphMachine& m, ir::NodeId id);
// matmul.cpp
void run_matmul(GraphMachine& m, ir::NodeId id);

}  // namespace fuseline
