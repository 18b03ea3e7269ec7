// What functions of shapes build: index maps, windows, reshapes, gathers, and the arguments that they share.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dsl/checker.h"

namespace fuseline::dsl {

using Shape = std::vector<ExtentId>;

/// Each axis its own index.
ir::IndexMap identity_map(Checker& c, size_t rank);
/// The index of `axis` alone, plus an offset.
ir::Affine axis_affine(Checker& c, uint32_t axis, ExtentId offset);

/// The array itself where the map changes nothing.
ir::ValueId view(Checker& c, ir::ValueId x, ir::IndexMap map, Shape shape);
/// As a view; `fill`, a scalar of x's type, where the map leaves x.
ir::ValueId window(Checker& c, ir::ValueId x, ir::IndexMap map, Shape shape, ir::ValueId fill);
/// Row-major; a view where only extents of 1 come or go.
ir::ValueId reshaped(Checker& c, ir::ValueId x, const Shape& shape);
/// x with its index along one axis replaced by `index`, an i64 array of the shape.
ir::ValueId gather_axis(Checker& c, ir::ValueId x, size_t axis, ir::ValueId index);
ir::ValueId update(Checker& c, ir::ValueId x, ir::ValueId value, ir::IndexMap map);

/// i64 array of a shape: the index along one axis, plus an offset.
ir::ValueId index_along(Checker& c, const Shape& shape, size_t axis, ExtentId offset);
/// where(index along the axis < limit, yes, no); all arrays have the shape.
ir::ValueId before(Checker& c, const Shape& shape, size_t axis, ExtentId limit, ir::ValueId yes,
                   ir::ValueId no);
/// A size as an i64 scalar of the graph.
ir::ValueId size_value(Checker& c, ExtentId e);
ir::ValueId zero_of(Checker& c, DType dtype);
ExtentId product(Checker& c, const Shape& shape);

/// An array argument of rank `least` or more; nullopt after a report.
std::optional<ir::ValueId> array_argument(Checker& c, const Argument& a, std::string_view what,
                                          size_t least = 1);
/// An axis known at compile time, negative from the end; nullopt after a report.
std::optional<size_t> axis_argument(Checker& c, const Argument& a, size_t rank, std::string_view what);
/// One axis or a tuple of different ones, in the order given.
std::optional<std::vector<size_t>> axes_argument(Checker& c, const Argument& a, size_t rank,
                                                 std::string_view what);
/// An optional argument that is given and not `none`.
const Argument* given(const std::optional<Argument>& slot);
/// The items of a tuple with its span, or the argument itself.
std::vector<Argument> items_of(const Argument& a);

}  // namespace fuseline::dsl
