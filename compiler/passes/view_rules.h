// Rules of views, windows and reshapes: identity, one in place of two, scalars spread over a shape.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// A value that equals the view and costs less: its source, or one view in place of two. nullopt when there
/// is none.
std::optional<ir::ValueId> simpler_view(ir::Builder& b, ir::ValueId source, const ir::IndexMap& map,
                                        const std::vector<ExtentId>& shape);

/// As simpler_view, of a window; of a reshape.
std::optional<ir::ValueId> simpler_window(ir::Builder& b, ir::ValueId source, ir::ValueId fill,
                                          const ir::IndexMap& map, const std::vector<ExtentId>& shape);
std::optional<ir::ValueId> simpler_reshape(ir::Builder& b, ir::ValueId source,
                                           const std::vector<ExtentId>& shape);

/// The value with the shape: a rank-0 value is spread by a view, one of the shape is returned.
ir::ValueId spread(ir::Builder& b, ir::ValueId value, const std::vector<ExtentId>& shape);

/// The rank-0 value that a view spreads.
std::optional<ir::ValueId> spread_scalar(ir::Builder& b, ir::ValueId value);

/// `outer` of indices that are `inner` of other indices.
ir::IndexMap compose(ExtentPool& pool, const ir::IndexMap& outer, const ir::IndexMap& inner);

}  // namespace fuseline
