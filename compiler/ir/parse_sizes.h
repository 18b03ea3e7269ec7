// Reads sizes, affine expressions and types of the IR's text form.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/text_reader.h"

namespace fuseline::ir {

ExtentId parse_extent(ExtentPool& pool, const Piece& piece);

/// "2*i + n*j + (n - 1)": terms over the axes and sizes. A coefficient that is a sum or a quotient stands in
/// parentheses.
Affine parse_affine(ExtentPool& pool, const Piece& piece, const std::vector<std::string>& axes);

Type parse_type(TextReader& reader, ExtentPool& pool);

/// What scalar_text prints, or "bits(0x...)".
Scalar parse_literal(DType dtype, const Piece& piece);

}  // namespace fuseline::ir
