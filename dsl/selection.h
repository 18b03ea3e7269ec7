// What an index in brackets selects: an index map over the result's axes, or a mask.
#pragma once

#include <optional>
#include <vector>

#include "dsl/checker.h"

namespace fuseline::dsl {

/// One subscript with its parts evaluated.
struct Index {
    ast::Subscript::Kind kind = ast::Subscript::Kind::index;
    Span span;
    Argument value;                             ///< index
    std::optional<Argument> start, stop, step;  ///< slice
};

/// The expressions in subscripts that are evaluated, in the order of the text.
std::vector<ast::ExprId> index_expressions(const std::vector<ast::Subscript>& subscripts);

/// The subscripts with the values of `index_expressions`.
std::vector<Index> indices_of(const Checker& c, const std::vector<ast::Subscript>& subscripts,
                              const std::vector<Value>& values);

struct Selection {
    ir::IndexMap map;                 ///< one affine for each axis of the array, over the axes of `shape`
    std::vector<ExtentId> shape;      ///< of what is selected
    std::optional<ir::ValueId> mask;  ///< in the array's shape; then there is no map
};

/// What `indices` select of an array. Sizes in them are proved to lie inside or checked at launch. nullopt
/// after a report.
std::optional<Selection> select(Checker& c, ir::ValueId array, const std::vector<Index>& indices, Span span);

}  // namespace fuseline::dsl
