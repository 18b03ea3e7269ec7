// What stands before a kernel for each of its folds: the state's struct, the functions of an element and of
// combining.
#pragma once

#include <string>
#include <vector>

#include "compiler/codegen/cuda_element.h"
#include "compiler/codegen/cuda_names.h"
#include "compiler/codegen/cuda_uses.h"
#include "compiler/ir/ir.h"
#include "compiler/support/source.h"

namespace fuseline {

/// A fold in the text of its kernel.
struct CudaFold {
    ir::NodeId node;
    std::string text;                 ///< of the struct and the functions
    std::string state;                ///< the type
    std::vector<std::string> fields;  ///< of the struct; none for a scalar
    std::string combine;              ///< an expression for the combining function
    CudaElement element;
    /// In the kernel: the result, what folding starts from, functions of one element and of four neighbours
    /// ("" without), whether these are aligned, the result's parts in the workspace.
    std::string variable, identity, one, four, aligned, parts;
};

CudaFold cuda_fold_functions(const ir::Function& kernel, ir::NodeId fold, const std::vector<CudaUse>& uses,
                             const SourceMap* sources, CudaNames& names);

}  // namespace fuseline
