// Reductions: the table of them, what a call asks for, and the nodes that they are made of.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ops/op_table.h"
#include "dsl/builtins.h"
#include "dsl/checker.h"

namespace fuseline::dsl {

/// The element type of a reduction's result, by the array's.
enum class ReductionTypes : uint8_t {
    widened,   ///< bools and signed integers give i64, unsigned ones u64, floats their own
    floating,  ///< bools and integers give f64, floats their own
    same,      ///< the array's
    boolean,   ///< bool
    count,     ///< i64: a number of elements
    index,     ///< i64: the place of an element
};

/// The element that changes nothing: combine(x, identity) is x in all bits.
enum class ReductionIdentity : uint8_t { none, zero, one, lowest, highest, no, yes };

/// What a reduction over nothing gives.
enum class ReductionEmpty : uint8_t { identity, nan, minus_infinity, error };

struct ReductionCall;

struct Reduction {
    Builtin builtin;
    std::string_view keywords;
    ReductionTypes types;
    ReductionIdentity identity;
    OpId combine;
    ReductionEmpty empty;
    std::optional<ir::ValueId> (*build)(ReductionCall&);  ///< the result without `keepdims`; nullopt after a
                                                          ///< report
};

std::span<const Reduction> reduction_table();
const Reduction* find_reduction(std::string_view name);
/// The reduction of a call of an elementwise operator, as `min(x)` and `max(x, axis=0)` are; null for others.
const Builtin* reduction_of(OpId op, const Call& call);
/// The table of reductions for docs/operators.md.
std::string reductions_markdown();

/// How a sum of floats is formed.
enum class Accumulate : uint8_t { plain, f64, kahan };

/// A call of a reduction with its arguments read.
struct ReductionCall {
    Checker& c;
    const Reduction& row;
    Span span;
    ir::ValueId array;
    std::vector<uint32_t> axes;  ///< reduced ones, ascending
    bool keepdims = false;
    std::optional<ir::ValueId> where;  ///< of the array's shape
    std::optional<Argument> initial;
    std::optional<ExtentId> ddof;
    Accumulate accumulate = Accumulate::plain;

    ir::Builder& builder() const { return c.builder; }
    std::string title() const;
    DType own() const { return c.builder.type(array).dtype; }
    std::vector<ExtentId> shape() const { return c.builder.type(array).shape; }
    DType result_type() const;
    /// The type in which the elements are combined: f32 for 16-bit floats, f64 where asked for.
    DType accumulator() const;
};

// reduction_options.cpp
/// Reads the slots of a reduction; nullopt after a report.
std::optional<ReductionCall> read_reduction(Checker& c, const Reduction& row, Slots& slots, const Call& call);
/// The array of an argument and, of `x[mask]`, the mask. nullopt after a report.
struct MaskedArray {
    ir::ValueId array;
    std::optional<ir::ValueId> mask;
};
std::optional<MaskedArray> read_array(Checker& c, const Argument& a, std::string_view what);
/// `axis=`: none, an integer or a tuple of integers, negative ones from the end. Ascending; nullopt after a
/// report.
std::optional<std::vector<uint32_t>> read_axes(Checker& c, const std::optional<Argument>& axis,
                                               ir::ValueId array, std::string_view what);
std::optional<bool> read_flag(Checker& c, const std::optional<Argument>& slot, bool otherwise,
                              std::string_view what);
/// Whether a reduction may stand here: elemental functions see no arrays. False after a report.
bool may_reduce(Checker& c, const Call& call, std::string_view what);

// reduction_nodes.cpp
ir::ValueId constant_of(ir::Builder& b, DType dtype, double value);
ir::ValueId identity_of(ir::Builder& b, ReductionIdentity identity, DType dtype);
/// An elementwise operator on values that fit: operands of one type and shape, or rank 0.
ir::ValueId elementwise(ir::Builder& b, OpId op, std::initializer_list<ir::ValueId> operands);
/// A `reduce` node over the axes; no node where there are none. `combine` fills its region.
std::vector<ir::ValueId> reduce_states(
    Checker& c, const std::vector<ir::ValueId>& arrays, const std::vector<ir::ValueId>& identities,
    const std::vector<uint32_t>& axes,
    const std::function<std::vector<ir::ValueId>(const std::vector<ir::ValueId>&,
                                                 const std::vector<ir::ValueId>&)>& combine);
ir::ValueId reduce_by(Checker& c, OpId op, ir::ValueId array, ir::ValueId identity,
                      const std::vector<uint32_t>& axes);
/// The sum in the array's own type; +0.0 over nothing and over negative zeros.
ir::ValueId sum_over(Checker& c, ir::ValueId array, const std::vector<uint32_t>& axes);
/// A value without the reduced axes stretched over `shape` (scalars stay scalars), or with axes of extent 1.
ir::ValueId spread_over(Checker& c, ir::ValueId reduced, const std::vector<uint32_t>& axes,
                        const std::vector<ExtentId>& shape);
ir::ValueId with_unit_axes(Checker& c, ir::ValueId reduced, const std::vector<uint32_t>& axes);

}  // namespace fuseline::dsl
