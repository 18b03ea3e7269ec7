// Whether a device computes an operator of the table as its row says.
#pragma once

#include <string>
#include <vector>

#include "compiler/ops/op_table.h"
#include "tests/runner/devices.h"
#include "tests/runner/reproducer.h"

namespace fuseline::testing {

/// An operator at one operand type.
struct Operation {
    const OpRow* op;
    std::vector<DType> operands;
    OpTyping typing;
    std::string title;  ///< "add f32"
};

/// "" where a result agrees with the interpreter's: the same bits for exact rows and integers, else within
/// the row's bound of the exact value.
std::string compare_operation(const Operation& operation, const NamedArrays& arguments,
                              const HostArray& reference, const HostArray& found, const TestDevice& device);

}  // namespace fuseline::testing
